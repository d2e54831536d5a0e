import {
  createDataPolicy,
  createDataRole,
  deleteDataPolicy,
  deleteDataRole,
  type Transport,
  updateDataPolicy,
  updateDataRole,
} from "@sealway/sdk/api"
import type { Command } from "commander"
import { readDeclaredPolicies } from "../plan/declared-policies.ts"
import type { PolicyState } from "../plan/desired-state.ts"
import { type Change, planPolicySet } from "../plan/plan-policy-set.ts"
import { readStoredPolicies } from "../plan/stored-policies.ts"
import { describePlan, linesOfMeaning } from "../proofs/describe-plan.ts"
import { jsonOf } from "../service/json-of.ts"
import type { CommandLine } from "../session/define-action.ts"
import { addChangeCommands } from "./change-commands.ts"
import { addPolicyExplainCommand } from "./policy-explain.ts"
import { addPolicyLintCommand } from "./policy-lint.ts"
import { addPolicyProveCommand } from "./policy-prove.ts"
import { addPolicyRecordCommands } from "./policy-records.ts"
import { addPolicySimulateCommand } from "./policy-simulate.ts"
import { addPolicyTestCommand } from "./policy-tests.ts"
import { addPolicyWhoCommand } from "./policy-who.ts"

export function addPoliciesCommands(program: Command, line: CommandLine): void {
  const policies = program
    .command("policies")
    .helpCommand(false)
    .description("data policies: who may decrypt the values of a role, where and when")
  addPolicyChangeCommands(policies, line)
  addPolicyTestCommand(policies, line)
  addPolicyProveCommand(policies, line)
  addPolicyLintCommand(policies, line)
  addPolicyWhoCommand(policies, line)
  addPolicyExplainCommand(policies, line)
  addPolicySimulateCommand(policies, line)
  addPolicyRecordCommands(policies, line)
}

function addPolicyChangeCommands(policies: Command, line: CommandLine): void {
  addChangeCommands<Change>(policies, line, {
    things: "roles and policies",
    order: ": roles first, then what narrows access, then what widens it",
    async read({ host }, folder) {
      const declared = await readDeclaredPolicies(host, folder)
      return {
        async plan(service, prune) {
          const stored = await readStoredPolicies(service)
          const plan = planPolicySet(declared, stored, prune)
          const describe = async () => {
            const meanings = await describePlan(stored, plan.changes, host.wallClock())
            return { lines: meanings.flatMap(linesOfMeaning), value: meanings }
          }
          return { ...plan, describe }
        },
        make: callForPolicy,
      }
    },
  })
}

/** Makes a change of roles or policies. */
function callForPolicy(service: Transport, change: Change): PromiseLike<unknown> {
  const { action, kind } = change
  if (kind === "role") {
    const roleId = change.name
    if (action === "delete") return deleteDataRole(service, { roleId })
    const { slug, name, description, accessLog, mask } = change.after
    return action === "create"
      ? createDataRole(service, { body: { slug, name, description, accessLog, mask } })
      : updateDataRole(service, { roleId, body: { name, description, archived: false, accessLog, mask } })
  }
  if (action === "delete") return deleteDataPolicy(service, { policyId: change.id })
  const body = jsonOf(policyBody(change.after))
  return action === "create"
    ? createDataPolicy(service, { body })
    : updateDataPolicy(service, { policyId: change.id, body })
}

function policyBody({
  name,
  effect,
  reveal = null,
  requiresReason = false,
  roles,
  conditions,
  cedar,
}: PolicyState) {
  return { name, effect, reveal, requiresReason, roles, conditions, cedar }
}

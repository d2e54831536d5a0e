import type { Command } from "commander"
import { readDeclaredPolicies } from "../plan/declared-policies.ts"
import { type Change, planPolicySet } from "../plan/plan-policy-set.ts"
import { callForPolicy } from "../plan/policy-call.ts"
import { readStoredPolicies } from "../plan/stored-policies.ts"
import { describePlan, linesOfMeaning } from "../proofs/describe-plan.ts"
import type { CommandLine } from "../session/define-action.ts"
import { addChangeCommands } from "./change-commands.ts"

export function addPolicyChangeCommands(policies: Command, line: CommandLine): void {
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

import type { Command } from "commander"
import type { CommandLine } from "../session/define-action.ts"
import { addPolicyChangeCommands } from "./policy-changes.ts"
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

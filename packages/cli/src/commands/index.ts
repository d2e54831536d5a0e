import type { Command } from "commander"
import type { CommandLine } from "../define-action.ts"
import { addAppsCommands } from "./apps.ts"
import { addAuditCommands } from "./audit.ts"
import { addBootstrapCommand } from "./bootstrap.ts"
import { addDecryptCommand } from "./decrypt.ts"
import { addEncryptCommand } from "./encrypt.ts"
import { addFunctionsCommands } from "./functions.ts"
import { addKeysCommands } from "./keys.ts"
import { addLoginCommands } from "./login.ts"
import { addPoliciesCommands } from "./policies.ts"
import { addRelaysCommands } from "./relays.ts"
import { addRolesCommands } from "./roles.ts"
import { addTeamKeysCommands } from "./team-keys.ts"
import { addWebhooksCommands } from "./webhooks.ts"

/** Adds every command, in the order in which the help lists them. */
export function addCommands(program: Command, line: CommandLine): void {
  addLoginCommands(program, line)
  addEncryptCommand(program, line)
  addDecryptCommand(program, line)
  addRolesCommands(program, line)
  addPoliciesCommands(program, line)
  addAppsCommands(program, line)
  addKeysCommands(program, line)
  addTeamKeysCommands(program, line)
  addFunctionsCommands(program, line)
  addRelaysCommands(program, line)
  addWebhooksCommands(program, line)
  addAuditCommands(program, line)
  addBootstrapCommand(program, line)
}

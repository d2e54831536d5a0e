import type { Command } from "commander"
import type { CommandLine } from "../session/define-action.ts"
import { addRelayActivityCommand } from "./relay-activity.ts"
import { addRelayAlertCommands } from "./relay-alerts.ts"
import { addRelayChangeCommands } from "./relay-changes.ts"
import { addRelayDomainCommands } from "./relay-domains.ts"
import { addRelayRecordCommands } from "./relay-records.ts"
import { addRelayTestCommand } from "./relay-test.ts"

export function addRelaysCommands(program: Command, line: CommandLine): void {
  const relays = program
    .command("relays")
    .helpCommand(false)
    .description("proxies that encrypt and decrypt fields on the way to a destination")
  addRelayChangeCommands(relays, line)
  addRelayTestCommand(relays, line)
  addRelayRecordCommands(relays, line)
  addRelayDomainCommands(relays, line)
  addRelayActivityCommand(relays, line)
  addRelayAlertCommands(relays, line)
}

import type { Command } from "commander"
import { readDeclaredRelays } from "../plan/declared-relays.ts"
import { planRelays, type RelayChange } from "../plan/plan-relays.ts"
import { callForRelay } from "../plan/relay-call.ts"
import { readStoredRelays } from "../plan/stored-relays.ts"
import type { CommandLine } from "../session/define-action.ts"
import { addChangeCommands } from "./change-commands.ts"

export function addRelayChangeCommands(relays: Command, line: CommandLine): void {
  addChangeCommands<RelayChange>(relays, line, {
    things: "relays",
    order: ", one relay after another",
    async read({ host }, folder) {
      const { relays: wanted, certificates, keyOf } = await readDeclaredRelays(host, folder)
      return {
        plan: async (service, prune) => planRelays(wanted, await readStoredRelays(service, keyOf), prune),
        make: (service, change) => callForRelay(service, change, (key) => certificates.get(key) ?? null),
      }
    },
  })
}

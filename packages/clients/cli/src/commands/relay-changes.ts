import type { ClientCertificateInput } from "@sealway/relay/files"
import { createRelay, deleteRelay, listRelays, type Transport, updateRelay } from "@sealway/sdk/api"
import type { Command } from "commander"
import { readDeclaredRelays } from "../plan/declared-relays.ts"
import {
  NEW_RELAY_OPTIONS,
  namedOptions,
  planRelays,
  type RelayChange,
  type StoredRelay,
} from "../plan/plan-relays.ts"
import { jsonOf } from "../service/json-of.ts"
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

/**
 * Makes a change of relays.
 *
 * @param certificateOf returns the client certificate of a relay, by its key; null for none
 */
function callForRelay(
  service: Transport,
  change: RelayChange,
  certificateOf: (key: string) => ClientCertificateInput | null,
): PromiseLike<unknown> {
  if (change.action === "delete") return deleteRelay(service, { relayId: change.id })
  const { destinationDomain, routes, authentication, encryptEmptyStrings, leakWatch, key } = change.after
  const settings = { routes, authentication, encryptEmptyStrings, leakWatch, ...namedOptions(change.after) }
  if (change.action === "create") {
    const created = { destinationDomain, ...NEW_RELAY_OPTIONS, ...settings }
    return createRelay(service, { body: jsonOf({ ...created, clientCertificate: certificateOf(key) }) })
  }
  // An unchanged certificate is not sent: its key need not travel, nor be sealed again.
  const isChanged = change.fields.some(({ field }) => field === "clientCertificate")
  const body = jsonOf({ ...settings, ...(isChanged && { clientCertificate: certificateOf(key) }) })
  return updateRelay(service, { relayId: change.id, body })
}

/** Reads the app's relays from the service. @param keyOf returns a key that identifies a destination */
async function readStoredRelays(
  service: Transport,
  keyOf: (destinationDomain: string) => string,
): Promise<readonly StoredRelay[]> {
  const relays = await Array.fromAsync(listRelays(service, { limit: 100 }))
  return relays.map(({ clientCertificate, ...relay }) => ({
    ...relay,
    passContentTypes: [...relay.passContentTypes],
    key: keyOf(relay.destinationDomain),
    clientCertificate: clientCertificate?.fingerprint ?? null,
  }))
}

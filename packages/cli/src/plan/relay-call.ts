import type { ClientCertificateInput } from "@sealway/relay/files"
import { createRelay, deleteRelay, type Transport, updateRelay } from "@sealway/sdk/api"
import { jsonOf } from "../service/json-of.ts"
import { NEW_RELAY_OPTIONS, namedOptions, type RelayChange } from "./plan-relays.ts"

/**
 * Makes a change of relays.
 *
 * @param certificateOf returns the client certificate of a relay, by its key; null for none
 */
export function callForRelay(
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

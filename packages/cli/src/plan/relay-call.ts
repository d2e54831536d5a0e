import type { ClientCertificateInput } from "@sealway/relay/files"
import { jsonBody } from "../service/json-body.ts"
import type { Call } from "../service/service-client.ts"
import { NEW_RELAY_OPTIONS, namedOptions, type RelayChange } from "./plan-relays.ts"
import { RELAYS_PATH } from "./stored-relays.ts"

/**
 * Returns the call that makes a change of relays.
 *
 * @param certificateOf returns the client certificate of a relay, by its key; null for none
 */
export function relayCall(
  change: RelayChange,
  certificateOf: (key: string) => ClientCertificateInput | null,
): Call {
  if (change.action === "delete") return { method: "DELETE", path: [...RELAYS_PATH, change.id] }
  const { destinationDomain, routes, authentication, encryptEmptyStrings, leakWatch, key } = change.after
  const settings = { routes, authentication, encryptEmptyStrings, leakWatch, ...namedOptions(change.after) }
  if (change.action === "create") {
    const created = { destinationDomain, ...NEW_RELAY_OPTIONS, ...settings }
    const body = jsonBody({ ...created, clientCertificate: certificateOf(key) })
    return { method: "POST", path: RELAYS_PATH, body }
  }
  // An unchanged certificate is not sent: its key need not travel, nor be sealed again.
  const isChanged = change.fields.some(({ field }) => field === "clientCertificate")
  const body = jsonBody({ ...settings, ...(isChanged && { clientCertificate: certificateOf(key) }) })
  return { method: "PATCH", path: [...RELAYS_PATH, change.id], body }
}

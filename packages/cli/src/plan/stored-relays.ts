import { listRelays, type Transport } from "@sealway/sdk/api"
import type { StoredRelay } from "./plan-relays.ts"

/** Reads the app's relays from the service. @param keyOf returns a key that identifies a destination */
export async function readStoredRelays(
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

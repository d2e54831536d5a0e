import * as z from "zod"
import { listAll } from "../service/list-pages.ts"
import type { ServiceClient } from "../service/service-client.ts"
import type { StoredRelay } from "./plan-relays.ts"

export const RELAYS_PATH = ["relays"]

const storedRelaySchema = z.object({
  id: z.string(),
  destinationDomain: z.string(),
  routes: z.array(z.unknown()),
  authentication: z.enum(["api-key"]).nullable(),
  encryptEmptyStrings: z.boolean(),
  leakWatch: z.enum(["off", "alert", "block"]),
  caseSensitiveNames: z.boolean().default(false),
  unknownContentTypes: z.enum(["refuse", "pass"]).default("pass"),
  unencryptableErrors: z.enum(["refuse", "drop-body"]).default("refuse"),
  unmatched: z.enum(["refuse", "pass"]).default("pass"),
  passContentTypes: z.array(z.string()).default(["*"]),
  rewriteLocations: z.boolean().default(false),
  forwardedHeaders: z.enum(["off", "x-forwarded", "forwarded"]).default("off"),
  serverTiming: z.boolean().default(false),
  clientCertificate: z.object({ fingerprint: z.string() }).nullish(),
  warnings: z.array(z.object({ pointer: z.string(), detail: z.string() })).default([]),
})

/** Reads the app's relays from the service. @param keyOf returns a key that identifies a destination */
export async function readStoredRelays(
  service: ServiceClient,
  keyOf: (destinationDomain: string) => string,
): Promise<readonly StoredRelay[]> {
  const relays = await listAll(service, RELAYS_PATH, storedRelaySchema)
  return relays.map(({ clientCertificate, ...relay }) => ({
    ...relay,
    key: keyOf(relay.destinationDomain),
    clientCertificate: clientCertificate?.fingerprint ?? null,
  }))
}

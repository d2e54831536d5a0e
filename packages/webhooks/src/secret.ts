import { randomBytes } from "node:crypto"
import { type App, type Keyring, openBytes, sealBytes } from "@sealway/platform"
import type { SealedSecret } from "./webhook-endpoint.ts"

/** Standard Webhooks asks for 24 to 64. */
const SECRET_BYTES = 32
const PREFIX = "whsec_"

/** A new signing secret, `whsec_<base64>`, as Standard Webhooks writes it. */
export function generateSecret(): string {
  return PREFIX + randomBytes(SECRET_BYTES).toString("base64")
}

/**
 * Seals a secret with the app's newest keys, by `sealBytes`. It is bound to its place: moved to another endpoint or app,
 * it does not open.
 */
export async function sealSecret(
  keyring: Pick<Keyring, "newest">,
  app: App,
  endpointId: string,
  secret: string,
): Promise<SealedSecret> {
  const keys = await keyring.newest(app)
  const key = keys.deriveKey("webhook-secret")
  const sealed = sealBytes(key, Buffer.from(secret), placeOf(app, endpointId))
  return { keyVersion: keys.version, sealed, expiresAt: null }
}

/** @throws Error when it was not sealed for this endpoint with this app's keys */
export async function openSecret(
  keyring: Pick<Keyring, "open">,
  app: App,
  endpointId: string,
  { keyVersion, sealed }: SealedSecret,
): Promise<string> {
  const keys = await keyring.open(app, keyVersion)
  const secret = openBytes(keys.deriveKey("webhook-secret"), sealed, placeOf(app, endpointId))
  if (secret === null) throw new Error("The secret does not open")
  return secret.toString()
}

/** Ids hold no NUL, so no two places look alike. */
function placeOf(app: App, endpointId: string): Buffer {
  return Buffer.from(`${app.id}\0${endpointId}`)
}

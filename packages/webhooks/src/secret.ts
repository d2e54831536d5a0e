import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto"
import type { App, Keyring } from "@sealway/platform"
import type { SealedSecret } from "./webhook-endpoint.ts"

/** Standard Webhooks asks for 24 to 64. */
const SECRET_BYTES = 32
const PREFIX = "whsec_"

const ALGORITHM = "aes-256-gcm"
const IV_BYTES = 12
const TAG_BYTES = 16

/** A new signing secret, `whsec_<base64>`, as Standard Webhooks writes it. */
export function generateSecret(): string {
  return PREFIX + randomBytes(SECRET_BYTES).toString("base64")
}

/**
 * Seals a secret with the app's newest keys, by AES-256-GCM: IV (12 bytes), ciphertext, tag (16 bytes).
 * It is bound to its place: moved to another endpoint or app, it does not open.
 */
export async function sealSecret(
  keyring: Pick<Keyring, "newest">,
  app: App,
  endpointId: string,
  secret: string,
): Promise<SealedSecret> {
  const keys = await keyring.newest(app)
  const iv = randomBytes(IV_BYTES)
  const cipher = createCipheriv(ALGORITHM, keys.deriveKey("webhook-secret"), iv)
  cipher.setAAD(placeOf(app, endpointId))
  const sealed = Buffer.concat([iv, cipher.update(secret, "utf8"), cipher.final(), cipher.getAuthTag()])
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
  const decipher = createDecipheriv(
    ALGORITHM,
    keys.deriveKey("webhook-secret"),
    sealed.subarray(0, IV_BYTES),
    { authTagLength: TAG_BYTES },
  )
  decipher.setAAD(placeOf(app, endpointId)).setAuthTag(sealed.subarray(-TAG_BYTES))
  const text = [decipher.update(sealed.subarray(IV_BYTES, -TAG_BYTES)), decipher.final()]
  return Buffer.concat(text).toString("utf8")
}

/** Ids hold no NUL, so no two places look alike. */
function placeOf(app: App, endpointId: string): Buffer {
  return Buffer.from(`${app.id}\0${endpointId}`)
}

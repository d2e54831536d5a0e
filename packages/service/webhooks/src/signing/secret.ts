import type { App } from "@sealway/accounts"
import { type Keyring, openForApp, type SealedPlace, sealForApp } from "@sealway/keys"
import type { Draws } from "@sealway/ports"
import type { SealedSecret } from "../records/webhook-endpoint-table.ts"

/** Standard Webhooks requires 24 to 64. */
const SECRET_BYTES = 32
const PREFIX = "whsec_"

/** Generates a signing secret, `whsec_<base64>`, in the format of Standard Webhooks. */
export function generateSecret({ randomBytes }: Pick<Draws, "randomBytes">): string {
  return PREFIX + randomBytes(SECRET_BYTES).toString("base64")
}

/**
 * Seals a secret with the app's newest keys. It is bound to its place: moved to another endpoint or app,
 * it does not open.
 */
export async function sealSecret(
  keyring: Pick<Keyring, "newest">,
  app: App,
  endpointId: string,
  secret: string,
): Promise<SealedSecret> {
  const sealed = await sealForApp(keyring, placeOf(app, endpointId), Buffer.from(secret))
  return { ...sealed, expiresAt: null }
}

/** @throws Error when it was not sealed for this endpoint with this app's keys */
export async function openSecret(
  keyring: Pick<Keyring, "open">,
  app: App,
  endpointId: string,
  sealed: SealedSecret,
): Promise<string> {
  const secret = await openForApp(keyring, placeOf(app, endpointId), sealed)
  if (secret === null) throw new Error("The secret does not open")
  return secret.toString()
}

function placeOf(app: App, endpointId: string): SealedPlace {
  return { app, purpose: "webhook-secret", place: endpointId }
}

import { createHmac } from "node:crypto"
import type { App } from "@sealway/accounts"
import { equalInConstantTime } from "@sealway/kernel"
import type { Keyring } from "@sealway/keys"

/** The parts of a session's URLs. */
export interface SessionPlace {
  readonly serviceOrigin: string
  readonly appId: string
  readonly transactionId: string
}

/** Returns where the issuer's challenge page finally sends the browser. */
export const notificationUrl = ({ serviceOrigin, appId, transactionId }: SessionPlace): string =>
  `${serviceOrigin}/frontend/3ds/notifications/${appId}/${transactionId}`

/** Returns where the issuer's fingerprinting page finally sends the browser. */
export const fingerprintNotificationUrl = ({ serviceOrigin, appId, transactionId }: SessionPlace): string =>
  `${serviceOrigin}/frontend/3ds/fingerprints/${appId}/${transactionId}`

/** Returns where the directory server sends the results of a challenge. Browsers never learn it. */
export const resultsUrl = ({ serviceOrigin, appId, transactionId }: SessionPlace, proof: string): string =>
  `${serviceOrigin}/payments/3ds-results/${appId}/${transactionId}/${proof}`

/** Returns where a browser without an SDK opens a session. */
export const pageUrl = (serviceOrigin: string, token: string): string =>
  `${serviceOrigin}/frontend/3ds/pages/${token}`

/**
 * Returns the end of the URL for results: only the recipient of our request knows it.
 *
 * Uses the key of the app's first version, so that a rotation in between has no effect.
 */
export async function resultsProof(
  keyring: Pick<Keyring, "open">,
  app: App,
  transactionId: string,
): Promise<string> {
  const { deriveKey } = await keyring.open(app, 1, "secret")
  const mac = createHmac("sha256", deriveKey("three-d-secure-results"))
  return mac.update(transactionId.toLowerCase()).digest("base64url")
}

/** Compares in constant time. */
export async function isResultsProof(
  keyring: Pick<Keyring, "open">,
  app: App,
  transactionId: string,
  given: string,
): Promise<boolean> {
  return equalInConstantTime(given, await resultsProof(keyring, app, transactionId))
}

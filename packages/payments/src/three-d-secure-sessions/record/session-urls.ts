import { createHmac } from "node:crypto"
import { equalInConstantTime } from "@sealway/kernel"
import type { App, Keyring } from "@sealway/platform"

/** What URLs that a session hands out are made of. */
export interface SessionPlace {
  readonly serviceOrigin: string
  readonly appId: string
  readonly transactionId: string
}

/** Where the issuer's challenge page sends the browser at its end. */
export const notificationUrl = ({ serviceOrigin, appId, transactionId }: SessionPlace): string =>
  `${serviceOrigin}/frontend/3ds/notifications/${appId}/${transactionId}`

/** Where the issuer's fingerprinting page sends the browser at its end. */
export const fingerprintNotificationUrl = ({ serviceOrigin, appId, transactionId }: SessionPlace): string =>
  `${serviceOrigin}/frontend/3ds/fingerprints/${appId}/${transactionId}`

/** Where the directory server sends the results of a challenge. No browser is ever told. */
export const resultsUrl = ({ serviceOrigin, appId, transactionId }: SessionPlace, proof: string): string =>
  `${serviceOrigin}/payments/3ds-results/${appId}/${transactionId}/${proof}`

/** Where a browser without an SDK opens a session. */
export const pageUrl = (serviceOrigin: string, token: string): string =>
  `${serviceOrigin}/frontend/3ds/pages/${token}`

/**
 * What the URL for results ends with: only who was sent the request by us knows it.
 *
 * The key is that of the app's first version, so that a rotation in between changes nothing.
 */
export async function resultsProof(
  keyring: Pick<Keyring, "open">,
  app: App,
  transactionId: string,
): Promise<string> {
  const { deriveKey } = await keyring.open(app, 1)
  const mac = createHmac("sha256", deriveKey("three-d-secure-results"))
  return mac.update(transactionId.toLowerCase()).digest("base64url")
}

/** In constant time. */
export async function isResultsProof(
  keyring: Pick<Keyring, "open">,
  app: App,
  transactionId: string,
  given: string,
): Promise<boolean> {
  return equalInConstantTime(given, await resultsProof(keyring, app, transactionId))
}

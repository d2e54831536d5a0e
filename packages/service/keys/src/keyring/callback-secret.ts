import type { App } from "@sealway/accounts"
import type { SecretKeyVersion } from "./key-version.ts"
import type { Keyring } from "./keyring.ts"

/** How many versions of an app's keys sign callbacks at the same time. */
const MAX_SIGNING_VERSIONS = 5

/**
 * Returns the secret that signs an app's callbacks, `whsec_<base64>`. It changes only when the app's keys are rotated.
 */
export function callbackSecret(keys: Pick<SecretKeyVersion, "deriveKey">): string {
  return `whsec_${keys.deriveKey("callback-secret").toString("base64")}`
}

/**
 * Returns the secrets that sign: of the newest five versions of the app's keys, so that a rotation breaks no receiver.
 */
export async function callbackSecretsInForce(
  keyring: Pick<Keyring, "open" | "versions">,
  app: App,
): Promise<readonly string[]> {
  const versions = (await keyring.versions(app)).slice(0, MAX_SIGNING_VERSIONS)
  return Promise.all(
    versions.map(async (version) => callbackSecret(await keyring.open(app, version, "secret"))),
  )
}

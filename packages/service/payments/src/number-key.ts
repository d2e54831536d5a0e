import { createHmac } from "node:crypto"
import type { App } from "@sealway/accounts"
import type { Keyring } from "@sealway/keys"
import { fingerprintKey } from "@sealway/vault"

/**
 * Returns the key that a number is found by. It reveals nothing without the app's key.
 *
 * @param scope which records of the app the number is looked up in. Default: its cards
 */
export async function numberKeyOf(
  { keyring }: { readonly keyring: Pick<Keyring, "open"> },
  app: App,
  digits: string,
  scope = "payments-card",
): Promise<string> {
  const key = await fingerprintKey(keyring, app)
  return createHmac("sha256", key).update(`${scope}\0${digits}`).digest("base64url")
}

import type { App, Keyring } from "@sealway/platform"
import { InvalidTokenError, parseToken } from "@sealway/tokens"
import { createTokenOpener } from "@sealway/vault"

/**
 * Returns the digits of a number that is stored as a token, for a network that keeps the card up to date. No caller
 * receives them; for callers' requests see `cardNumberOf`, which asks the policies of the token's role.
 *
 * @throws Error when it is not a token of the app
 */
export async function openOwnNumber(keyring: Keyring, app: App, token: string): Promise<string> {
  const parsed = parseToken(token)
  if (parsed === null) throw new InvalidTokenError()
  return (await createTokenOpener(keyring, app).openToken(parsed)).value.toString()
}

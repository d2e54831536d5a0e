import type { App, Keyring } from "@sealway/platform"
import { InvalidTokenError, type OpenedValue, parseToken } from "@sealway/tokens"
import { createTokenOpener } from "@sealway/vault"

/**
 * Returns the digits of a number that is stored as a token, for a network that keeps the card up to date. No caller
 * receives them; for callers' requests see `cardNumberOf`, which asks the policies of the token's role.
 *
 * @throws Error when it is not a token of the app
 */
export async function openOwnNumber(keyring: Keyring, app: App, token: string): Promise<string> {
  return (await openOwn(keyring, app, token)).value.toString()
}

/**
 * Seals a number that has replaced a stored one with the data role of that one's token: whoever may not decrypt the old
 * number may not decrypt the new one.
 *
 * @throws Error when the stored number is not a token of the app
 */
export async function sealSuccessor(
  { keyring, wallClock }: { readonly keyring: Keyring; readonly wallClock: () => number },
  app: App,
  digits: string,
  replacedToken: string,
): Promise<string> {
  const { role } = await openOwn(keyring, app, replacedToken)
  const metadata = role === null ? undefined : { role, encryptedAt: Math.floor(wallClock() / 1000) }
  const { sealingKeys } = await keyring.newest(app, "public")
  return sealingKeys.current().seal("string", Buffer.from(digits), metadata)
}

async function openOwn(keyring: Keyring, app: App, token: string): Promise<OpenedValue> {
  const parsed = parseToken(token)
  if (parsed === null) throw new InvalidTokenError()
  const opened = await createTokenOpener(keyring, app).openToken(parsed)
  // A honey token is never stored: it is refused where a request sends it.
  if (opened.value === null) throw new InvalidTokenError()
  return opened
}

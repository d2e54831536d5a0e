import type { App } from "@sealway/accounts"
import type { Keyring } from "@sealway/keys"
import { InvalidTokenError, isOfSubject, type OpenedValue, parseToken, subjectIdOf } from "@sealway/tokens"
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
 * Seals a number that has replaced a stored one with the data role and the data subject of that one's token: whoever may
 * not decrypt the old number may not decrypt the new one.
 *
 * @throws Error when the stored number is not a token of the app
 */
export async function sealSuccessor(
  { keyring, wallClock }: { readonly keyring: Keyring; readonly wallClock: () => number },
  app: App,
  digits: string,
  replacedToken: string,
): Promise<string> {
  const { role, subjectId } = await openOwn(keyring, app, replacedToken)
  const metadata = role === null ? undefined : { role, encryptedAt: Math.floor(wallClock() / 1000) }
  const key =
    subjectId === null
      ? (await keyring.newest(app, "public")).sealingKeys.current()
      : (await keyring.subjects.open(app, subjectId)).createSealingKey()
  return key.seal("string", Buffer.from(digits), metadata)
}

/** A value, and the id of its data subject; null for none. */
interface OwnValue extends OpenedValue {
  readonly subjectId: string | null
}

async function openOwn(keyring: Keyring, app: App, token: string): Promise<OwnValue> {
  const parsed = parseToken(token)
  if (parsed === null) throw new InvalidTokenError()
  const opened = await createTokenOpener(keyring, app).openToken(parsed)
  // A honey token is never stored: it is refused where a request sends it.
  if (opened.value === null) throw new InvalidTokenError()
  return { ...opened, subjectId: isOfSubject(parsed) ? subjectIdOf(parsed) : null }
}

import type { App } from "@sealway/accounts"
import { invalidField } from "@sealway/kernel"
import type { Keyring } from "@sealway/keys"
import { InvalidTokenError, isOfSubject, type OpenedBy, type OpenedValue, parseToken } from "@sealway/tokens"
import { createTokenOpener, type HoneyValue, honeyForbidden, marksIn, unopenedValue } from "@sealway/vault"

/** The token that a honey token is made after. Only its key, type, role and length are used. */
export interface Pattern {
  readonly by: OpenedBy
  readonly opened: OpenedValue
  /** The IVs that honey tokens with its key may have, each of them once. */
  readonly marks: readonly Buffer[]
}

/**
 * Opens the pattern of a honey token.
 *
 * @throws InvalidRequestError when it is no token of the app
 * @throws DecryptionForbiddenError when it is a honey token
 */
export async function readPattern(
  keyring: Keyring,
  app: App,
  pointer: string,
  text: string,
): Promise<Pattern> {
  const { opened, ...pattern } = await open(keyring, app, pointer, text)
  if (opened.value !== null) return { ...pattern, opened }
  throw honeyForbidden(pointer, opened)
}

async function open(
  keyring: Keyring,
  app: App,
  pointer: string,
  text: string,
): Promise<Omit<Pattern, "opened"> & { readonly opened: OpenedValue | HoneyValue }> {
  let cause: unknown
  try {
    const token = parseToken(text)
    if (token !== null) {
      if (isOfSubject(token)) {
        throw invalidField(pointer, "A honey token cannot be like a value of a data subject.")
      }
      const opener = createTokenOpener(keyring, app)
      const opened = await opener.openToken(token)
      const { honeyMarks, ...key } = await opener.keyOf(token)
      return { by: { token, ...key }, opened, marks: marksIn(honeyMarks) }
    }
  } catch (error) {
    if (!(error instanceof InvalidTokenError)) throw error
    cause = error
  }
  throw unopenedValue(pointer, cause)
}

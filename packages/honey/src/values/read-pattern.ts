import { InvalidRequestError } from "@sealway/kernel"
import type { App, Keyring } from "@sealway/platform"
import { InvalidTokenError, type OpenedValue, parseToken } from "@sealway/tokens"
import { createTokenOpener, DecryptionForbiddenError, type HoneyValue, honeyRefusal } from "@sealway/vault"

/**
 * Opens the token that a honey token is made after. Only its type, role and length are used.
 *
 * @throws InvalidRequestError when it is no token of the app
 * @throws DecryptionForbiddenError when it is a honey token
 */
export async function readPattern(
  keyring: Keyring,
  app: App,
  pointer: string,
  text: string,
): Promise<OpenedValue> {
  const opened = await open(keyring, app, pointer, text)
  if (opened.value !== null) return opened
  throw new DecryptionForbiddenError(pointer, honeyRefusal(opened.role), [opened.mark])
}

async function open(
  keyring: Keyring,
  app: App,
  pointer: string,
  text: string,
): Promise<OpenedValue | HoneyValue> {
  try {
    const token = parseToken(text)
    if (token !== null) return await createTokenOpener(keyring, app).openToken(token)
  } catch (error) {
    if (!(error instanceof InvalidTokenError)) throw error
  }
  const reason = "The value cannot be decrypted."
  throw new InvalidRequestError(reason, { fields: [{ pointer, reason }] })
}

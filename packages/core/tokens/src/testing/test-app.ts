import { type ContentKey, candidateContentKeys, isAgreed, type SealedContent } from "../crypto/content-key.ts"
import type { Curve } from "../crypto/curve.ts"
import { createKeyAgreement, generatePrivateKey, type KeyAgreement } from "../crypto/key-agreement.ts"
import { openFile, parseFile } from "../files/open-file.ts"
import { parseToken } from "../format/parse-token.ts"
import { InvalidTokenError } from "../invalid-token-error.ts"
import { type OpenedValue, openToken } from "../values/open-token.ts"

/** An app's keys on both curves. */
export type TestApp = Readonly<Record<Curve, KeyAgreement>>

export function createTestApp(): TestApp {
  const create = (curve: Curve) => createKeyAgreement(curve, generatePrivateKey(curve))
  return { prime256v1: create("prime256v1"), secp256k1: create("secp256k1") }
}

/** Opens a token. Returns null when the text is data. */
export function openText(text: string, app: TestApp): OpenedValue | null {
  const token = parseToken(text)
  if (token === null) return null
  return tryKeys(token, app, (contentKey, { publicKey }) => openToken(token, contentKey, publicKey))
}

export function openBytes(bytes: Uint8Array, app: TestApp): Buffer {
  const file = parseFile(bytes)
  return tryKeys(file, app, (contentKey, { publicKey }) => openFile(file, contentKey, publicKey))
}

/** Tries every key that the service would try. */
function tryKeys<Opened>(
  sealed: SealedContent,
  app: TestApp,
  open: (contentKey: ContentKey, agreement: KeyAgreement) => Opened,
): Opened {
  if (!isAgreed(sealed)) throw new InvalidTokenError()
  const agreement = app[sealed.curve]
  const secret = agreement.sharedSecret(sealed.ephemeralPublicKey)
  for (const contentKey of candidateContentKeys(sealed, secret)) {
    try {
      return open(contentKey, agreement)
    } catch (error) {
      if (!(error instanceof InvalidTokenError)) throw error
    }
  }
  throw new InvalidTokenError()
}

import { deriveContentKey } from "../content-key.ts"
import type { Curve } from "../curve.ts"
import { createKeyAgreement, generatePrivateKey, type KeyAgreement } from "../key-agreement.ts"
import { openFile, parseFile } from "../open-file.ts"
import { type OpenedValue, openToken } from "../open-token.ts"
import { parseToken } from "../parse-token.ts"

/** An app's keys on both curves. */
export type TestApp = Readonly<Record<Curve, KeyAgreement>>

export function createTestApp(): TestApp {
  const create = (curve: Curve) => createKeyAgreement(curve, generatePrivateKey(curve))
  return { prime256v1: create("prime256v1"), secp256k1: create("secp256k1") }
}

/** Null when the text is data. */
export function openText(text: string, app: TestApp): OpenedValue | null {
  const token = parseToken(text)
  if (token === null) return null
  const { publicKey, sharedSecret } = app[token.curve]
  return openToken(token, deriveContentKey(token, sharedSecret(token.ephemeralPublicKey)), publicKey)
}

export function openBytes(bytes: Uint8Array, app: TestApp): Buffer {
  const file = parseFile(bytes)
  const { publicKey, sharedSecret } = app[file.curve]
  return openFile(file, deriveContentKey(file, sharedSecret(file.ephemeralPublicKey)), publicKey)
}

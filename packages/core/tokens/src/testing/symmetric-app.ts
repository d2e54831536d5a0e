import { randomBytes } from "node:crypto"
import symmetricVectors from "../../vectors/symmetric.json" with { type: "json" }
import { isSymmetric } from "../crypto/content-key.ts"
import { createKeyAgreement, generatePrivateKey } from "../crypto/key-agreement.ts"
import { openFile, parseFile } from "../files/open-file.ts"
import { parseToken } from "../format/parse-token.ts"
import { InvalidTokenError } from "../invalid-token-error.ts"
import { type OpenedValue, openToken } from "../values/open-token.ts"
import { createSymmetricKeys, type SymmetricKeys } from "../values/symmetric-keys.ts"

/** Tokens of `c3cx` and files of version 4 of an independent implementation. */
export { symmetricVectors }

/** A key version that seals symmetrically. */
export interface SymmetricApp {
  readonly appPublicKey: Uint8Array
  /** The keys of a version. All share one value key, as those of the vectors do. */
  version(keyVersion: number): SymmetricKeys
}

export interface SymmetricAppOptions {
  readonly valueKey?: Uint8Array
  readonly appPublicKey?: Uint8Array
  readonly debug?: boolean
}

export function createSymmetricApp({
  valueKey = randomBytes(32),
  appPublicKey = createKeyAgreement("prime256v1", generatePrivateKey("prime256v1")).publicKey,
  debug = false,
}: SymmetricAppOptions = {}): SymmetricApp {
  return {
    appPublicKey,
    version: (keyVersion) => createSymmetricKeys({ keyVersion, valueKey, appPublicKey, debug, now: () => 0 }),
  }
}

/** The app of the vectors. */
export const symmetricVectorApp = createSymmetricApp({
  valueKey: Buffer.from(symmetricVectors.valueKey, "hex"),
  appPublicKey: Buffer.from(symmetricVectors.appPublicKey, "hex"),
})

/** Opens a token with the key version that it names. Returns null when the text is data. */
export function openSymmetricText(
  text: string,
  app: SymmetricApp,
  versions: readonly number[],
): OpenedValue | null {
  const token = parseToken(text)
  if (token === null) return null
  if (!isSymmetric(token) || !versions.includes(token.keyVersion)) throw new InvalidTokenError()
  return openToken(token, app.version(token.keyVersion).contentKey(token), app.appPublicKey)
}

/** Opens a file with the key version that it names. */
export function openSymmetricBytes(
  bytes: Uint8Array,
  app: SymmetricApp,
  versions: readonly number[],
): Buffer {
  const file = parseFile(bytes)
  if (!isSymmetric(file) || !versions.includes(file.keyVersion)) throw new InvalidTokenError()
  return openFile(file, app.version(file.keyVersion).contentKey(file), app.appPublicKey)
}

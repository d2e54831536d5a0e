import type { ContentKey, SymmetricContent } from "../crypto/content-key.ts"
import { OneIv } from "../crypto/one-iv.ts"
import { COMPRESSED_POINT_BYTES, SCALAR_BYTES } from "../crypto/sizes.ts"
import { createKeySegment, createSymmetricDerivation } from "../crypto/symmetric-content-key.ts"
import { symmetricTokenForms } from "../format/token-form.ts"
import { InvalidTokenError } from "../invalid-token-error.ts"
import { createRenewingSource, type Renewal } from "./renewing-source.ts"
import { ContentSealingKey, type IvsOf, type SealingKey } from "./sealing-key.ts"
import type { SealingKeySource } from "./sealing-key-source.ts"

/** Seals and opens the symmetric values of one key version. */
export interface SymmetricKeys {
  /** Keys that seal as `c3cx`, and files as version 4. */
  readonly sealingKeys: SealingKeySource
  /**
   * Derives the key of a token's or a file's content.
   *
   * @throws InvalidTokenError when it names another key version
   */
  contentKey(sealed: SymmetricContent): ContentKey
  /** Creates a content key with a segment of its own, for one streaming file: see `startSymmetricStream`. */
  createContentKey(): SymmetricContentKey
}

/** What a streaming file is started with. */
export interface SymmetricContentKey {
  readonly keySegment: Uint8Array
  readonly contentKey: ContentKey
  /** The P-256 key of the key version, compressed, 33 bytes. */
  readonly appPublicKey: Uint8Array
  readonly debug: boolean
}

export interface SymmetricKeysOptions extends Renewal {
  /** 1 to 127. */
  readonly keyVersion: number
  /** The value key of the key version, 32 bytes. Whoever has it can open and forge all symmetric values of the version. */
  readonly valueKey: Uint8Array
  /** The P-256 key of the key version, compressed, 33 bytes. */
  readonly appPublicKey: Uint8Array
  /** True for sandbox apps. */
  readonly debug: boolean
}

/**
 * Prepares sealing and opening with the value key of a key version.
 *
 * @throws TypeError when the key version, or the length of a key, is wrong
 * @example
 * const keys = createSymmetricKeys({ keyVersion: 1, valueKey, appPublicKey, debug: false, now })
 * const text = keys.sealingKeys.current().seal("string", "4242424242424242", { role: "pci", encryptedAt: 1_795_000_000 })
 * const token = parseToken(text)
 * if (token !== null && isSymmetric(token)) openToken(token, keys.contentKey(token), appPublicKey)
 */
export function createSymmetricKeys(options: SymmetricKeysOptions): SymmetricKeys {
  const { keyVersion, debug, ...renewal } = options
  if (options.valueKey.length !== SCALAR_BYTES) throw new TypeError("The value key is not 32 bytes")
  if (options.appPublicKey.length !== COMPRESSED_POINT_BYTES) {
    throw new TypeError("The app's public key is not 33 bytes")
  }
  const deriveContentKey = createSymmetricDerivation(options.valueKey)
  const appPublicKey = Buffer.from(options.appPublicKey)

  function createKey(ivsOf?: IvsOf): SealingKey {
    const keySegment = createKeySegment(keyVersion)
    const contentKey = deriveContentKey(keySegment)
    const forms = symmetricTokenForms(debug, keySegment, appPublicKey)
    const ivs = ivsOf?.(keySegment)
    return new ContentSealingKey({ debug, keySegment, contentKey, forms, fileVersion: 4, appPublicKey, ivs })
  }

  return {
    sealingKeys: {
      ...createRenewingSource(() => createKey(), renewal),
      marked: (markOf) => createKey((keySegment) => new OneIv(markOf(keySegment))),
    },
    contentKey(sealed) {
      if (sealed.keyVersion !== keyVersion) throw new InvalidTokenError()
      return deriveContentKey(sealed.keySegment)
    },
    createContentKey() {
      const keySegment = createKeySegment(keyVersion)
      return { keySegment, contentKey: deriveContentKey(keySegment), appPublicKey, debug }
    },
  }
}

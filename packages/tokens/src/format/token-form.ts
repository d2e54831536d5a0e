import { CONFIGURED_DATA_BYTES, configurationByte, writeConfiguredData } from "./configuration.ts"
import { TOKEN_END, TOKEN_START } from "./token-grammar.ts"
import type { ValueType } from "./value-type.ts"

/** The parts of a type's tokens that do not change from value to value. */
export interface TokenForm {
  readonly prefix: string
  /** What the tag authenticates beside the content. */
  readonly additionalData: Uint8Array<ArrayBuffer>
}

/** What the tokens of one ephemeral key look like: `Tk9D` without metadata, `QkTC` with it. */
export interface TokenForms {
  readonly plain: Readonly<Record<ValueType, TokenForm>>
  readonly withMetadata: Readonly<Record<ValueType, TokenForm>>
}

/**
 * @param ephemeralPublicKey compressed, 33 bytes
 * @param appPublicKey the app's P-256 key, compressed, 33 bytes
 */
export function tokenForms(
  debug: boolean,
  ephemeralPublicKey: Uint8Array,
  appPublicKey: Uint8Array,
): TokenForms {
  const start = debug ? `${TOKEN_START}debug:` : TOKEN_START
  const marker = { string: "", number: "number:", boolean: "boolean:" } as const
  const appKey = Uint8Array.from(appPublicKey)
  const plain = (type: ValueType): TokenForm => ({
    prefix: `${start}Tk9D:${marker[type]}`,
    additionalData: appKey,
  })
  const withMetadata = (type: ValueType): TokenForm => ({
    prefix: `${start}QkTC:${marker[type]}`,
    additionalData: writeConfiguredData(
      new Uint8Array(CONFIGURED_DATA_BYTES),
      configurationByte(debug, type, 1),
      ephemeralPublicKey,
      appPublicKey,
    ),
  })
  const ofTypes = (form: (type: ValueType) => TokenForm) => ({
    string: form("string"),
    number: form("number"),
    boolean: form("boolean"),
  })
  return { plain: ofTypes(plain), withMetadata: ofTypes(withMetadata) }
}

/** Returns everything before the ciphertext of a token. The IV and the ephemeral key are in base64. */
export function startOfToken({ prefix }: TokenForm, iv: string, ephemeralPublicKey: string): string {
  return `${prefix}${iv}:${ephemeralPublicKey}:`
}

/** Returns a token. All parts are in base64 without padding; the ciphertext ends with the tag. */
export function writeToken(
  form: TokenForm,
  iv: string,
  ephemeralPublicKey: string,
  ciphertext: string,
): string {
  return `${startOfToken(form, iv, ephemeralPublicKey)}${ciphertext}${TOKEN_END}`
}

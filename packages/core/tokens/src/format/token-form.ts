import { configurationByte, configuredDataBytes, writeConfiguredData } from "./configuration.ts"
import { TOKEN_END, TOKEN_START } from "./token-grammar.ts"
import type { TokenVersionName } from "./token-version.ts"
import type { ValueType } from "./value-type.ts"

/** The parts of a type's tokens that do not change from value to value. */
export interface TokenForm {
  readonly prefix: string
  /** Whether metadata is sealed in front of the value. */
  readonly hasMetadata: boolean
  /** What the tag authenticates beside the content. */
  readonly additionalData: Uint8Array<ArrayBuffer>
}

type FormsByType = Readonly<Record<ValueType, TokenForm>>

/** What the tokens of one key look like. */
export interface TokenForms {
  /** Of values without a data role. */
  readonly plain: FormsByType
  /** Of values with one. */
  readonly withMetadata: FormsByType
}

/**
 * Returns the forms of an ephemeral key: `Tk9D` without metadata, `QkTC` with it.
 *
 * @param ephemeralPublicKey compressed, 33 bytes
 * @param appPublicKey the app's P-256 key, compressed, 33 bytes
 */
export function tokenForms(
  debug: boolean,
  ephemeralPublicKey: Uint8Array,
  appPublicKey: Uint8Array,
): TokenForms {
  const appKey = Uint8Array.from(appPublicKey)
  const plain = (type: ValueType): TokenForm => ({
    prefix: prefixOf(debug, "Tk9D", type),
    hasMetadata: false,
    additionalData: appKey,
  })
  return {
    plain: formsByType(plain),
    withMetadata: configuredForms({ name: "QkTC", number: 1 }, debug, ephemeralPublicKey, appPublicKey),
  }
}

/**
 * Returns the forms of a salt: `c3cx`, always with metadata.
 *
 * @param keySegment the key version and the salt, 33 bytes
 * @param appPublicKey the P-256 key of the key version, compressed, 33 bytes
 */
export function symmetricTokenForms(
  debug: boolean,
  keySegment: Uint8Array,
  appPublicKey: Uint8Array,
): TokenForms {
  const forms = configuredForms({ name: "c3cx", number: 2 }, debug, keySegment, appPublicKey)
  return { plain: forms, withMetadata: forms }
}

/**
 * Returns the forms of a salt of a data subject: `c3cy`, always with metadata.
 *
 * @param keySegment the id of the data subject and the salt, 33 bytes
 * @param appPublicKey the P-256 key that belongs to the data subject's key, compressed, 33 bytes
 */
export function subjectTokenForms(
  debug: boolean,
  keySegment: Uint8Array,
  appPublicKey: Uint8Array,
): TokenForms {
  const forms = configuredForms({ name: "c3cy", number: 3 }, debug, keySegment, appPublicKey)
  return { plain: forms, withMetadata: forms }
}

/**
 * Returns the forms of an ephemeral key for a data subject: `c3cz`, always with metadata.
 *
 * @param keySegment the id of the data subject and the ephemeral key, 49 bytes
 * @param publicKey the P-256 key of the data subject, compressed, 33 bytes
 */
export function agreedSubjectTokenForms(
  debug: boolean,
  keySegment: Uint8Array,
  publicKey: Uint8Array,
): TokenForms {
  const forms = configuredForms({ name: "c3cz", number: 4 }, debug, keySegment, publicKey)
  return { plain: forms, withMetadata: forms }
}

function configuredForms(
  version: { readonly name: TokenVersionName; readonly number: 1 | 2 | 3 | 4 },
  debug: boolean,
  keySegment: Uint8Array,
  publicKey: Uint8Array,
): FormsByType {
  return formsByType((type) => ({
    prefix: prefixOf(debug, version.name, type),
    hasMetadata: true,
    additionalData: writeConfiguredData(
      new Uint8Array(configuredDataBytes(keySegment)),
      configurationByte(debug, type, version.number),
      keySegment,
      publicKey,
    ),
  }))
}

function prefixOf(debug: boolean, version: TokenVersionName, type: ValueType): string {
  return `${TOKEN_START}${debug ? "debug:" : ""}${version}:${type === "string" ? "" : `${type}:`}`
}

function formsByType(form: (type: ValueType) => TokenForm): FormsByType {
  return { string: form("string"), number: form("number"), boolean: form("boolean") }
}

/** Returns a token. All parts are in base64 without padding; the ciphertext ends with the tag. */
export function writeToken(
  { prefix }: TokenForm,
  iv: string,
  keySegment: string,
  ciphertext: string,
): string {
  return `${prefix}${iv}:${keySegment}:${ciphertext}${TOKEN_END}`
}

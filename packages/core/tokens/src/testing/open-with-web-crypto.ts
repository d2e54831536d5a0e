import { deriveWebContentKey } from "../clients/web/ephemeral-key.ts"
import { COMPRESSED_POINT_BYTES, IV_BYTES } from "../crypto/sizes.ts"
import { FILE_CRC_BYTES, FILE_HEADER_BYTES, fileVersionOf } from "../files/file-layout.ts"
import { tokenForms } from "../format/token-form.ts"
import type { ValueType } from "../format/value-type.ts"

/** An app's P-256 key pair, as the vectors hold it. */
export interface P256KeyPair {
  readonly privateKeyHex: string
  readonly publicKeyCompressedBase64: string
  readonly publicKeyUncompressedBase64: string
}

/**
 * Opens a P-256 token with WebCrypto and what clients seal with, so that vectors of tokens check it on any runtime.
 *
 * @returns the text of the value, and the metadata in hexadecimal; null without metadata
 */
export async function openTokenWithWebCrypto(
  token: string,
  keys: P256KeyPair,
): Promise<{ readonly text: string; readonly metadataHex: string | null }> {
  const segments = token.split(":").slice(1, -1)
  const debug = segments[0] === "debug"
  const version = segments[debug ? 1 : 0]
  const [iv, ephemeralPublicKey, ciphertext] = segments.slice(-3).map(bytesOf) as [Bytes, Bytes, Bytes]
  const type = (segments.length - (debug ? 1 : 0) === 5 ? segments.at(-4) : "string") as ValueType
  const forms = tokenForms(debug, ephemeralPublicKey, bytesOf(keys.publicKeyCompressedBase64))
  const { additionalData } = (version === "QkTC" ? forms.withMetadata : forms.plain)[type]
  const plaintext = await decrypt({ iv, ephemeralPublicKey, ciphertext, additionalData }, keys)
  const metadataEnd = version === "QkTC" ? 2 + (plaintext[0] ?? 0) + 256 * (plaintext[1] ?? 0) : 0
  return {
    text: new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(plaintext.subarray(metadataEnd)),
    metadataHex: version === "QkTC" ? hexOf(plaintext.subarray(2, metadataEnd)) : null,
  }
}

/** Opens a file of version 3 with WebCrypto. */
export async function openFileWithWebCrypto(file: Bytes, keys: P256KeyPair): Promise<Bytes> {
  if (fileVersionOf(file) !== 3) throw new Error("Not a file")
  const keyAt = FILE_HEADER_BYTES - 1 - IV_BYTES - COMPRESSED_POINT_BYTES
  const ephemeralPublicKey = file.slice(keyAt, keyAt + COMPRESSED_POINT_BYTES)
  const iv = file.slice(keyAt + COMPRESSED_POINT_BYTES, FILE_HEADER_BYTES - 1)
  const ciphertext = file.slice(FILE_HEADER_BYTES, -FILE_CRC_BYTES)
  const additionalData = bytesOf(keys.publicKeyCompressedBase64)
  return decrypt({ iv, ephemeralPublicKey, ciphertext, additionalData }, keys)
}

type Bytes = Uint8Array<ArrayBuffer>

async function decrypt(
  sealed: Readonly<Record<"iv" | "ephemeralPublicKey" | "ciphertext" | "additionalData", Bytes>>,
  { privateKeyHex, publicKeyUncompressedBase64 }: P256KeyPair,
): Promise<Bytes> {
  const { subtle } = crypto
  const p256 = { name: "ECDH", namedCurve: "P-256" }
  const appPoint = bytesOf(publicKeyUncompressedBase64)
  const jwk = {
    kty: "EC",
    crv: "P-256",
    d: base64UrlOf(Uint8Array.from(privateKeyHex.match(/../g) ?? [], (byte) => Number.parseInt(byte, 16))),
    x: base64UrlOf(appPoint.slice(1, 33)),
    y: base64UrlOf(appPoint.slice(33)),
  }
  const privateKey = await subtle.importKey("jwk", jwk, p256, false, ["deriveBits"])
  const point = uncompress(sealed.ephemeralPublicKey)
  const ephemeral = await subtle.importKey("raw", point, p256, false, [])
  const secret = await subtle.deriveBits({ name: "ECDH", public: ephemeral }, privateKey, 256)
  const contentKey = await deriveWebContentKey(new Uint8Array(secret), point)
  const key = await subtle.importKey("raw", contentKey, "AES-GCM", false, ["decrypt"])
  const { iv, additionalData, ciphertext } = sealed
  return new Uint8Array(await subtle.decrypt({ name: "AES-GCM", iv, additionalData }, key, ciphertext))
}

const PRIME = 2n ** 256n - 2n ** 224n + 2n ** 192n + 2n ** 96n - 1n
const B = 0x5ac635d8aa3a93e7b3ebbd55769886bc651d06b0cc53b0f63bce3c3e27d2604bn

function uncompress(point: Bytes): Bytes {
  const x = BigInt(`0x${hexOf(point.slice(1))}`)
  const root = power((((x * x * x - 3n * x + B) % PRIME) + PRIME) % PRIME, (PRIME + 1n) / 4n)
  const y = (root & 1n) === BigInt((point[0] ?? 0) & 1) ? root : PRIME - root
  const hex = `04${hexOf(point.slice(1))}${y.toString(16).padStart(64, "0")}`
  return Uint8Array.from(hex.match(/../g) ?? [], (byte) => Number.parseInt(byte, 16))
}

function power(base: bigint, exponent: bigint): bigint {
  let result = 1n
  for (const bit of exponent.toString(2)) {
    result = (result * result) % PRIME
    if (bit === "1") result = (result * base) % PRIME
  }
  return result
}

export function bytesOf(base64: string): Bytes {
  return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))
}

function base64UrlOf(bytes: Bytes): string {
  return btoa(String.fromCharCode(...bytes))
    .replace(/=+$/, "")
    .replaceAll("+", "-")
    .replaceAll("/", "_")
}

function hexOf(bytes: Bytes): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("")
}

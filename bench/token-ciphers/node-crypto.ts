import {
  createCipheriv,
  createDecipheriv,
  createPublicKey,
  createSecretKey,
  diffieHellman,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
} from "node:crypto"
import type { DocumentCipher } from "./document-cipher.ts"

interface BareDocument {
  /** Compressed point, 33 bytes. */
  readonly ephemeralKey: Buffer
  readonly values: readonly { readonly iv: Buffer; readonly ciphertext: Buffer; readonly tag: Buffer }[]
}

const COMPRESSED_SPKI_PREFIX = Buffer.from("3039301306072a8648ce3d020106082a8648ce3d030107032200", "hex")
const OPTIONS = { authTagLength: 16 } as const
const ADDITIONAL_DATA = randomBytes(33)
const IV_BYTES = 12

/**
 * Creates the limit: AES-256-GCM in a loop after one ECDH, by the fastest calls that node:crypto has, all IVs drawn at
 * once. Has no key derivation, no base64 and no format, and checks only the tags.
 */
export function createNodeCryptoCipher(): DocumentCipher<BareDocument> {
  const recipient = generateKeyPairSync("ec", { namedCurve: "prime256v1" })
  return {
    name: "node:crypto alone, the limit",
    sampleSize: Number.POSITIVE_INFINITY,
    encrypt(values) {
      const ephemeral = generateKeyPairSync("ec", { namedCurve: "prime256v1" })
      const key = createSecretKey(
        diffieHellman({ privateKey: ephemeral.privateKey, publicKey: recipient.publicKey }),
      )
      return { ephemeralKey: compressedPoint(ephemeral.publicKey), values: encryptValues(key, values) }
    },
    decrypt({ ephemeralKey, values }) {
      const publicKey = createPublicKey(pem(ephemeralKey))
      const key = createSecretKey(diffieHellman({ privateKey: recipient.privateKey, publicKey }))
      return values.map(({ iv, ciphertext, tag }) => {
        const decipher = createDecipheriv("aes-256-gcm", key, iv, OPTIONS)
          .setAAD(ADDITIONAL_DATA)
          .setAuthTag(tag)
        const value = decipher.update(ciphertext)
        decipher.final()
        return value.toString()
      })
    },
  }
}

/** Creates the same limit with a key that it has already: AES-256-GCM alone. */
export function createNodeCryptoValueCipher(): Pick<DocumentCipher<unknown>, "encrypt"> {
  const key = createSecretKey(randomBytes(32))
  return { encrypt: (values) => encryptValues(key, values) }
}

function encryptValues(key: KeyObject, values: readonly string[]): BareDocument["values"] {
  const ivs = randomBytes(IV_BYTES * values.length)
  return values.map((value, index) => {
    const iv = ivs.subarray(index * IV_BYTES, (index + 1) * IV_BYTES)
    const cipher = createCipheriv("aes-256-gcm", key, iv, OPTIONS).setAAD(ADDITIONAL_DATA)
    const ciphertext = cipher.update(value, "utf8")
    cipher.final()
    return { iv, ciphertext, tag: cipher.getAuthTag() }
  })
}

function compressedPoint(key: KeyObject): Buffer {
  const { x = "", y = "" } = key.export({ format: "jwk" })
  const isOdd = (Buffer.from(y, "base64url").at(-1) ?? 0) & 1
  return Buffer.concat([Buffer.of(0x02 | isOdd), Buffer.from(x, "base64url")])
}

/** Returns PEM, which Node.js imports fastest. */
function pem(point: Buffer): string {
  const spki = Buffer.concat([COMPRESSED_SPKI_PREFIX, point]).toString("base64")
  return `-----BEGIN PUBLIC KEY-----\n${spki}\n-----END PUBLIC KEY-----`
}

import {
  createCipheriv,
  createDecipheriv,
  createPublicKey,
  createSecretKey,
  diffieHellman,
  ECDH,
  generateKeyPairSync,
  hash,
  type KeyObject,
  randomBytes,
} from "node:crypto"

interface Sealed {
  /** An ephemeral key, or a salt. */
  readonly segment: Buffer
  readonly iv: Buffer
  readonly ciphertext: Buffer
  readonly tag: Buffer
}

const OPTIONS = { authTagLength: 16 } as const
const ADDITIONAL_DATA = randomBytes(33)
const SPKI_PREFIX = Buffer.from("3059301306072a8648ce3d020106082a8648ce3d030107034200", "hex")

/**
 * Creates the limit of values that clients sealed: for each, the point that the format's key derivation needs, one ECDH and
 * AES-256-GCM, by the fastest calls that node:crypto has. Has no key derivation, no base64 and no format.
 */
export function createEcdhLimit(values: readonly string[]): () => readonly string[] {
  const recipient = generateKeyPairSync("ec", { namedCurve: "prime256v1" })
  const sealed = values.map((value) => {
    const ephemeral = generateKeyPairSync("ec", { namedCurve: "prime256v1" })
    const secret = diffieHellman({ privateKey: ephemeral.privateKey, publicKey: recipient.publicKey })
    const der = ephemeral.publicKey.export({ format: "der", type: "spki" })
    const point = ECDH.convertKey(der.subarray(-65), "prime256v1", undefined, undefined, "compressed")
    return seal(value, Buffer.from(point), createSecretKey(secret))
  })
  return () =>
    sealed.map((each) => {
      const point = ECDH.convertKey(each.segment, "prime256v1", undefined, undefined, "uncompressed")
      const publicKey = createPublicKey(pem(Buffer.from(point)))
      return open(each, createSecretKey(diffieHellman({ privateKey: recipient.privateKey, publicKey })))
    })
}

/** Creates the limit of values that the service sealed symmetrically: an HMAC and AES-256-GCM for each. */
export function createHmacLimit(values: readonly string[]): () => readonly string[] {
  // An HMAC is two digests, each of a padded key and what follows: this is faster than `createHmac`.
  const inner = randomBytes(64 + 33)
  const outer = randomBytes(64 + 32)
  const keyOf = (salt: Buffer) => {
    inner.set(salt, 64)
    outer.write(hash("sha256", inner, "binary"), 64, "binary")
    return createSecretKey(hash("sha256", outer, "buffer"))
  }
  const sealed = values.map((value) => {
    const salt = randomBytes(33)
    return seal(value, salt, keyOf(salt))
  })
  return () => sealed.map((each) => open(each, keyOf(each.segment)))
}

function seal(value: string, segment: Buffer, key: KeyObject): Sealed {
  const iv = randomBytes(12)
  const cipher = createCipheriv("aes-256-gcm", key, iv, OPTIONS).setAAD(ADDITIONAL_DATA)
  const ciphertext = cipher.update(value, "utf8")
  cipher.final()
  return { segment, iv, ciphertext, tag: cipher.getAuthTag() }
}

function open({ iv, ciphertext, tag }: Sealed, key: KeyObject): string {
  const decipher = createDecipheriv("aes-256-gcm", key, iv, OPTIONS).setAAD(ADDITIONAL_DATA).setAuthTag(tag)
  const value = decipher.update(ciphertext)
  decipher.final()
  return value.toString()
}

/** Returns PEM, which Node.js imports fastest. */
function pem(point: Buffer): string {
  const spki = Buffer.concat([SPKI_PREFIX, point]).toString("base64")
  return `-----BEGIN PUBLIC KEY-----\n${spki}\n-----END PUBLIC KEY-----`
}

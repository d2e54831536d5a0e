import { hkdfSync, randomBytes } from "node:crypto"
import type { DerivedKeyPart } from "@sealway/ports"
import { type Curve, createKeyAgreement, generatePrivateKey } from "@sealway/tokens"

/** Compressed points, 33 bytes. A key version in an HSM has no key on secp256k1. */
export interface PublicKeys extends Readonly<Record<Curve, Buffer | null>> {
  readonly prime256v1: Buffer
}

/** The private part of a key version, from which all other parts follow. */
export type PrivatePart = EnvelopePart | HsmPart

/** Private keys that KMS encrypts. */
export interface EnvelopePart {
  readonly custody: "envelope"
  /** Scalars, 32 bytes. */
  readonly privateKeys: Readonly<Record<Curve, Buffer>>
  /** 32 bytes. */
  readonly secret: Buffer
}

/** Names a private key that never leaves KMS. */
export interface HsmPart {
  readonly custody: "hsm"
  /** The id of the KMS key. */
  readonly keyId: string
  /** Its public key: compressed, 33 bytes. */
  readonly publicKey: Buffer
  /** 32 bytes. */
  readonly secret: Buffer
}

/** A part without private keys. */
export interface DerivedPart {
  readonly publicKeys: PublicKeys
  /** 32 bytes: the secret in the part `secret`, the key of values in the part `value`; empty in the part `public`. */
  readonly key: Buffer
}

const KEY_BYTES = 32
const POINT_BYTES = 33

/** The first byte of each part. The number of a private part is older than the others. */
const PRIVATE_FORMATS = { envelope: 1, hsm: 5 } as const
const FORMATS = { envelope: { public: 2, value: 3, secret: 4 }, hsm: { public: 6, secret: 7 } } as const

/** Generates a key version: format (1 byte), P-256 private key (32), secp256k1 private key (32), secret (32). */
export function generatePrivatePart(): Buffer {
  return Buffer.concat([
    Buffer.of(PRIVATE_FORMATS.envelope),
    generatePrivateKey("prime256v1"),
    generatePrivateKey("secp256k1"),
    randomBytes(KEY_BYTES),
  ])
}

/** Generates a key version in an HSM: format (1 byte), P-256 public key (33), secret (32), id of the KMS key. */
export function generateHsmPart({ keyId, publicKey }: Pick<HsmPart, "keyId" | "publicKey">): Buffer {
  const secret = randomBytes(KEY_BYTES)
  return Buffer.concat([Buffer.of(PRIVATE_FORMATS.hsm), publicKey, secret, Buffer.from(keyId)])
}

/** @throws Error when the bytes are not a private part */
export function decodePrivatePart(bytes: Uint8Array): PrivatePart {
  if (bytes[0] === PRIVATE_FORMATS.hsm) {
    const idBytes = bytes.length - 1 - POINT_BYTES - KEY_BYTES
    if (idBytes < 1) throw unknownFormat()
    const [publicKey, secret, keyId] = keysAfter(bytes, PRIVATE_FORMATS.hsm, [
      POINT_BYTES,
      KEY_BYTES,
      idBytes,
    ])
    return { custody: "hsm", keyId: keyId.toString(), publicKey, secret }
  }
  const sizes = [KEY_BYTES, KEY_BYTES, KEY_BYTES] as const
  const [prime256v1, secp256k1, secret] = keysAfter(bytes, PRIVATE_FORMATS.envelope, sizes)
  return { custody: "envelope", privateKeys: { prime256v1, secp256k1 }, secret }
}

/**
 * Derives another part from the private one: format (1 byte), P-256 public key (33), secp256k1 public key (33), and the
 * part's key (32), which the part `public` does not have. Without the second public key for a key version in an HSM.
 *
 * @throws TypeError for the part `value` of a key version in an HSM, which has none
 */
export function derivePart(part: DerivedKeyPart, content: PrivatePart): Buffer {
  if (content.custody === "hsm") {
    if (part === "value") throw new TypeError("A key version in an HSM has no part value")
    const key = part === "secret" ? [content.secret] : []
    return Buffer.concat([Buffer.of(FORMATS.hsm[part]), content.publicKey, ...key])
  }
  const points = (["prime256v1", "secp256k1"] as const).map(
    (curve) => createKeyAgreement(curve, content.privateKeys[curve]).publicKey,
  )
  const key = { public: [], value: [valueKeyOf(content)], secret: [content.secret] }[part]
  return Buffer.concat([Buffer.of(FORMATS.envelope[part]), ...points, ...key])
}

/** @throws Error when the bytes are not that part */
export function decodeDerivedPart(part: DerivedKeyPart, bytes: Uint8Array): DerivedPart {
  const keyBytes = part === "public" ? 0 : KEY_BYTES
  if (part !== "value" && bytes[0] === FORMATS.hsm[part]) {
    const [prime256v1, , key] = keysAfter(bytes, FORMATS.hsm[part], [POINT_BYTES, 0, keyBytes])
    return { publicKeys: { prime256v1, secp256k1: null }, key }
  }
  const sizes = [POINT_BYTES, POINT_BYTES, keyBytes] as const
  const [prime256v1, secp256k1, key] = keysAfter(bytes, FORMATS.envelope[part], sizes)
  return { publicKeys: { prime256v1, secp256k1 }, key }
}

/**
 * Derives the symmetric key of values, by HKDF-SHA-256 from the private keys and the secret together: it must not follow
 * from the part `secret`.
 */
export function valueKeyOf({ privateKeys, secret }: Pick<EnvelopePart, "privateKeys" | "secret">): Buffer {
  const input = Buffer.concat([privateKeys.prime256v1, privateKeys.secp256k1, secret])
  return Buffer.from(hkdfSync("sha256", input, "", "sealway/v1/value", KEY_BYTES))
}

type Three<Value> = readonly [Value, Value, Value]

function keysAfter(bytes: Uint8Array, format: number, [first, second, third]: Three<number>): Three<Buffer> {
  if (bytes.length !== 1 + first + second + third || bytes[0] !== format) {
    throw unknownFormat()
  }
  const slice = (start: number, length: number) => Buffer.from(bytes.subarray(start, start + length))
  return [slice(1, first), slice(1 + first, second), slice(1 + first + second, third)]
}

function unknownFormat(): Error {
  return new Error("The key version's part is not of a known format")
}

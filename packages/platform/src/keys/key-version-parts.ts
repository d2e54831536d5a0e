import { hkdfSync, randomBytes } from "node:crypto"
import { type Curve, createKeyAgreement, generatePrivateKey } from "@sealway/tokens"
import type { DerivedKeyPart } from "../stage/key-parts.ts"

/** Compressed points, 33 bytes. */
export type PublicKeys = Readonly<Record<Curve, Buffer>>

/** The private part of a key version, from which all other parts follow. */
export interface PrivatePart {
  /** Scalars, 32 bytes. */
  readonly privateKeys: Readonly<Record<Curve, Buffer>>
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
const PRIVATE_FORMAT = 1
const FORMATS = { public: 2, value: 3, secret: 4 } as const satisfies Record<DerivedKeyPart, number>

/** Generates a key version: format (1 byte), P-256 private key (32), secp256k1 private key (32), secret (32). */
export function generatePrivatePart(): Buffer {
  return Buffer.concat([
    Buffer.of(PRIVATE_FORMAT),
    generatePrivateKey("prime256v1"),
    generatePrivateKey("secp256k1"),
    randomBytes(KEY_BYTES),
  ])
}

/** @throws Error when the bytes are not a private part */
export function decodePrivatePart(bytes: Uint8Array): PrivatePart {
  const [prime256v1, secp256k1, secret] = keysAfter(bytes, PRIVATE_FORMAT, [KEY_BYTES, KEY_BYTES, KEY_BYTES])
  return { privateKeys: { prime256v1, secp256k1 }, secret }
}

/**
 * Derives another part from the private one: format (1 byte), P-256 public key (33), secp256k1 public key (33), and the
 * part's key (32), which the part `public` does not have.
 */
export function derivePart(part: DerivedKeyPart, { privateKeys, secret }: PrivatePart): Buffer {
  const points = (["prime256v1", "secp256k1"] as const).map(
    (curve) => createKeyAgreement(curve, privateKeys[curve]).publicKey,
  )
  const key = { public: [], value: [valueKeyOf({ privateKeys, secret })], secret: [secret] }[part]
  return Buffer.concat([Buffer.of(FORMATS[part]), ...points, ...key])
}

/** @throws Error when the bytes are not that part */
export function decodeDerivedPart(part: DerivedKeyPart, bytes: Uint8Array): DerivedPart {
  const keyBytes = part === "public" ? 0 : KEY_BYTES
  const [prime256v1, secp256k1, key] = keysAfter(bytes, FORMATS[part], [POINT_BYTES, POINT_BYTES, keyBytes])
  return { publicKeys: { prime256v1, secp256k1 }, key }
}

/**
 * Derives the symmetric key of values, by HKDF-SHA-256 from the private keys and the secret together: it must not follow
 * from the part `secret`.
 */
export function valueKeyOf({ privateKeys, secret }: PrivatePart): Buffer {
  const input = Buffer.concat([privateKeys.prime256v1, privateKeys.secp256k1, secret])
  return Buffer.from(hkdfSync("sha256", input, "", "sealway/v1/value", KEY_BYTES))
}

type Three<Value> = readonly [Value, Value, Value]

function keysAfter(bytes: Uint8Array, format: number, [first, second, third]: Three<number>): Three<Buffer> {
  if (bytes.length !== 1 + first + second + third || bytes[0] !== format) {
    throw new Error("The key version's part is not of a known format")
  }
  const slice = (start: number, length: number) => Buffer.from(bytes.subarray(start, start + length))
  return [slice(1, first), slice(1 + first, second), slice(1 + first + second, third)]
}

import type { KeyObject } from "node:crypto"
import { openBytes, SEAL_BYTES, sealBytes } from "@sealway/kernel"

const FORMAT_VERSION = 1
const HEADER_BYTES = 17

/** The part of a key that sealing needs. */
export interface SealingKey {
  /** A UUID. */
  readonly id: string
  /** 32 bytes. */
  readonly secret: KeyObject
}

/**
 * Encrypts into a blob that names its key: `version (1) | key id (16) | iv (12) | ciphertext | tag (16)`.
 * Version, key id and the encoded encryption context are authenticated.
 */
export function sealBlob(key: SealingKey, plaintext: Uint8Array, context: Uint8Array): Buffer {
  const header = Buffer.concat([Buffer.of(FORMAT_VERSION), uuidBytes(key.id)])
  return Buffer.concat([header, sealBytes(key.secret, plaintext, Buffer.concat([header, context]))])
}

/** Returns the id of the key that a blob names; null when it is not a blob. */
export function keyIdOfBlob(blob: Buffer): string | null {
  if (blob.length < HEADER_BYTES + SEAL_BYTES || blob[0] !== FORMAT_VERSION) return null
  return blob.toString("hex", 1, HEADER_BYTES).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5")
}

/** Returns null when the blob was changed, or sealed with another key or encryption context. */
export function openBlob(key: SealingKey, blob: Buffer, context: Uint8Array): Buffer | null {
  if (keyIdOfBlob(blob) !== key.id) return null
  const header = blob.subarray(0, HEADER_BYTES)
  return openBytes(key.secret, blob.subarray(HEADER_BYTES), Buffer.concat([header, context]))
}

function uuidBytes(uuid: string): Buffer {
  return Buffer.from(uuid.replaceAll("-", ""), "hex")
}

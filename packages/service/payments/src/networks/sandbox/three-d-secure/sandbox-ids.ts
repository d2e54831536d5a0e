import { createHmac } from "node:crypto"

const UUID_BYTES = 16
const AUTHENTICATION_VALUE_BYTES = 20
const CAPABILITY_BYTES = 24

/** The sandbox's made-up values for a transaction: always the same for one, and unpredictable without the app's key. */
export interface SandboxIds {
  readonly dsTransID: string
  readonly acsTransID: string
  /** Base64 of 20 bytes. */
  readonly authenticationValue: string
  /** The capability that opens the challenge page: 192 bits. */
  readonly capability: string
}

/** @param key the app's own key, 32 bytes */
export function sandboxIds(key: Uint8Array, threeDSServerTransID: string): SandboxIds {
  const bytes = (purpose: string, length: number) =>
    createHmac("sha256", key)
      .update(`sandbox-3ds\0${purpose}\0${threeDSServerTransID.toLowerCase()}`)
      .digest()
      .subarray(0, length)
  return {
    dsTransID: uuidOf(bytes("dsTransID", UUID_BYTES)),
    acsTransID: uuidOf(bytes("acsTransID", UUID_BYTES)),
    authenticationValue: bytes("authenticationValue", AUTHENTICATION_VALUE_BYTES).toString("base64"),
    capability: bytes("capability", CAPABILITY_BYTES).toString("base64url"),
  }
}

/** RFC 9562, version 8: custom bits. */
function uuidOf(bytes: Buffer): string {
  const own = Buffer.from(bytes)
  own.writeUInt8((own.readUInt8(6) & 0x0f) | 0x80, 6)
  own.writeUInt8((own.readUInt8(8) & 0x3f) | 0x80, 8)
  const hex = own.toString("hex")
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-")
}

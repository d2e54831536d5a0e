import { createCipheriv, createECDH, createHash, randomBytes } from "node:crypto"
import type { KeyDerivation } from "../crypto/content-key.ts"
import type { Curve } from "../crypto/curve.ts"
import type { TokenVersionName } from "../format/token-version.ts"
import { vectors } from "./vectors.ts"

/** Nothing is checked, because a client can write anything. */
export interface ClientValue {
  readonly version: TokenVersionName
  /** The app's key on the curve of the version, compressed. */
  readonly appPublicKey: Uint8Array
  readonly plaintext: string | Uint8Array
  /** The type segment, and the type in the configuration byte unless that is given. Absent for strings. */
  readonly type?: "number" | "boolean"
  readonly debug?: boolean
  readonly configurationByte?: number
  /** Default: the derivation of the version. */
  readonly derivation?: KeyDerivation
  /** MessagePack, for versions with metadata. Default: an empty map. */
  readonly metadata?: Uint8Array
}

const TYPE_BITS = { string: 0x00, number: 0x10, boolean: 0x20 } as const

/** Seals a value as a client of the format would, independently of the code under test. */
export function sealAsClient(value: ClientValue): string {
  const { version, appPublicKey, type, debug = false } = value
  const curve: Curve = version === "Tk9D" || version === "QkTC" ? "prime256v1" : "secp256k1"
  const ephemeral = createECDH(curve)
  const point = ephemeral.generateKeys()
  const ephemeralKey = ephemeral.getPublicKey(null, "compressed")
  const secret = ephemeral.computeSecret(appPublicKey)
  const derPrefix = Buffer.from(vectors.derPrefixes[curve], "hex")
  const kdfInput = Buffer.concat([secret, Buffer.of(0, 0, 0, 1), derPrefix, point])
  const derivation = value.derivation ?? (version === "RFVC" ? "none" : "x963")
  const key = derivation === "none" ? secret : createHash("sha256").update(kdfInput).digest()

  const hasMetadata = version === "QkTC" || version === "S0lS"
  const byte =
    value.configurationByte ?? (debug ? 0x80 : 0) | TYPE_BITS[type ?? "string"] | (version === "QkTC" ? 1 : 0)
  const metadata = Buffer.from(value.metadata ?? Buffer.of(0x80))
  const length = Buffer.of(metadata.length & 0xff, metadata.length >> 8)
  const plaintext = Buffer.from(value.plaintext)

  const iv = randomBytes(12)
  const cipher = createCipheriv("aes-256-gcm", key, iv)
  if (hasMetadata) cipher.setAAD(Buffer.concat([Buffer.of(byte), ephemeralKey, appPublicKey]))
  else if (version === "Tk9D") cipher.setAAD(appPublicKey)
  const ciphertext = Buffer.concat([
    cipher.update(hasMetadata ? Buffer.concat([length, metadata, plaintext]) : plaintext),
    cipher.final(),
    cipher.getAuthTag(),
  ])
  const segments = [iv, ephemeralKey, ciphertext].map((bytes) => bytes.toString("base64").replace(/=+$/, ""))
  return ["ev", ...(debug ? ["debug"] : []), version, ...(type ? [type] : []), ...segments, "$"].join(":")
}

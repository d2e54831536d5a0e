import { hkdfSync, type KeyObject } from "node:crypto"
import { SCALAR_BYTES } from "./sizes.ts"

const INFO = "sealway/v1/data-subject-agreement"
/** 128 bits more than the order has, so that no private key is noticeably likelier than another (FIPS 186-5, A.2.1). */
const WIDE_BYTES = 48
/** The order of P-256 (SP 800-186, section 3.2.1.3). */
const ORDER = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n

/**
 * Derives the P-256 private key of a data subject from its key: whoever destroys the one destroys both.
 *
 * @returns the scalar, 32 bytes, big-endian
 */
export function deriveSubjectPrivateKey(key: KeyObject): Buffer {
  const wide = Buffer.from(hkdfSync("sha256", key, "", INFO, WIDE_BYTES))
  const scalar = (BigInt(`0x${wide.toString("hex")}`) % (ORDER - 1n)) + 1n
  wide.fill(0)
  return Buffer.from(scalar.toString(16).padStart(2 * SCALAR_BYTES, "0"), "hex")
}

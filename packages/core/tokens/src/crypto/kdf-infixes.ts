/**
 * What X9.63 puts between the secret and the point: the block counter 00 00 00 01, and the DER in front of the
 * 65-byte point of a SubjectPublicKeyInfo whose curve is spelled out (X9.62 SpecifiedECDomain) instead of named:
 *
 *     SEQUENCE {
 *       SEQUENCE {
 *         OID 1.2.840.10045.2.1 (id-ecPublicKey)
 *         SEQUENCE {
 *           INTEGER 1
 *           SEQUENCE { OID 1.2.840.10045.1.1 (prime-field), INTEGER p }
 *           SEQUENCE { OCTET STRING a, OCTET STRING b, BIT STRING seed (P-256 only) }
 *           OCTET STRING generator (uncompressed)
 *           INTEGER order
 *           INTEGER 1 (cofactor)
 *         }
 *       }
 *       BIT STRING (the point follows)
 *     }
 */
export const KDF_INFIX_OF_P256 = /* @__PURE__ */ bytesOfHex(
  "00000001" +
    "3082014b3082010306072a8648ce3d02013081f7020101" +
    "302c06072a8648ce3d0101022100ffffffff00000001000000000000000000000000ffffffffffffffffffffffff" +
    "305b0420ffffffff00000001000000000000000000000000fffffffffffffffffffffffc" +
    "04205ac635d8aa3a93e7b3ebbd55769886bc651d06b0cc53b0f63bce3c3e27d2604b" +
    "031500c49d360886e704936a6678e1139d26b7819f7e90" +
    "0441046b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296" +
    "4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5" +
    "022100ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551" +
    "020101" +
    "034200",
)

/** The same for secp256k1. */
export const KDF_INFIX_OF_SECP256K1 = /* @__PURE__ */ bytesOfHex(
  "00000001" +
    "308201333081ec06072a8648ce3d02013081e0020101" +
    "302c06072a8648ce3d0101022100fffffffffffffffffffffffffffffffffffffffffffffffffffffffefffffc2f" +
    "304404200000000000000000000000000000000000000000000000000000000000000000" +
    "04200000000000000000000000000000000000000000000000000000000000000007" +
    "04410479be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798" +
    "483ada7726a3c4655da4fbfc0e1108a8fd17b448a68554199c47d08ffb10d4b8" +
    "022100fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141" +
    "020101" +
    "034200",
)

function bytesOfHex(hex: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(hex.match(/../g) ?? [], (byte) => Number.parseInt(byte, 16))
}

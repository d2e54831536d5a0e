import vectors from "../../vectors/tokens.json" with { type: "json" }
import type { Curve } from "../crypto/curve.ts"
import { createKeyAgreement, type KeyAgreement } from "../crypto/key-agreement.ts"

/** Tokens and files of an independent implementation, with the keys that they were sealed to. */
export { vectors }

/** The app that the vectors were sealed to. */
export const vectorApp: Readonly<Record<Curve, KeyAgreement>> = {
  prime256v1: createKeyAgreement("prime256v1", Buffer.from(vectors.keys.prime256v1.privateKeyHex, "hex")),
  secp256k1: createKeyAgreement("secp256k1", Buffer.from(vectors.keys.secp256k1.privateKeyHex, "hex")),
}

import { decode } from "cborg"
import { InvalidAttestationError } from "./invalid-attestation-error.ts"

/** How lengths may be written. `definite`: as RFC 8949, section 4.2.1, asks for deterministic encoding. */
export type CborLengths = "definite" | "any"

/**
 * Decodes one CBOR item (RFC 8949), without tags or `undefined`. Maps become `Map`s, so that a key is never taken for a
 * property; integers must be written in as few bytes as possible.
 *
 * @throws InvalidAttestationError when it is malformed, has a key twice, or bytes follow it
 */
export function readCbor(bytes: Uint8Array, lengths: CborLengths): unknown {
  try {
    return decode(bytes, {
      strict: true,
      useMaps: true,
      rejectDuplicateMapKeys: true,
      allowIndefinite: lengths === "any",
      allowUndefined: false,
      allowInfinity: false,
      allowNaN: false,
      allowBigInt: false,
    })
  } catch (cause) {
    throw new InvalidAttestationError({ cause })
  }
}

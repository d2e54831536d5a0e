import { createHmac } from "node:crypto"
import type { ParAnswer, ParRequest } from "../messages/par.ts"
import { outcomeOf } from "./outcome-of.ts"

const UNRESOLVED = "501"
/** In place of the assigner that a real reference names. */
const ASSIGNER = "SBOX"
const ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
const CHARACTERS = 25

/**
 * Returns a reference that is the same for the same number and key, and reveals nothing of the number without the key:
 * somebody will send a real number to a sandbox.
 *
 * @param key 32 bytes
 */
export function sandboxPar({ number }: ParRequest, key: Uint8Array): ParAnswer {
  if (outcomeOf(number) === UNRESOLVED) return { paymentAccountReference: null }
  const mac = createHmac("sha256", key).update(`sandbox-par\0${number}`).digest()
  const text = [...mac.subarray(0, CHARACTERS)].map((byte) => ALPHABET[byte & 31]).join("")
  return { paymentAccountReference: ASSIGNER + text }
}

import { Pace, type Work } from "@sealway/kernel"
import { UnreadableBodyError } from "../body/located-body.ts"
import type { EncryptedNames } from "./encrypted-names.ts"
import { decodePercentLoosely } from "./percent-encoding.ts"

/** As for forms. */
const MAX_FIELDS = 10_000
const FIELDS_PER_STEP = 256
/** Longer than any selector, percent-encoded. */
const MAX_NAME_BYTES = 8_192

const EQUALS = 0x3d
const AMPERSAND = 0x26
/** Older versions of Bottle read it like `&`. */
const SEMICOLON = 0x3b

/**
 * Refuses JSON or XML in which some reader finds an encrypted field of a form: Bottle's `request.forms` takes every body
 * that has no parts for an urlencoded form, and so finds one in any text `&card=4242&`.
 *
 * @throws UnreadableBodyError
 */
export function* refuseFieldsInDocument(bytes: Buffer, encrypted: EncryptedNames): Work<void> {
  const pace = new Pace(FIELDS_PER_STEP)
  let fields = 0
  for (const { start, end } of piecesOf(bytes)) {
    if (pace.isDue(end - start)) yield
    const equals = bytes.subarray(start, Math.min(end, start + MAX_NAME_BYTES)).indexOf(EQUALS)
    if (equals === -1) continue
    if (++fields > MAX_FIELDS) {
      throw new UnreadableBodyError("too-large", "The body could be read as a form with too many fields.")
    }
    const taken = encrypted.takenFor(decodePercentLoosely(bytes.subarray(start, start + equals)).toString())
    if (taken === null) continue
    throw new UnreadableBodyError(
      "malformed",
      `A text in the body could be read as the field \`${taken}\` by readers that take any body for a form: escape its \`&\`, \`;\` or \`=\`.`,
    )
  }
}

/** Yields what is between `&` and `;`. */
function* piecesOf(bytes: Buffer): Generator<{ readonly start: number; readonly end: number }, void, void> {
  const next = (byte: number, from: number) => {
    const at = bytes.indexOf(byte, from)
    return at === -1 ? bytes.length : at
  }
  let [ampersand, semicolon] = [next(AMPERSAND, 0), next(SEMICOLON, 0)]
  for (let start = 0; start < bytes.length; ) {
    const end = Math.min(ampersand, semicolon)
    yield { start, end }
    start = end + 1
    if (end === ampersand) ampersand = next(AMPERSAND, start)
    if (end === semicolon) semicolon = next(SEMICOLON, start)
  }
}

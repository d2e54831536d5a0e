import { isUtf8 } from "node:buffer"
import { type LocatedBody, type LocatedValue, UnreadableBodyError } from "../located-body.ts"
import { decodePercent, decodePercentLoosely, encodePercent } from "./percent-encoding.ts"
import { NO_SELECTORS, selectorsByName } from "./selectors-by-name.ts"

export interface UrlencodedLimits {
  /** Default: 10,000. */
  readonly maxFields: number
}

const AMPERSAND = 0x26
const EQUALS = 0x3d

/**
 * An `application/x-www-form-urlencoded` body in UTF-8: fields are split at each `&`, names from values at the first
 * `=`. Every field of a selected name is selected. A field without `=` has no value, and passes.
 *
 * Names are strict: one that is not percent-encoded UTF-8 reads differently elsewhere, so the body is refused.
 *
 * @throws UnreadableBodyError when a name cannot be read, or there are more fields than `maxFields`
 */
export function locateUrlencoded(
  bytes: Buffer,
  names: readonly string[],
  { maxFields = 10_000 }: Partial<UrlencodedLimits> = {},
): LocatedBody {
  const selectors = selectorsByName(names)
  const selected: LocatedValue[] = []
  const unselected: LocatedValue[] = []
  let fields = 0
  for (let start = 0; start < bytes.length; ) {
    const ampersand = bytes.indexOf(AMPERSAND, start)
    const end = ampersand === -1 ? bytes.length : ampersand
    if (end > start && ++fields > maxFields) {
      throw new UnreadableBodyError("too-large", "The form has too many fields.")
    }
    const field = bytes.subarray(start, end)
    const equals = field.indexOf(EQUALS)
    const name = readName(equals === -1 ? field : field.subarray(0, equals))
    if (equals !== -1) {
      const value: LocatedValue = {
        start: start + equals + 1,
        end,
        type: "string",
        selectors: selectors.get(name) ?? NO_SELECTORS,
      }
      if (value.selectors.length > 0) selected.push(value)
      else unselected.push(value)
    }
    start = end + 1
  }
  return {
    selected,
    unselected: () => unselected,
    text: ({ start, end }) => readText(bytes.subarray(start, end)),
    looseText: ({ start, end }) => decodePercentLoosely(bytes.subarray(start, end)),
    path: ({ start }) => readName(bytes.subarray(bytes.lastIndexOf(AMPERSAND, start - 1) + 1, start - 1)),
    write: (_value, _type, text) => encodePercent(text),
  }
}

function readName(encoded: Buffer): string {
  const decoded = decodePercent(encoded)
  if (decoded === null || !isUtf8(decoded)) throw malformed("A field's name is malformed.")
  return decoded.toString("utf8")
}

function readText(encoded: Buffer): Buffer {
  const decoded = decodePercent(encoded)
  if (decoded === null || !isUtf8(decoded)) throw malformed("A field's value is malformed.")
  return decoded
}

function malformed(detail: string): UnreadableBodyError {
  return new UnreadableBodyError("malformed", detail)
}

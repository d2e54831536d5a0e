import { isUtf8 } from "node:buffer"
import { scanJson } from "@sealway/kernel"
import { type ByteString, byteStringOf, bytesOf } from "./byte-string.ts"

const QUOTE = 0x22
const COMMA = 0x2c
const OPEN_BRACKET = 0x5b
const BACKSLASH = 0x5c
const CLOSE_BRACKET = 0x5d
const SPACE = 0x20
/** The array and its elements. */
const DEPTH = 1
const TOKEN_START = Buffer.from('"ev:')

/**
 * Values as a JSON array, with the position of each. It is both sent and received, so that values need no separate
 * strings.
 */
export interface ValuesDocument {
  readonly bytes: Buffer<ArrayBuffer>
  /** By value: its literal is the bytes `[start, end)`. */
  readonly starts: readonly number[]
  readonly ends: readonly number[]
}

export const NO_VALUES = valuesOf([])

export function valuesOf(literals: readonly ByteString[]): ValuesDocument {
  const starts: number[] = []
  const ends: number[] = []
  let at = 1
  for (const { length } of literals) {
    starts.push(at)
    ends.push(at + length)
    at += length + 1
  }
  return { bytes: bytesOf(`[${literals.join(",")}]`), starts, ends }
}

export function literalAt({ bytes, starts, ends }: ValuesDocument, index: number): ByteString {
  return byteStringOf(bytes, starts[index], ends[index])
}

export function literalsOf(values: ValuesDocument): readonly ByteString[] {
  return values.starts.map((_, index) => literalAt(values, index))
}

/** Returns the values from one index up to, but excluding, another. */
export function sliceValues(values: ValuesDocument, from: number, to: number): ValuesDocument {
  return valuesOf(literalsOf(values).slice(from, to))
}

/** Whether a value starts like a token. */
export function isLikeToken({ bytes, starts }: ValuesDocument, index: number): boolean {
  const start = starts[index] ?? 0
  for (const [at, byte] of TOKEN_START.entries()) if (bytes[start + at] !== byte) return false
  return true
}

/**
 * Reads a JSON array of scalars, digit for digit.
 *
 * @param count the required number
 * @returns null when the bytes are anything else
 */
export function readValues(bytes: Buffer<ArrayBuffer>, count: number): ValuesDocument | null {
  if (!isUtf8(bytes)) return null
  const values = readPlainStrings(bytes) ?? readScalars(bytes)
  return values !== null && values.starts.length === count ? values : null
}

/**
 * Reads the usual answer of the service in a third of the time for general JSON: strings without a backslash, and no
 * white space.
 *
 * @returns null when it is anything else, perhaps not even JSON
 */
function readPlainStrings(bytes: Buffer<ArrayBuffer>): ValuesDocument | null {
  const starts: number[] = []
  const ends: number[] = []
  const last = bytes.length - 1
  if (bytes[0] !== OPEN_BRACKET || bytes[last] !== CLOSE_BRACKET) return null
  for (let at = 1; ; at++) {
    if (bytes[at] !== QUOTE) return null
    starts.push(at)
    // An unterminated string ends at the end of the bytes, where there is a bracket and no quote.
    let byte = bytes[++at] ?? 0
    while (byte !== QUOTE && byte !== BACKSLASH && byte >= SPACE) byte = bytes[++at] ?? 0
    if (byte !== QUOTE) return null
    ends.push(++at)
    if (at === last) return { bytes, starts, ends }
    if (bytes[at] !== COMMA) return null
  }
}

function readScalars(bytes: Buffer<ArrayBuffer>): ValuesDocument | null {
  const starts: number[] = []
  const ends: number[] = []
  let isArray = false
  try {
    scanJson(
      bytes,
      {
        open(container) {
          isArray = container === "array"
        },
        close: () => undefined,
        key: () => undefined,
        scalar(_kind, start, end) {
          starts.push(start)
          ends.push(end)
        },
      },
      DEPTH,
    )
  } catch {
    return null
  }
  return isArray ? { bytes, starts, ends } : null
}

import { isUtf8 } from "node:buffer"
import { scanJson } from "@sealway/kernel"
import { type ByteString, byteStringOf, bytesOf } from "./byte-string.ts"

/** The array and what is in it. */
const DEPTH = 1

/** Values as a JSON array. */
export function writeValues(literals: readonly ByteString[]): Buffer<ArrayBuffer> {
  return bytesOf(`[${literals.join(",")}]`)
}

/**
 * The literals of a JSON array, digit for digit.
 *
 * @param count how many there must be
 * @returns null when the bytes are anything else
 */
export function readValues(bytes: Buffer, count: number): readonly ByteString[] | null {
  if (!isUtf8(bytes)) return null
  const text = byteStringOf(bytes)
  const literals: ByteString[] = []
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
        scalar: (_kind, start, end) => void literals.push(text.slice(start, end)),
      },
      DEPTH,
    )
  } catch {
    return null
  }
  return isArray && literals.length === count ? literals : null
}

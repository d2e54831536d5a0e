import type { Work } from "../work/work.ts"

const QUOTE = 0x22
const COMMA = 0x2c
const OPEN_BRACKET = 0x5b
const BACKSLASH = 0x5c
const OPEN_BRACE = 0x7b

const BYTES_PER_STEP = 65_536

/**
 * Counts the values of a JSON text without reading it: commas and opening brackets outside strings. Each item of a list
 * and each field counts as one, and an empty list or object as one more. To weigh a text before anything is made of it.
 */
export function* countJsonItems(bytes: Uint8Array): Work<number> {
  let items = 0
  let isInString = false
  let stepEnd = BYTES_PER_STEP
  for (let at = 0; at < bytes.length; at++) {
    if (at >= stepEnd) {
      stepEnd = at + BYTES_PER_STEP
      yield
    }
    const byte = bytes[at]
    if (byte === QUOTE) isInString = !isInString
    else if (isInString) {
      if (byte === BACKSLASH) at++
    } else if (byte === COMMA || byte === OPEN_BRACKET || byte === OPEN_BRACE) items++
  }
  return items
}

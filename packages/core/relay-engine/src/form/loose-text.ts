import { decodeBase64InSteps, joinChunksInSteps, Pace, type Work } from "@sealway/kernel"
import type { PartHints } from "./part-head.ts"
import { hexDigit } from "./percent-encoding.ts"

const BYTES_PER_STEP = 65_536

const NUL = 0x00
const CR = 0x0d
const LF = 0x0a
const EQUALS = 0x3d
const LINE_FEED = Buffer.from("\n")

/**
 * Yields the bytes of a field, and then what they mean to parsers that decode its transfer encoding (Django, Go,
 * Python's email) or read it as UTF-16: for inspection only, never for writing. In steps.
 */
export function* looseText(content: Buffer, { transferEncoding, charset }: PartHints): Work<Buffer> {
  const decoded = yield* charset?.startsWith("utf-16")
    ? withoutZeros(content)
    : decodeTransfer(content, transferEncoding)
  return decoded.equals(content) ? content : yield* joinChunksInSteps([content, LINE_FEED, decoded])
}

function* withoutZeros(content: Buffer): Work<Buffer> {
  const kept = Buffer.allocUnsafe(content.length)
  let length = 0
  const pace = new Pace(BYTES_PER_STEP)
  for (let at = 0; at < content.length; at++) {
    if (pace.isDue()) yield
    const byte = content[at] ?? NUL
    if (byte !== NUL) kept[length++] = byte
  }
  return kept.subarray(0, length)
}

function* decodeTransfer(content: Buffer, encoding: string): Work<Buffer> {
  switch (encoding) {
    case "base64":
      return yield* decodeBase64InSteps(content.toString("latin1"))
    case "quoted-printable":
      return yield* decodeQuoted(yield* joinLines(content))
    default:
      return content
  }
}

/** Removes the `=` at the end of a line, which continues the line. */
function* joinLines(content: Buffer): Work<Buffer> {
  const joined = Buffer.allocUnsafe(content.length)
  let length = 0
  const pace = new Pace(BYTES_PER_STEP)
  for (let at = 0; at < content.length; at++) {
    if (pace.isDue()) yield
    const byte = content[at] ?? NUL
    if (byte === EQUALS && content[at + 1] === LF) at++
    else if (byte === EQUALS && content[at + 1] === CR && content[at + 2] === LF) at += 2
    else joined[length++] = byte
  }
  return joined.subarray(0, length)
}

function* decodeQuoted(content: Buffer): Work<Buffer> {
  const decoded = Buffer.allocUnsafe(content.length)
  let length = 0
  const pace = new Pace(BYTES_PER_STEP)
  for (let at = 0; at < content.length; at++) {
    if (pace.isDue()) yield
    const byte = content[at] ?? NUL
    const high = byte === EQUALS ? hexDigit(content[at + 1]) : -1
    const low = high === -1 ? -1 : hexDigit(content[at + 2])
    if (low !== -1) at += 2
    decoded[length++] = low === -1 ? byte : high * 16 + low
  }
  return decoded.subarray(0, length)
}

import type { Work } from "@sealway/kernel"

const AMPERSAND = 0x26
const HASH = 0x23
const SEMICOLON = 0x3b
const LOWER_X = 0x78
const LT = 0x3c
const TAB = 0x09
const LINE_FEED = 0x0a
const CARRIAGE_RETURN = 0x0d
const SPACE = 0x20
const LAST_ASCII = 0x7f

const CDATA_START_BYTES = "<![CDATA[".length
const CDATA_END = "]]>"

/** The entities that need no declaration (XML 1.0, section 4.6). All others would need a DOCTYPE. */
const ENTITIES = [
  { spelling: "amp;", character: AMPERSAND },
  { spelling: "lt;", character: LT },
  { spelling: "gt;", character: 0x3e },
  { spelling: "quot;", character: 0x22 },
  { spelling: "apos;", character: 0x27 },
] as const

/**
 * Returns the position after a reference that starts with `&` at a position; -1 when it is invalid, or refers to
 * nothing.
 */
export function endOfReference(bytes: Buffer, start: number): number {
  if (bytes[start] !== AMPERSAND) return -1
  if (bytes[start + 1] === HASH) return endOfCharacterReference(bytes, start + 2)
  const entity = entityAt(bytes, start + 1)
  return entity === undefined ? -1 : start + 1 + entity.spelling.length
}

function entityAt(bytes: Buffer, start: number): (typeof ENTITIES)[number] | undefined {
  for (const entity of ENTITIES) if (isAt(bytes, start, entity.spelling)) return entity
  return undefined
}

function isAt(bytes: Buffer, start: number, text: string): boolean {
  for (let index = 0; index < text.length; index++) {
    if (bytes[start + index] !== text.charCodeAt(index)) return false
  }
  return true
}

function endOfCharacterReference(bytes: Buffer, start: number): number {
  const isHex = bytes[start] === LOWER_X
  const first = isHex ? start + 1 : start
  let at = first
  for (; bytes[at] !== SEMICOLON; at++) if (digitOf(bytes[at], isHex ? 16 : 10) === -1) return -1
  return at > first && isCharacter(codeOf(bytes, start)) ? at + 1 : -1
}

/** Returns the code of a character reference, starting after its `&#`. */
function codeOf(bytes: Buffer, start: number): number {
  const isHex = bytes[start] === LOWER_X
  const base = isHex ? 16 : 10
  let code = 0
  for (let at = isHex ? start + 1 : start; bytes[at] !== SEMICOLON; at++) {
    // Stays beyond all characters, however long it is.
    code = Math.min(code * base + digitOf(bytes[at], base), 0x110000)
  }
  return code
}

function digitOf(byte: number | undefined, base: 10 | 16): number {
  if (byte === undefined) return -1
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30
  const lower = byte | 0x20
  return base === 16 && lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : -1
}

/** XML 1.0, production 2. */
function isCharacter(code: number): boolean {
  if (code < 0x20) return code === 0x09 || code === 0x0a || code === 0x0d
  return code <= 0xd7ff || (code >= 0xe000 && code <= 0xfffd) || (code >= 0x10000 && code <= 0x10ffff)
}

const BYTES_PER_STEP = 65_536

/**
 * Decodes well-formed text, including CDATA sections in it; line ends become LF (XML 1.0, section 2.11). In steps.
 *
 * @param startsInCdata whether it starts, and so ends, in a section
 */
export function* decodeText(raw: Buffer, startsInCdata: boolean): Work<Buffer> {
  const decoded = new Decoded(raw)
  /** Where the current section ends; -1 outside sections. */
  let cdataEnd = startsInCdata ? decoded.endOfCdata(0) : -1
  let stepEnd = BYTES_PER_STEP
  for (let at = 0; at < raw.length; ) {
    if (at >= stepEnd) {
      stepEnd = at + BYTES_PER_STEP
      yield
    }
    const byte = raw[at] ?? 0
    if (at === cdataEnd) {
      at += CDATA_END.length
      cdataEnd = -1
    } else if (byte === CARRIAGE_RETURN) at = decoded.addLineEnd(at, LINE_FEED)
    else if (cdataEnd !== -1) at = decoded.add(at, byte)
    else if (byte === AMPERSAND) at = decoded.addReference(at)
    else if (byte === LT) {
      at += CDATA_START_BYTES
      cdataEnd = decoded.endOfCdata(at)
    } else at = decoded.add(at, byte)
  }
  return decoded.bytes()
}

/** Decodes a well-formed attribute: line ends and tabs become spaces (XML 1.0, section 3.3.3). In steps. */
export function* decodeAttribute(raw: Buffer): Work<Buffer> {
  const decoded = new Decoded(raw)
  let stepEnd = BYTES_PER_STEP
  for (let at = 0; at < raw.length; ) {
    if (at >= stepEnd) {
      stepEnd = at + BYTES_PER_STEP
      yield
    }
    const byte = raw[at] ?? 0
    if (byte === AMPERSAND) at = decoded.addReference(at)
    else if (byte === CARRIAGE_RETURN) at = decoded.addLineEnd(at, SPACE)
    else at = decoded.add(at, byte === TAB || byte === LINE_FEED ? SPACE : byte)
  }
  return decoded.bytes()
}

/** Bytes that are decoded one after another, into no more than there were. */
class Decoded {
  readonly #raw: Buffer
  readonly #bytes: Buffer
  #length = 0

  constructor(raw: Buffer) {
    this.#raw = raw
    this.#bytes = Buffer.allocUnsafe(raw.length)
  }

  /** Replaces one byte by another. @returns the position after it, as all of these methods do */
  add(at: number, byte: number): number {
    this.#bytes[this.#length++] = byte
    return at + 1
  }

  /** Returns where the section at a position ends. */
  endOfCdata(from: number): number {
    const end = this.#raw.indexOf(CDATA_END, from, "latin1")
    return end === -1 ? this.#raw.length : end
  }

  /** Adds a reference found by `endOfReference`. */
  addReference(start: number): number {
    const entity = entityAt(this.#raw, start + 1)
    if (entity !== undefined) {
      this.add(start, entity.character)
      return start + 1 + entity.spelling.length
    }
    const code = codeOf(this.#raw, start + 2)
    if (code <= LAST_ASCII) this.add(start, code)
    else this.#length += this.#bytes.write(String.fromCodePoint(code), this.#length)
    return endOfReference(this.#raw, start)
  }

  /** Adds a CR, or a CR and an LF. */
  addLineEnd(start: number, byte: number): number {
    this.add(start, byte)
    return this.#raw[start + 1] === LINE_FEED ? start + 2 : start + 1
  }

  bytes(): Buffer {
    return this.#bytes.subarray(0, this.#length)
  }
}

import { UnreadableBodyError } from "../body/located-body.ts"
import { ByteQueue } from "./byte-queue.ts"
import { DEFAULT_MULTIPART_LIMITS, type MultipartLimits } from "./multipart-limits.ts"
import { type PartHead, readPartHead } from "./part-head.ts"

/** A multipart body in pieces: the `bytes` of all events in order are the body. */
export type MultipartEvent =
  /** Boundaries, headers of parts, and what comes before the first part and after the last. */
  | { readonly kind: "frame"; readonly bytes: Buffer }
  | { readonly kind: "head"; readonly head: PartHead }
  /** Content of the part whose head came last; none to many per part. */
  | { readonly kind: "content"; readonly bytes: Buffer }
  | { readonly kind: "end-of-part" }

const CR = 0x0d
const LF = 0x0a
const DASH = 0x2d
const END_OF_HEAD = Buffer.from("\r\n\r\n", "latin1")

/** Returns the bytes that introduce a boundary in a body: `--` and the boundary, without the line break before it. */
export function delimiterOf(boundary: string): Buffer {
  return Buffer.from(`--${boundary}`, "latin1")
}

/**
 * Splits a multipart body (RFC 2046 section 5.1), however its bytes arrive, and holds no more of it than a part's
 * headers.
 *
 * Parsers differ about where a part starts and ends. A body is refused when the bytes of a boundary are anywhere but on
 * a separate line between two parts, and when something before or after the parts could be one:
 *
 * | parser | sees |
 * |---|---|
 * | Django | a boundary within a line, in `1--B`, `---B` and `--B2` too |
 * | Tomcat (Spring), Flask | the same before the first part |
 * | Django | parts before the first boundary and after the last, if there is an empty line |
 * | PHP | parts after the last boundary, if there is another one; a boundary after a lone LF |
 * | Flask | a boundary after a lone CR or LF, and one followed by blanks |
 * | Go, Python | a boundary directly after the headers, whose empty line they read as its line break |
 * | Go | a boundary that ends in a lone LF, and then all others |
 * | most | the last part of a body without its last boundary; busboy (multer) and Go refuse it, late |
 */
export class MultipartScanner {
  readonly #delimiter: Buffer
  readonly #limits: MultipartLimits
  readonly #queue = new ByteQueue()
  #state: "preamble" | "head" | "content" | "epilogue" = "preamble"
  /** How many queued bytes are known to contain no start of a delimiter or of the end of headers. */
  #searched = 0
  #isFile = false
  #parts = 0
  #fileBytes = 0
  #otherBytes = 0

  constructor(boundary: string, limits: Partial<MultipartLimits> = {}) {
    this.#delimiter = delimiterOf(boundary)
    this.#limits = { ...DEFAULT_MULTIPART_LIMITS, ...limits }
  }

  /** @throws UnreadableBodyError */
  push(chunk: Buffer): readonly MultipartEvent[] {
    const events: MultipartEvent[] = []
    this.#releaseTail(chunk, events)
    this.#queue.append(chunk)
    while (this.#step(events)) {
      // Until there are too few bytes to classify.
    }
    return events
  }

  /** @throws UnreadableBodyError when the body is incomplete */
  finish(): readonly MultipartEvent[] {
    if (this.#state !== "epilogue") throw malformed("The multipart body ends too early.")
    const { bytes } = this.#queue
    if (bytes.length > 0 && !(bytes[0] === CR && bytes[1] === LF)) throw malformedBoundary()
    requireNoPart(bytes)
    return bytes.length === 0 ? [] : [this.#frame(bytes.length)]
  }

  /**
   * Emits withheld content when the next chunk shows that no delimiter starts there, so that the chunk need not be
   * appended to it.
   */
  #releaseTail(chunk: Buffer, events: MultipartEvent[]): void {
    const { bytes } = this.#queue
    if (this.#state !== "content" || bytes.length === 0) return
    // One more than a delimiter: one that starts at the chunk's second byte has half its line break in the tail.
    const next = chunk.subarray(0, this.#delimiter.length + 1)
    if (next.length <= this.#delimiter.length || Buffer.concat([bytes, next]).includes(this.#delimiter))
      return
    this.#giveContent(events, bytes.length)
  }

  #step(events: MultipartEvent[]): boolean {
    switch (this.#state) {
      case "preamble":
        return this.#readPreamble(events)
      case "head":
        return this.#readHead(events)
      case "content":
        return this.#readContent(events)
      case "epilogue":
        return this.#readEpilogue()
    }
  }

  #readPreamble(events: MultipartEvent[]): boolean {
    const at = this.#find(this.#delimiter)
    this.#requireWithin(at === -1 ? this.#searched : at)
    if (at === -1) return false
    if (at > 0) this.#requireLineStart(at)
    const preamble = this.#queue.bytes.subarray(0, at)
    requireNoPart(preamble)
    if (!this.#limits.allowsPreamble && hasText(preamble)) {
      throw malformed("The multipart body has text before its parts that could be read as JSON or XML.")
    }
    return this.#readDelimiter(events, at, 0)
  }

  #readHead(events: MultipartEvent[]): boolean {
    const { bytes } = this.#queue
    const at = this.#find(END_OF_HEAD)
    this.#requireWithin(at === -1 ? this.#searched : at)
    if (at === -1) return false
    const lines = bytes.subarray(0, at)
    if (lines.includes(this.#delimiter)) throw malformedBoundary()
    const head = readPartHead(lines)
    if (++this.#parts > this.#limits.maxParts) throw tooLarge("The multipart body has too many parts.")
    events.push(this.#frame(at + END_OF_HEAD.length), { kind: "head", head })
    this.#isFile = head.filename !== null
    this.#fileBytes = 0
    this.#state = "content"
    return true
  }

  #readContent(events: MultipartEvent[]): boolean {
    const at = this.#find(this.#delimiter)
    if (at === -1) {
      // The last bytes may be the start of a delimiter, or the line break before one.
      this.#giveContent(events, this.#queue.bytes.length - this.#delimiter.length - 1)
      return false
    }
    this.#requireLineStart(at)
    return this.#readDelimiter(events, at, at - 2)
  }

  #readEpilogue(): boolean {
    if (this.#find(this.#delimiter) !== -1) throw malformedBoundary()
    this.#requireWithin(this.#queue.bytes.length)
    return false
  }

  /** @param frameStart where the line break before the delimiter starts: everything before is content */
  #readDelimiter(events: MultipartEvent[], at: number, frameStart: number): boolean {
    const { bytes } = this.#queue
    const end = at + this.#delimiter.length
    const [first, second] = bytes.subarray(end, end + 2)
    if (second === undefined) return false
    const isLast = first === DASH && second === DASH
    if (!isLast && !(first === CR && second === LF)) throw malformedBoundary()
    const inPart = this.#state === "content"
    if (inPart) this.#giveContent(events, frameStart)
    if (inPart) events.push({ kind: "end-of-part" })
    events.push(this.#frame(end + 2 - (inPart ? frameStart : 0)))
    this.#state = isLast ? "epilogue" : "head"
    return true
  }

  #requireLineStart(at: number): void {
    const { bytes } = this.#queue
    if (bytes[at - 1] !== LF || bytes[at - 2] !== CR) throw malformedBoundary()
  }

  #find(needle: Buffer): number {
    const { bytes } = this.#queue
    const at = bytes.indexOf(needle, this.#searched)
    this.#searched = at === -1 ? Math.max(this.#searched, bytes.length - needle.length + 1) : at
    return at
  }

  #giveContent(events: MultipartEvent[], length: number): void {
    if (length <= 0) return
    if (this.#isFile) {
      this.#fileBytes += length
      if (this.#fileBytes > this.#limits.maxFileBytes) throw tooLarge("A file is too large.")
    } else this.#countOther(length)
    events.push({ kind: "content", bytes: this.#take(length) })
  }

  #frame(length: number): MultipartEvent {
    this.#countOther(length)
    return { kind: "frame", bytes: this.#take(length) }
  }

  #take(length: number): Buffer {
    this.#searched = Math.max(0, this.#searched - length)
    return this.#queue.take(length)
  }

  #countOther(bytes: number): void {
    this.#otherBytes += bytes
    if (this.#otherBytes > this.#limits.maxOtherBytes) throw tooLarge("The form is too large.")
  }

  #requireWithin(bytes: number): void {
    if (bytes > this.#limits.maxHeadBytes)
      throw tooLarge("A part's headers, or the text around the parts, are too large.")
  }
}

/** Checks the bytes around the parts. A part has headers, followed by an empty line. */
function requireNoPart(around: Buffer): void {
  if (/\n\r?\n|\r\r/.test(around.toString("latin1")) && hasText(around)) {
    throw malformed("The multipart body has text outside its parts that could be read as a part.")
  }
}

function hasText(around: Buffer): boolean {
  return /[^\r\n]/.test(around.toString("latin1"))
}

function malformedBoundary(): UnreadableBodyError {
  return malformed("The multipart body has a boundary that parsers interpret differently.")
}

function malformed(detail: string): UnreadableBodyError {
  return new UnreadableBodyError("malformed", detail)
}

function tooLarge(detail: string): UnreadableBodyError {
  return new UnreadableBodyError("too-large", detail)
}

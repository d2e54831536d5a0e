import type { Transform } from "node:stream"
import {
  constants,
  createBrotliCompress,
  createBrotliDecompress,
  createDeflate,
  createDeflateRaw,
  createGunzip,
  createGzip,
  createInflate,
  createInflateRaw,
  createZstdCompress,
  createZstdDecompress,
} from "node:zlib"
import { SealwayError } from "@sealway/kernel"
import { UnreadableBodyError } from "../body/located-body.ts"

/** `deflate-raw` is what some call `deflate`: without the zlib frame that RFC 9110 section 8.4.1.2 asks for. */
export type Coding = "gzip" | "deflate" | "deflate-raw" | "br" | "zstd"

/** A Content-Encoding that is not understood. */
export class UnknownCodingError extends SealwayError {
  override readonly name = "UnknownCodingError"
  constructor(detail: string, options?: ErrorOptions) {
    super("invalid-content-type", detail, options)
  }
}

/** A body, decoded, and what to encode it with again: the codings as they were found, in the order applied. */
export interface DecodedContent {
  readonly bytes: Buffer
  readonly codings: readonly Coding[]
}

const MAX_CODINGS = 3
/** A zstd body may be of several frames (RFC 8878 section 3), each of which costs a decoder. */
const MAX_ZSTD_FRAMES = 100
const CODINGS: ReadonlyMap<string, Coding> = new Map([
  ["gzip", "gzip"],
  ["x-gzip", "gzip"],
  ["deflate", "deflate"],
  ["br", "br"],
  ["zstd", "zstd"],
])

/** Fast, and close to the default in size: a body is encoded while somebody waits for it. */
const BROTLI_OPTIONS = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }
/** 8 MB, the most that RFC 9659 has receivers take: a frame of a few bytes may ask for 128 MB. */
const ZSTD_OPTIONS = { params: { [constants.ZSTD_d_windowLogMax]: 23 } }

type Engine = Transform & { readonly bytesWritten: number }

const DECODERS: Record<Coding, () => Engine> = {
  gzip: () => createGunzip(),
  deflate: () => createInflate(),
  "deflate-raw": () => createInflateRaw(),
  br: () => createBrotliDecompress(),
  zstd: () => createZstdDecompress(ZSTD_OPTIONS),
}
const ENCODERS: Record<Coding, () => Engine> = {
  gzip: () => createGzip(),
  deflate: () => createDeflate(),
  "deflate-raw": () => createDeflateRaw(),
  br: () => createBrotliCompress(BROTLI_OPTIONS),
  zstd: () => createZstdCompress(),
}

/**
 * Reads a Content-Encoding (RFC 9110 section 8.4), of several headers the values joined by commas.
 *
 * @returns in the order they were applied; none for `identity` and for no header
 * @throws UnknownCodingError when one is not understood, or there are more than 3
 */
export function parseContentEncoding(value: string | undefined): readonly Coding[] {
  if (value === undefined) return []
  const codings: Coding[] = []
  for (const item of value.split(",")) {
    const name = item.trim().toLowerCase()
    if (name === "" || name === "identity") continue
    const coding = CODINGS.get(name)
    if (coding === undefined) throw new UnknownCodingError("The Content-Encoding is not understood.")
    if (codings.push(coding) > MAX_CODINGS) {
      throw new UnknownCodingError("The Content-Encoding names too many codings.")
    }
  }
  return codings
}

/**
 * Undoes codings. Memory is bounded by `maxBytes`, whatever a body unpacks to.
 *
 * @param maxBytes of what each coding gives
 * @param onBytes told of bytes as they come; what it throws ends the decoding. Default: nobody is told
 * @throws UnreadableBodyError when a coding is broken, cut short or has something behind it, or gives too much
 */
export async function decodeContent(
  bytes: Buffer,
  codings: readonly Coding[],
  maxBytes: number,
  onBytes: (bytes: number) => void = () => {},
): Promise<DecodedContent> {
  const found: Coding[] = []
  let decoded = bytes
  for (const coding of codings.toReversed()) {
    const actual = coding === "deflate" ? deflateFlavor(decoded) : coding
    decoded = await decodeWhole(decoded, actual, maxBytes, onBytes)
    found.unshift(actual)
  }
  return { bytes: decoded, codings: found }
}

/** @param codings as `decodeContent` found them */
export async function encodeContent(bytes: Buffer, codings: readonly Coding[]): Promise<Buffer> {
  let encoded = bytes
  for (const coding of codings) {
    const { output } = await runThrough(encoded, ENCODERS[coding](), Number.POSITIVE_INFINITY, () => {})
    encoded = output
  }
  return encoded
}

/** As `decodeContent`, of a body that is not held in memory; `maxBytes` of each coding still. */
export async function* decodeContentStream(
  source: AsyncIterable<Buffer>,
  codings: readonly Coding[],
  maxBytes: number,
): AsyncGenerator<Buffer, void, undefined> {
  let decoded = source
  for (const coding of codings.toReversed()) decoded = decodeOne(decoded, coding, maxBytes)
  yield* decoded
}

/** As `encodeContent`, of a body that is not held in memory. `deflate` gives the zlib frame. */
export async function* encodeContentStream(
  source: AsyncIterable<Buffer>,
  codings: readonly Coding[],
): AsyncGenerator<Buffer, void, undefined> {
  let encoded = source
  for (const coding of codings) encoded = streamThrough(new Feed(encoded), ENCODERS[coding])
  yield* encoded
}

async function* decodeOne(source: AsyncIterable<Buffer>, coding: Coding, maxBytes: number) {
  const input = await withHead(source, 2)
  const actual = coding === "deflate" ? deflateFlavor(input.head) : coding
  const feed = new Feed(input.all)
  let decodedBytes = 0
  for await (const chunk of streamThrough(feed, decodersOf(actual))) {
    decodedBytes += chunk.length
    if (decodedBytes > maxBytes) throw tooLarge()
    yield chunk
  }
  if (feed.isEmpty) throw brokenCoding()
}

/** A decoder for each frame of a body, as many as it may have. */
function decodersOf(coding: Coding): () => Engine {
  let frames = 0
  return () => {
    if (++frames > (coding === "zstd" ? MAX_ZSTD_FRAMES : 1)) throw brokenCoding()
    return DECODERS[coding]()
  }
}

/** Runs a stream through an engine; through another one each time when one has all that it wants and there is more. */
async function* streamThrough(feed: Feed, createEngine: () => Engine) {
  try {
    do {
      const engine = createEngine()
      const fed = feed.into(engine)
      try {
        for await (const chunk of engine) yield toBuffer(chunk)
      } catch (error) {
        if (feed.failure !== null) throw feed.failure.error
        throw brokenCoding(error)
      }
      await fed
    } while (await feed.hasMore())
  } finally {
    feed.close()
  }
}

/**
 * Gives a stream to engines one after the other, a piece at a time: what one of them leaves of a piece is for the next.
 * An engine is told that it has everything when it has worked off the last piece, not before: `createZstdCompress`
 * would end its frame twice.
 */
class Feed {
  /** What the source failed with. */
  failure: { readonly error: unknown } | null = null
  isEmpty = true
  readonly #iterator: AsyncIterator<Buffer>
  #rest: Buffer | null = null
  #isDone = false

  constructor(source: AsyncIterable<Buffer>) {
    this.#iterator = source[Symbol.asyncIterator]()
  }

  async into(engine: Engine): Promise<void> {
    let settle = () => {}
    engine.once("close", () => settle())
    try {
      while (!engine.destroyed && (await this.hasMore())) {
        const piece = this.#rest ?? Buffer.alloc(0)
        const before = engine.bytesWritten
        await new Promise<void>((resolve) => {
          settle = resolve
          engine.write(piece, () => resolve())
        })
        const taken = engine.bytesWritten - before
        this.#rest = taken < piece.length ? piece.subarray(taken) : null
        if (this.#rest !== null) return
      }
      engine.end()
    } catch (error) {
      this.failure = { error }
      engine.destroy()
    }
  }

  /** Whether there is a piece that no engine has taken. */
  async hasMore(): Promise<boolean> {
    while (this.#rest === null && !this.#isDone) {
      const next = await this.#iterator.next()
      if (next.done === true) this.#isDone = true
      else if (next.value.length > 0) {
        this.#rest = next.value
        this.isEmpty = false
      }
    }
    return this.#rest !== null
  }

  close(): void {
    // Not awaited: a source that waits for its next piece closes when that has come.
    this.#iterator.return?.().catch(() => {})
  }
}

/** The first bytes of a stream, and the stream with them still in it. */
async function withHead(source: AsyncIterable<Buffer>, bytes: number) {
  const iterator = source[Symbol.asyncIterator]()
  let head: Buffer = Buffer.alloc(0)
  while (head.length < bytes) {
    const next = await iterator.next()
    if (next.done === true) break
    head = head.length === 0 ? next.value : Buffer.concat([head, next.value])
  }
  return { head, all: rejoin(head, iterator) }
}

async function* rejoin(head: Buffer, iterator: AsyncIterator<Buffer>) {
  try {
    if (head.length > 0) yield head
    for (let next = await iterator.next(); next.done !== true; next = await iterator.next()) yield next.value
  } finally {
    await iterator.return?.()
  }
}

async function decodeWhole(
  bytes: Buffer,
  coding: Coding,
  maxBytes: number,
  onBytes: (bytes: number) => void,
): Promise<Buffer> {
  const createDecoder = decodersOf(coding)
  const outputs: Buffer[] = []
  let outputBytes = 0
  let rest = bytes
  do {
    const { output, taken } = await runThrough(rest, createDecoder(), maxBytes - outputBytes, onBytes)
    outputBytes += output.length
    outputs.push(output)
    rest = rest.subarray(taken)
  } while (rest.length > 0)
  return outputs.length === 1 ? (outputs[0] ?? rest) : Buffer.concat(outputs, outputBytes)
}

/** @returns what an engine gives, and how many of the bytes it took for that */
function runThrough(
  bytes: Buffer,
  engine: Engine,
  maxBytes: number,
  onBytes: (bytes: number) => void,
): Promise<{ readonly output: Buffer; readonly taken: number }> {
  const { promise, resolve, reject } = Promise.withResolvers<{ output: Buffer; taken: number }>()
  const chunks: Buffer[] = []
  let outputBytes = 0
  engine.on("data", (chunk: unknown) => {
    const output = toBuffer(chunk)
    outputBytes += output.length
    try {
      if (outputBytes > maxBytes) throw tooLarge()
      onBytes(output.length)
      chunks.push(output)
    } catch (error) {
      engine.destroy()
      reject(error)
    }
  })
  engine.on("error", (error) => reject(brokenCoding(error)))
  engine.on("end", () => {
    resolve({ output: Buffer.concat(chunks, outputBytes), taken: engine.bytesWritten })
    engine.destroy()
  })
  engine.end(bytes)
  return promise
}

/** Which of the two a body in `deflate` is: a zlib frame begins with a method, and a check over two bytes (RFC 1950). */
function deflateFlavor(bytes: Buffer): Coding {
  const [first = 0, second = 0] = bytes
  return (first & 0x0f) === 8 && (first * 256 + second) % 31 === 0 ? "deflate" : "deflate-raw"
}

function toBuffer(chunk: unknown): Buffer {
  if (Buffer.isBuffer(chunk)) return chunk
  throw new TypeError("A content coding gives bytes.")
}

function brokenCoding(cause?: unknown): UnreadableBodyError {
  return new UnreadableBodyError("malformed", "The body is not what its Content-Encoding says.", { cause })
}

function tooLarge(): UnreadableBodyError {
  return new UnreadableBodyError("too-large", "The body is too large when it is decoded.")
}

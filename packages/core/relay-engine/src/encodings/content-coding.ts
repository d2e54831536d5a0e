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

/** `deflate-raw` is what some call `deflate`: without the zlib frame that RFC 9110 section 8.4.1.2 requires. */
export type Coding = "gzip" | "deflate" | "deflate-raw" | "br" | "zstd"

/** The Content-Encoding is not supported. */
export class UnknownCodingError extends SealwayError {
  override readonly name = "UnknownCodingError"
  constructor(detail: string, options?: ErrorOptions) {
    super("invalid-content-type", detail, options)
  }
}

/** A decoded body, and how to encode it again: the detected codings, in the order applied. */
export interface DecodedContent {
  readonly bytes: Buffer
  readonly codings: readonly Coding[]
}

const MAX_CODINGS = 3
/** A zstd body may have several frames (RFC 8878 section 3), each of which needs a decoder. */
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
/** 8 MB, the most that RFC 9659 requires receivers to support: a frame of a few bytes may ask for 128 MB. */
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
 * Parses a Content-Encoding (RFC 9110 section 8.4), with the values of several headers joined by commas.
 *
 * @returns in the order they were applied; none for `identity` and without a header
 * @throws UnknownCodingError when one is not supported, or there are more than 3
 */
export function parseContentEncoding(value: string | undefined): readonly Coding[] {
  if (value === undefined) return []
  const codings: Coding[] = []
  for (const item of value.split(",")) {
    const name = item.trim().toLowerCase()
    if (name === "" || name === "identity") continue
    const coding = CODINGS.get(name)
    if (coding === undefined) throw new UnknownCodingError("The Content-Encoding is not supported.")
    if (codings.push(coding) > MAX_CODINGS) {
      throw new UnknownCodingError("The Content-Encoding lists too many codings.")
    }
  }
  return codings
}

/**
 * Decodes codings. Memory is bounded by `maxBytes`, whatever a body decompresses to.
 *
 * @param maxBytes the maximum output of each coding
 * @param onBytes called with bytes as they arrive; if it throws, decoding ends. Default: nothing
 * @throws UnreadableBodyError when a coding is invalid, truncated or has trailing bytes, or its output is too large
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

/** @param codings as detected by `decodeContent` */
export async function encodeContent(bytes: Buffer, codings: readonly Coding[]): Promise<Buffer> {
  let encoded = bytes
  for (const coding of codings) {
    const { output } = await runThrough(encoded, ENCODERS[coding](), Number.POSITIVE_INFINITY, () => {})
    encoded = output
  }
  return encoded
}

/** Does the same as `decodeContent` for a body that is not held in memory; `maxBytes` still applies to each coding. */
export async function* decodeContentStream(
  source: AsyncIterable<Buffer>,
  codings: readonly Coding[],
  maxBytes: number,
): AsyncGenerator<Buffer, void, undefined> {
  let decoded = source
  for (const coding of codings.toReversed()) decoded = decodeOne(decoded, coding, maxBytes)
  yield* decoded
}

/** Does the same as `encodeContent` for a body that is not held in memory. `deflate` writes the zlib frame. */
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

/** Returns a factory of decoders, one per frame of a body up to the maximum. */
function decodersOf(coding: Coding): () => Engine {
  let frames = 0
  return () => {
    if (++frames > (coding === "zstd" ? MAX_ZSTD_FRAMES : 1)) throw brokenCoding()
    return DECODERS[coding]()
  }
}

/** Pipes a stream through an engine, and through a new one each time one has ended and there is more. */
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
 * Feeds a stream to engines one after another, piece by piece: what one of them leaves of a piece goes to the next. An
 * engine is only told that it has everything after it has processed the last piece: `createZstdCompress` would
 * otherwise end its frame twice.
 */
class Feed {
  /** The source's error. */
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

  /** Whether there is a piece that no engine has consumed. */
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
    // Not awaited: a source that waits for its next piece closes when that has arrived.
    this.#iterator.return?.().catch(() => {})
  }
}

/** Returns the first bytes of a stream, and the stream still including them. */
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

/** @returns the output of an engine, and how many of the bytes it consumed */
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

/**
 * Returns which of the two a `deflate` body is: a zlib frame starts with a method, and a check over two bytes (RFC
 * 1950).
 */
function deflateFlavor(bytes: Buffer): Coding {
  const [first = 0, second = 0] = bytes
  return (first & 0x0f) === 8 && (first * 256 + second) % 31 === 0 ? "deflate" : "deflate-raw"
}

function toBuffer(chunk: unknown): Buffer {
  if (Buffer.isBuffer(chunk)) return chunk
  throw new TypeError("A content coding gives bytes.")
}

function brokenCoding(cause?: unknown): UnreadableBodyError {
  return new UnreadableBodyError("malformed", "The body does not match its Content-Encoding.", { cause })
}

function tooLarge(): UnreadableBodyError {
  return new UnreadableBodyError("too-large", "The decoded body is too large.")
}

import { Readable, type Transform } from "node:stream"
import { pipeline } from "node:stream/promises"
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
import { UnreadableBodyError } from "./located-body.ts"

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
    decoded = await runThrough(decoded, DECODERS[actual](), maxBytes, onBytes)
    found.unshift(actual)
  }
  return { bytes: decoded, codings: found }
}

/** @param codings as `decodeContent` found them */
export async function encodeContent(bytes: Buffer, codings: readonly Coding[]): Promise<Buffer> {
  let encoded = bytes
  for (const coding of codings)
    encoded = await runThrough(encoded, ENCODERS[coding](), Number.POSITIVE_INFINITY, () => {})
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
  for (const coding of codings) encoded = streamThrough(encoded, ENCODERS[coding]())
  yield* encoded
}

async function* decodeOne(source: AsyncIterable<Buffer>, coding: Coding, maxBytes: number) {
  const input = await withHead(source, 2)
  const fed = { bytes: 0, ended: false }
  const engine = DECODERS[coding === "deflate" ? deflateFlavor(input.head) : coding]()
  let decodedBytes = 0
  for await (const chunk of streamThrough(countFed(input.all, fed), engine)) {
    decodedBytes += chunk.length
    if (decodedBytes > maxBytes) throw tooLarge()
    yield chunk
  }
  // A decoder that has all that it wants takes no more, and says nothing.
  if (!fed.ended || engine.bytesWritten !== fed.bytes || fed.bytes === 0) throw brokenCoding()
}

async function* streamThrough(source: AsyncIterable<Buffer>, engine: Engine) {
  const failure: { ofSource?: unknown } = {}
  const running = pipeline(Readable.from(noteFailure(source, failure)), engine)
  // What fails is told by the engine's own iterator, below.
  running.catch(() => undefined)
  try {
    for await (const chunk of engine) yield toBuffer(chunk)
  } catch (error) {
    if ("ofSource" in failure) throw failure.ofSource
    throw brokenCoding(error)
  }
}

async function* noteFailure(source: AsyncIterable<Buffer>, failure: { ofSource?: unknown }) {
  try {
    yield* source
  } catch (error) {
    failure.ofSource = error
    throw error
  }
}

async function* countFed(source: AsyncIterable<Buffer>, fed: { bytes: number; ended: boolean }) {
  for await (const chunk of source) {
    fed.bytes += chunk.length
    yield chunk
  }
  fed.ended = true
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

function runThrough(
  bytes: Buffer,
  engine: Engine,
  maxBytes: number,
  onBytes: (bytes: number) => void,
): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>()
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
    if (engine.bytesWritten === bytes.length) resolve(Buffer.concat(chunks, outputBytes))
    else reject(brokenCoding())
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

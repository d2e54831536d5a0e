import { Readable } from "node:stream"
import {
  ChunkList,
  joinChunks,
  joinChunksInSteps,
  type MaybePromise,
  SealwayError,
  UNWEIGHED_BYTES,
  type Work,
  waitFor,
} from "@sealway/kernel"
import { type BodyMemory, HELD_PER_BYTE, UNCOUNTED } from "../body/body-memory.ts"
import type { RelayError } from "../errors/relay-error.ts"
import type { TransformOptions } from "./message.ts"
import { malformed, tooLarge } from "./message-problem.ts"

export interface ReadBodyOptions extends Pick<TransformOptions, "memory"> {
  /** Whether it has a Content-Encoding: how much memory it takes shows once it is decoded, and is waited for then. */
  readonly isEncoded: boolean
}

/**
 * Reads a whole body, and waits until there is memory to change it, unless it is encoded. What arrives in pieces is joined
 * only then: of many large bodies that wait, each is held once.
 *
 * @throws RelayError when it is too large, or breaks off
 */
export function* readBody(
  body: Buffer | Readable,
  maxBytes: number,
  direction: "request" | "response",
  { memory, isEncoded }: ReadBodyOptions,
): Work<Buffer> {
  if (!Buffer.isBuffer(body)) {
    const received = memory && ((length: number) => memory.receive(length))
    const chunks = yield* waitFor(readChunks(body, maxBytes, direction, received))
    if (!isEncoded) yield* waitFor(roomFor(chunks, memory))
    return yield* joinChunksInSteps(chunks)
  }
  if (body.length > maxBytes) throw bodyTooLarge(direction)
  if (!isEncoded) yield* waitFor(roomFor([body], memory))
  return body
}

/** Waits until there is room to change a body, which is decoded. */
export function roomFor(chunks: readonly Buffer[], memory: BodyMemory = UNCOUNTED): MaybePromise<void> {
  let bytes = 0
  for (const { length } of chunks) bytes += length
  return bytes > UNWEIGHED_BYTES ? memory.reserve(HELD_PER_BYTE * bytes) : undefined
}

/**
 * Reads a whole body, in the received pieces.
 *
 * @param onBytes counts them as they arrive. Default: nothing
 * @throws RelayError like `readBody`
 */
export async function readChunks(
  body: AsyncIterable<Buffer>,
  maxBytes: number,
  direction: "request" | "response",
  onBytes: (bytes: number) => void = () => undefined,
): Promise<Buffer[]> {
  const chunks = new ChunkList()
  let bytes = 0
  for await (const chunk of received(body, direction)) {
    bytes += chunk.length
    if (bytes > maxBytes) throw bodyTooLarge(direction)
    onBytes(chunk.length)
    chunks.add(chunk)
  }
  return chunks.chunks()
}

/** Yields a body, and refuses a message whose body breaks off. @throws RelayError */
export async function* received(
  body: AsyncIterable<Buffer>,
  direction: "request" | "response",
): AsyncGenerator<Buffer, void, void> {
  try {
    yield* body
  } catch (error) {
    throw isStreamError(error) ? malformed(direction, `The ${direction}'s body broke off.`, error) : error
  }
}

function bodyTooLarge(direction: "request" | "response"): RelayError {
  return tooLarge(direction, `The ${direction}'s body is too large to be read.`)
}

/**
 * Errors of Node.js and undici about a connection that ended too soon have a code, as our own refusals do; programming
 * errors have none.
 */
function isStreamError(error: unknown): boolean {
  return error instanceof Error && "code" in error && !(error instanceof SealwayError)
}

/** Does the same as `readBody`; or, if a stream is larger, returns one of all of it. */
export async function readBodyUpTo(
  body: Buffer | Readable,
  maxBytes: number,
  direction: "request" | "response",
  { memory, isEncoded, turns }: ReadBodyOptions & Pick<TransformOptions, "turns">,
): Promise<Buffer | Readable> {
  if (Buffer.isBuffer(body)) {
    if (!isEncoded) await roomFor([body], memory)
    return body
  }
  const chunks = new ChunkList()
  let bytes = 0
  const iterator = received(body, direction)
  for (;;) {
    const { done, value } = await iterator.next()
    if (done === true) {
      const whole = chunks.chunks()
      if (!isEncoded) await roomFor(whole, memory)
      return turns.run(joinChunksInSteps(whole))
    }
    memory?.receive(value.length)
    bytes += value.length
    chunks.add(value)
    if (bytes > maxBytes) return Readable.from(replay(chunks.chunks(), iterator), { objectMode: false })
  }
}

/**
 * Returns the first `bytes` bytes of a body, or fewer if it is shorter, and the body still including them.
 *
 * @throws RelayError when it breaks off
 */
export async function readHead(
  body: Buffer | Readable,
  bytes: number,
  direction: "request" | "response",
): Promise<{ readonly head: Buffer; readonly body: Buffer | Readable }> {
  if (Buffer.isBuffer(body)) return { head: body.subarray(0, bytes), body }
  const chunks: Buffer[] = []
  let read = 0
  const iterator = received(body, direction)
  while (read < bytes) {
    const { done, value } = await iterator.next()
    if (done === true) break
    chunks.push(value)
    read += value.length
  }
  const head = joinChunks(chunks).subarray(0, bytes)
  return { head, body: Readable.from(replay(chunks, iterator), { objectMode: false }) }
}

async function* replay(chunks: readonly Buffer[], iterator: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  try {
    yield* chunks
    for (let next = await iterator.next(); next.done !== true; next = await iterator.next()) yield next.value
  } finally {
    await iterator.return(undefined)
  }
}

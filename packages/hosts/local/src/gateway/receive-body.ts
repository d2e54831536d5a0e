import type { IncomingMessage } from "node:http"
import { type Deadlines, SMALL_BYTES } from "@sealway/http/ingress"
import { ChunkList, processTurns } from "@sealway/kernel"

/**
 * Why a body was not received: it is too large, does not fit beside the others, stopped arriving, or its sender left.
 */
export type BodyFailure = "too-large" | "overloaded" | "stalled" | "gone"

/**
 * How many times as large as what has arrived the room for a body may be: a sender that only states a large body must
 * not make this process allocate one. Growing so, an eighth of it is copied.
 */
const ROOM_FACTOR = 8

export interface ReceiveOptions {
  /** Null when the sender does not say. */
  readonly statedBytes: number | null
  readonly maxBytes: number
  /** Counts received bytes. Returns false when they do not fit. */
  readonly take: (bytes: number) => boolean
  /** Told of bytes whose buffer has become garbage. */
  readonly collect: (bytes: number) => void
  /** How long the sender may pause. */
  readonly stalls: Deadlines
}

/** A buffer that shares its memory with no other. */
type Room = Buffer<ArrayBuffer>

const NO_ROOM: Room = Buffer.allocUnsafeSlow(0)

/**
 * Collects a request's body, and calls back once, with the body or why there is none. After a failure, the rest of the
 * body is unread.
 */
export function receiveBody(
  request: IncomingMessage,
  { statedBytes, maxBytes, take, collect: collectGarbage, stalls }: ReceiveOptions,
  done: (outcome: Buffer | BodyFailure) => void,
): void {
  // Of a stated size, the bytes are put in their place at once, so that they are not in memory twice.
  let room = NO_ROOM
  const isInPlace = statedBytes !== null && statedBytes > SMALL_BYTES
  const chunks = new ChunkList()
  let length = 0
  let isSettled = false
  const settle = (outcome: Buffer | Promise<Buffer> | BodyFailure) => {
    if (isSettled) return
    isSettled = true
    stalls.cancel(stall)
    // The request lives as long as its connection, and with its listeners the body would.
    request.off("data", collect).off("end", end).off("close", leave)
    if (typeof outcome === "string") {
      request.pause()
      free(room.buffer)
    }
    if (outcome instanceof Promise) void outcome.then(done)
    else done(outcome)
  }
  const expire = () => settle("stalled")
  let stall = stalls.set(expire)
  const collect = (chunk: Buffer) => {
    length += chunk.length
    if (length > maxBytes) settle("too-large")
    else if (!take(chunk.length)) settle("overloaded")
    else {
      if (isInPlace) {
        room = withRoom(room, length, statedBytes)
        chunk.copy(room, length - chunk.length)
        collectGarbage(chunk.length)
      } else chunks.add(chunk)
      stalls.cancel(stall)
      if (length !== statedBytes) stall = stalls.set(expire)
    }
  }
  const end = () => {
    if (isInPlace) settle(length === statedBytes ? room : "gone")
    else settle(chunks.only ?? processTurns.run(chunks.join()))
  }
  const leave = () => settle("gone")
  request.on("data", collect).on("end", end).on("close", leave)
}

/** Returns a buffer with the same bytes that has room for a number of them, and not for more than are stated. */
function withRoom(room: Room, bytes: number, statedBytes: number): Room {
  if (bytes <= room.length) return room
  const larger = Buffer.allocUnsafeSlow(Math.min(ROOM_FACTOR * bytes, statedBytes))
  room.copy(larger)
  free(room.buffer)
  return larger
}

/**
 * Gives back the memory of a body that was received, before any handler got it. Up to 64 KiB it may share its memory with
 * the rest of what Node.js has read, and stays.
 */
export function freeBody({ buffer, length }: Buffer): void {
  if (length > SMALL_BYTES && buffer instanceof ArrayBuffer) free(buffer)
}

/** Gives back memory that nothing reads any more. V8 collects large buffers late: hundreds of MB of them were garbage. */
function free(buffer: ArrayBuffer): void {
  if (buffer.byteLength > 0) buffer.transfer(0)
}

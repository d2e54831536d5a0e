import type { IncomingMessage } from "node:http"
import { ChunkList, type MaybePromise, processTurns } from "@sealway/kernel"
import { type Deadlines, SMALL_BYTES } from "@sealway/platform/ingress"

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

/** Collects a request's body. After a failure, the rest of the body is unread. */
export function receiveBody(
  request: IncomingMessage,
  { statedBytes, maxBytes, take, collect: collectGarbage, stalls }: ReceiveOptions,
): Promise<Buffer | BodyFailure> {
  return new Promise((resolve) => {
    // Of a stated size, the bytes are put in their place at once, so that they are not in memory twice.
    let room: Buffer = Buffer.alloc(0)
    const isInPlace = statedBytes !== null && statedBytes > SMALL_BYTES
    const chunks = new ChunkList()
    let length = 0
    let isSettled = false
    const settle = (outcome: MaybePromise<Buffer> | BodyFailure) => {
      if (isSettled) return
      isSettled = true
      stalls.cancel(stall)
      if (typeof outcome === "string") {
        request.off("data", collect)
        request.pause()
      }
      resolve(outcome)
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
        stall = stalls.set(expire)
      }
    }
    request.on("data", collect)
    request.on("end", () => {
      if (isInPlace) settle(length === statedBytes ? room : "gone")
      else settle(processTurns.run(chunks.join()))
    })
    request.on("close", () => settle("gone"))
  })
}

/** Returns a buffer with the same bytes that has room for a number of them, and not for more than are stated. */
function withRoom(room: Buffer, bytes: number, statedBytes: number): Buffer {
  if (bytes <= room.length) return room
  const larger = Buffer.allocUnsafeSlow(Math.min(ROOM_FACTOR * bytes, statedBytes))
  room.copy(larger)
  return larger
}

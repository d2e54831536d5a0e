import type { IncomingMessage } from "node:http"
import { ChunkList, type MaybePromise, processTurns } from "@sealway/kernel"
import { type Deadlines, SMALL_BYTES } from "@sealway/platform/ingress"

/**
 * Why a body was not received: it is too large, does not fit beside the others, stopped arriving, or its sender left.
 */
export type BodyFailure = "too-large" | "overloaded" | "stalled" | "gone"

export interface ReceiveOptions {
  /** Null when the sender does not say. */
  readonly statedBytes: number | null
  readonly maxBytes: number
  /** Counts received bytes. Returns false when they do not fit. */
  readonly take: (bytes: number) => boolean
  /** How long the sender may pause. */
  readonly stalls: Deadlines
}

/** Collects a request's body. After a failure, the rest of the body is unread. */
export function receiveBody(
  request: IncomingMessage,
  { statedBytes, maxBytes, take, stalls }: ReceiveOptions,
): Promise<Buffer | BodyFailure> {
  return new Promise((resolve) => {
    // In its place at once, so that it is not in memory twice. What has not arrived takes no memory.
    const whole =
      statedBytes === null || statedBytes <= SMALL_BYTES ? null : Buffer.allocUnsafeSlow(statedBytes)
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
        if (whole === null) chunks.add(chunk)
        else chunk.copy(whole, length - chunk.length)
        stalls.cancel(stall)
        stall = stalls.set(expire)
      }
    }
    request.on("data", collect)
    request.on("end", () => {
      if (whole === null) settle(processTurns.run(chunks.join()))
      else settle(length === whole.length ? whole : "gone")
    })
    request.on("close", () => settle("gone"))
  })
}

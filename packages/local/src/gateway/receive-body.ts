import type { IncomingMessage } from "node:http"
import { ChunkList, type MaybePromise, processTurns } from "@sealway/kernel"
import type { Deadlines } from "@sealway/platform/ingress"

/**
 * Why a body was not received: it is too large, does not fit beside the others, stopped arriving, or its sender left.
 */
export type BodyFailure = "too-large" | "overloaded" | "stalled" | "gone"

export interface ReceiveOptions {
  readonly maxBytes: number
  /** Counts received bytes. Returns false when they do not fit. */
  readonly take: (bytes: number) => boolean
  /** How long the sender may pause. */
  readonly stalls: Deadlines
}

/** Collects a request's body. After a failure, the rest of the body is unread. */
export function receiveBody(
  request: IncomingMessage,
  { maxBytes, take, stalls }: ReceiveOptions,
): Promise<Buffer | BodyFailure> {
  return new Promise((resolve) => {
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
        chunks.add(chunk)
        stalls.cancel(stall)
        stall = stalls.set(expire)
      }
    }
    request.on("data", collect)
    request.on("end", () => settle(processTurns.run(chunks.join())))
    request.on("close", () => settle("gone"))
  })
}

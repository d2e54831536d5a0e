import type { Duplex } from "node:stream"
import { MB } from "@sealway/kernel"
import { FrameReader } from "../frames.ts"
import { within } from "../within.ts"
import { answerSchema, encodeMessage, MAX_MESSAGE_BYTES } from "./messages.ts"

/**
 * Calls a method of another process.
 *
 * @param input serialisable as JSON, like the answer
 * @throws Error with the name and message of what the method threw; TypeError for an input that is too long
 * @throws Error when the other process has ended, too many calls wait or the time is up. The call may have taken effect
 */
export type Call = (method: string, input: unknown) => Promise<unknown>

export const MAX_WAITING_CALLS = 10_000
/** Of calls that the other process does not read. */
const MAX_UNSENT_BYTES = 16 * MB

/**
 * Creates a function that calls the methods that another process serves at the other end of a channel by `serveCalls`. No
 * call is made twice.
 *
 * @param timeoutMs how long a call may take
 */
export function createCaller(channel: Duplex, timeoutMs: number): Call {
  const waiting = new Map<number, PromiseWithResolvers<unknown>>()
  const reader = new FrameReader(MAX_MESSAGE_BYTES)
  let lastId = 0

  function settle(message: string): void {
    const answer = answerSchema.parse(JSON.parse(message))
    // There is none if its time was up.
    const call = waiting.get(answer.id)
    if ("error" in answer) call?.reject(Object.assign(new Error(answer.error.message), answer.error))
    else call?.resolve(answer.result)
  }

  channel.on("data", (chunk: Buffer) => {
    try {
      const frames = reader.read(chunk)
      if (frames === null) throw new TypeError("An answer is too long")
      for (const { body } of frames) settle(body.toString())
    } catch (error) {
      channel.destroy(error instanceof Error ? error : undefined)
    }
  })
  // `close` follows.
  channel.on("error", () => undefined)
  channel.on("close", () => {
    for (const { reject } of waiting.values()) reject(new Error("The process that answers has ended."))
  })

  return async (method, input) => {
    if (channel.destroyed) throw new Error("The process that answers has ended.")
    if (waiting.size >= MAX_WAITING_CALLS || channel.writableLength > MAX_UNSENT_BYTES) {
      throw new Error("Too many calls are waiting.")
    }
    const id = ++lastId
    const message = encodeMessage({ id, method, input })
    if (message === null) throw new TypeError("The call is too long.")
    const answer = Promise.withResolvers<unknown>()
    waiting.set(id, answer)
    channel.write(message)
    try {
      return await within(timeoutMs, answer.promise)
    } finally {
      waiting.delete(id)
    }
  }
}

import type { Duplex } from "node:stream"
import { FrameReader } from "../frames.ts"
import { callSchema, encodeMessage, MAX_MESSAGE_BYTES } from "./messages.ts"

const TOO_LONG = { name: "Error", message: "The answer is too long." }

/** What another process may call, by name. Each checks its input. */
export type Methods = ReadonlyMap<string, (input: unknown) => Promise<unknown>>

/** As many as share a transaction. Each answer may take a megabyte of memory. */
export const MAX_CALLS_AT_ONCE = 128

/**
 * Answers the calls of another process, see `createCaller`. Makes and reads no further ones while too many are unanswered, or
 * the other process does not read the answers. Closes the channel when it receives what is no call.
 */
export function serveCalls(channel: Duplex, methods: Methods): void {
  const reader = new FrameReader(MAX_MESSAGE_BYTES)
  /** Received, and not begun: what one chunk holds. */
  const waiting: string[] = []
  let unanswered = 0

  function proceed(): void {
    while (waiting.length > 0 && unanswered < MAX_CALLS_AT_ONCE && !channel.writableNeedDrain) {
      answer(waiting.shift() ?? "").catch(() => channel.destroy())
    }
    if (waiting.length > 0) channel.pause()
    else channel.resume()
  }

  async function answer(message: string): Promise<void> {
    const { id, method, input } = callSchema.parse(JSON.parse(message))
    unanswered++
    const reply = await resultOf(method, input).then(
      (result) => ({ id, result }),
      (error: unknown) => ({ id, error: describe(error) }),
    )
    unanswered--
    if (channel.destroyed) return
    channel.write(encodeMessage(reply) ?? encodeMessage({ id, error: TOO_LONG }))
    proceed()
  }

  async function resultOf(method: string, input: unknown): Promise<unknown> {
    const run = methods.get(method)
    if (run === undefined) throw new TypeError("There is no such method.")
    return run(input)
  }

  channel.on("data", (chunk: Buffer) => {
    const frames = reader.read(chunk)
    if (frames === null) channel.destroy()
    for (const { body } of frames ?? []) waiting.push(body.toString())
    proceed()
  })
  channel.on("drain", proceed)
  channel.on("error", () => channel.destroy())
}

function describe(error: unknown) {
  const { name, message } = error instanceof Error ? error : new Error("The call failed.")
  return { name, message }
}

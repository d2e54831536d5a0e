import type { Duplex } from "node:stream"
import { FrameReader } from "../frames.ts"
import { callSchema, encodeMessage, MAX_MESSAGE_BYTES, MAX_WAITING_CALLS } from "./messages.ts"

/** What another process may call, by name. Each checks its input. */
export type Methods = ReadonlyMap<string, (input: unknown) => Promise<unknown>>

/**
 * Answers the calls of another process, see `createCaller`. Reads no further ones while too many are unanswered, or the other
 * process does not read the answers. Closes the channel when it receives what is no call.
 */
export function serveCalls(channel: Duplex, methods: Methods): void {
  const reader = new FrameReader(MAX_MESSAGE_BYTES)
  let unanswered = 0

  function paceReading(): void {
    if (unanswered >= MAX_WAITING_CALLS || channel.writableNeedDrain) channel.pause()
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
    channel.write(encodeMessage(reply))
    paceReading()
  }

  async function resultOf(method: string, input: unknown): Promise<unknown> {
    const run = methods.get(method)
    if (run === undefined) throw new TypeError("There is no such method.")
    return run(input)
  }

  channel.on("data", (chunk: Buffer) => {
    const frames = reader.read(chunk)
    if (frames === null) channel.destroy()
    for (const { body } of frames ?? []) answer(body.toString()).catch(() => channel.destroy())
    paceReading()
  })
  channel.on("drain", paceReading)
  channel.on("error", () => channel.destroy())
}

function describe(error: unknown) {
  const { name, message } = error instanceof Error ? error : new Error("The call failed.")
  return { name, message }
}

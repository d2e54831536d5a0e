import type { Duplex } from "node:stream"
import { FrameReader } from "../frames.ts"
import { callSchema, encodeMessage, MAX_MESSAGE_BYTES } from "./messages.ts"

const TOO_LONG = { name: "Error", message: "The answer is too long." }
const TOO_MANY = { name: "Error", message: "Too many answers are waiting to be read." }

/** What another process may call, by name. Each checks its input. */
export type Methods = ReadonlyMap<string, (input: unknown) => Promise<unknown>>

/** As many as share a transaction. */
export const MAX_CALLS_AT_ONCE = 128
/** Of the calls that are being answered, and the same again of answers that are not read. */
const MAX_BYTES_AT_ONCE = 4 * MAX_MESSAGE_BYTES

/**
 * Answers the calls of another process, see `createCaller`. Makes and reads no further ones while too many, or too large
 * ones, are unanswered, or the other process does not read the answers. Calls whose answers are then too large throw there.
 * Closes the channel when it receives what is no call.
 */
export function serveCalls(channel: Duplex, methods: Methods, maxBytesAtOnce = MAX_BYTES_AT_ONCE): void {
  const reader = new FrameReader(MAX_MESSAGE_BYTES)
  /** Received, and not begun: what one chunk holds. */
  const waiting: string[] = []
  let unanswered = 0
  let unansweredBytes = 0

  function proceed(): void {
    for (let next = waiting[0]; next !== undefined && mayBegin(next); next = waiting[0]) {
      waiting.shift()
      answer(next).catch(() => channel.destroy())
    }
    if (waiting.length > 0) channel.pause()
    else channel.resume()
  }

  function mayBegin({ length }: string): boolean {
    if (unanswered >= MAX_CALLS_AT_ONCE || channel.writableNeedDrain) return false
    return unanswered === 0 || unansweredBytes + length <= maxBytesAtOnce
  }

  async function answer(message: string): Promise<void> {
    const { id, method, input } = callSchema.parse(JSON.parse(message))
    unanswered++
    unansweredBytes += message.length
    const reply = await resultOf(method, input).then(
      (result) => ({ id, result }),
      (error: unknown) => ({ id, error: describe(error) }),
    )
    unanswered--
    unansweredBytes -= message.length
    if (channel.destroyed) return
    const encoded = encodeMessage(reply) ?? encodeMessage({ id, error: TOO_LONG })
    const isTooMuch = encoded !== null && channel.writableLength + encoded.length > maxBytesAtOnce
    channel.write(isTooMuch ? encodeMessage({ id, error: TOO_MANY }) : encoded)
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

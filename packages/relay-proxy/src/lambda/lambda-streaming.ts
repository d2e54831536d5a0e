import type { Writable } from "node:stream"
import * as z from "zod"

/** How a streamed answer begins. */
export interface ReplyHead {
  readonly statusCode: number
  /** One value for each name. */
  readonly headers: Readonly<Record<string, string>>
  /** Values of `Set-Cookie`. */
  readonly cookies: readonly string[]
}

/** A handler of which the answer is what it writes. */
export type StreamingHandler = (event: unknown, output: Writable, context: unknown) => Promise<void>

/** What Lambda's Node.js runtime offers to stream answers with, as the global `awslambda`. */
export interface LambdaStreaming {
  /** Marks a handler as one that streams. */
  streamifyResponse(handler: StreamingHandler): StreamingHandler
  readonly HttpResponseStream: {
    /** What is written to the result follows the head. */
    from(output: Writable, head: ReplyHead): Writable
  }
}

const streamingSchema = z.custom<LambdaStreaming>(isStreaming)

/**
 * Finds it among a process's globals.
 *
 * @throws Error outside of Lambda's runtime
 */
export function lambdaStreamingOf(globals: object): LambdaStreaming {
  const found = streamingSchema.safeParse("awslambda" in globals ? globals.awslambda : null)
  if (!found.success) throw new Error("There is no response streaming outside of Lambda's runtime")
  return found.data
}

function isStreaming(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false
  if (!("streamifyResponse" in value) || typeof value.streamifyResponse !== "function") return false
  return "HttpResponseStream" in value && value.HttpResponseStream !== null
}

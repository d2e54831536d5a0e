import type { Writable } from "node:stream"
import * as z from "zod"

/** The head of a streamed answer. */
export interface ReplyHead {
  readonly statusCode: number
  /** One value per name. */
  readonly headers: Readonly<Record<string, string>>
  /** Values of `Set-Cookie`. */
  readonly cookies: readonly string[]
}

/** A handler whose answer is what it writes. */
export type StreamingHandler = (event: unknown, output: Writable, context: unknown) => Promise<void>

/** The API for streamed answers in Lambda's Node.js runtime: the global `awslambda`. */
export interface LambdaStreaming {
  /** Marks a handler as one that streams. */
  streamifyResponse(handler: StreamingHandler): StreamingHandler
  readonly HttpResponseStream: {
    /** Writes to the result follow the head. */
    from(output: Writable, head: ReplyHead): Writable
  }
}

const streamingSchema = z.custom<LambdaStreaming>(isStreaming)

/**
 * Finds it among a process's globals.
 *
 * @throws Error outside Lambda's runtime
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

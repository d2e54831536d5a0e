import type { Readable } from "node:stream"
import type { RawHeaders, Turns } from "@sealway/kernel"
import type { BodyMemory } from "../body/body-memory.ts"
import type { RelayOptions } from "../routes/compile-relay.ts"
import type { MessageCipher } from "./message-cipher.ts"
import type { MessageLimits } from "./message-limits.ts"
import type { MessageReport } from "./message-report.ts"

/** A request on its way to a destination, or the response on its way back. */
export interface Message {
  readonly direction: "request" | "response"
  /** Of a request, in upper case; null for a response. */
  readonly method: string | null
  /** Path and query of a request; null for a response. */
  readonly target: string | null
  /** Of a response; null for a request. */
  readonly status: number | null
  readonly rawHeaders: RawHeaders
  readonly body: Buffer | Readable | null
  /** The size of a streamed body if known. */
  readonly contentLength: number | null
}

export interface TransformOptions {
  readonly compiled: RelayOptions
  readonly cipher: MessageCipher
  readonly limits: MessageLimits
  /** Filled while the message is read, so that a refused message can be reported too. */
  readonly report: MessageReport
  /** Default: no accounting. */
  readonly memory?: BodyMemory
  /** How large bodies share the event loop. */
  readonly turns: Turns
}

export interface TransformedMessage {
  /** Path and query of a request; null for a response. */
  readonly target: string | null
  readonly rawHeaders: RawHeaders
  /** The same bytes if nothing of the body changed. Empty if a response's body is dropped. */
  readonly body: Buffer | Readable | null
  /** The size of a streamed body if known. */
  readonly contentLength: number | null
  /** Whether to drop a `Content-Length` among the headers, for a stream: `rawHeaders` still has it. */
  readonly isBodyChanged: boolean
}

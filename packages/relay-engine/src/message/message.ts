import type { Readable } from "node:stream"
import type { RawHeaders, Turns } from "@sealway/kernel"
import type { CompiledRelay, RelayOptions } from "../routes/compile-relay.ts"
import type { MessageCipher } from "./message-cipher.ts"
import type { MessageLimits } from "./message-limits.ts"
import type { MessageReport } from "./message-report.ts"

/** A request on its way to a destination, or the response on its way back. */
export interface Message {
  readonly direction: "request" | "response"
  /** Path and query of a request; null for a response. */
  readonly target: string | null
  /** Of a response; null for a request. */
  readonly status: number | null
  readonly rawHeaders: RawHeaders
  readonly body: Buffer | Readable | null
  /** The size of a streamed body where it is known. */
  readonly contentLength: number | null
}

/** Where the memory of bodies that are read as a whole is accounted for. */
export interface BodyMemory {
  /** @throws RelayError `service-unavailable` when there is not as much */
  take(bytes: number): void
}

export interface TransformOptions {
  readonly compiled: Pick<CompiledRelay, keyof RelayOptions | "distinguishesMethods">
  readonly cipher: MessageCipher
  readonly limits: MessageLimits
  /** Filled while the message is read, so that there is something to tell of a message that is refused too. */
  readonly report: MessageReport
  /** Default: nobody counts. */
  readonly memory?: BodyMemory
  /** What large bodies share the event loop by. */
  readonly turns: Turns
}

export interface TransformedMessage {
  /** Path and query of a request; null for a response. */
  readonly target: string | null
  readonly rawHeaders: RawHeaders
  /** The same bytes, where nothing of the body was changed. Empty, where a response's is dropped. */
  readonly body: Buffer | Readable | null
  /** The size of a streamed body where it is known. */
  readonly contentLength: number | null
  /** Whether a `Content-Length` among the headers is to be dropped, for a stream: `rawHeaders` still has it. */
  readonly isBodyChanged: boolean
}

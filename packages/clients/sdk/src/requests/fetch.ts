import type { AnswerHeaders, RequestBody } from "./transport.ts"

/** What sends requests: the global `fetch`, or anything that does this much of it. It must not follow redirects. */
export type Fetch = (url: string, request: FetchRequest) => Promise<FetchAnswer>

export interface FetchRequest {
  readonly method: string
  readonly headers: Record<string, string>
  readonly body?: RequestBody["content"]
  readonly redirect: "manual"
  readonly signal: AbortSignal
}

export interface FetchAnswer {
  readonly status: number
  readonly headers: AnswerHeaders
  /** Null: there is none. */
  readonly body: ByteStream | null
}

/** Not every runtime iterates over a ReadableStream. */
export type ByteStream = ReadableStream<unknown> | AsyncIterable<unknown>

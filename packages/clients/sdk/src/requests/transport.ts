/** Options of a single call. */
export interface CallOptions {
  /** Ends the call, and rejects it with the signal's reason. */
  readonly signal?: AbortSignal | undefined
  /** How long one attempt may take, until its answer is complete. Default: that of the client. */
  readonly timeoutMs?: number | undefined
  /** How often a failed attempt may be repeated, if repeating is safe. 0 never repeats. Default: that of the client. */
  readonly maxRetries?: number | undefined
  /**
   * For operations that take an `Idempotency-Key`: the same key within 24 hours returns the first answer again. Default:
   * a new one for each call, which makes the client's own retries safe.
   */
  readonly idempotencyKey?: string | undefined
}

/** A request to the API, with nothing in it about who sends it. */
export interface ApiRequest {
  readonly method: string
  /** Begins with a slash; already encoded. */
  readonly path: string
  /** The path with `{parameters}` instead of ids. Default: the path has no ids. */
  readonly route?: string
  readonly query?: Readonly<Record<string, string>>
  /** Names in lower case. */
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: RequestBody | undefined
  readonly takesIdempotencyKey?: boolean
  /** Whether the request may be sent again if nobody knows what became of it. */
  readonly isRepeatable: boolean
  /** Whether to return the bytes of the answer also if it is JSON, whose numbers JavaScript may change. Default: false. */
  readonly wantsBytes?: boolean
}

export interface RequestBody {
  readonly contentType: string
  readonly content: string | Uint8Array<ArrayBuffer> | Blob
}

/** The headers of an answer, by name in any letter case. */
export type AnswerHeaders = Pick<Headers, "get">

/** A successful answer. */
export interface ApiAnswer {
  readonly status: number
  readonly headers: AnswerHeaders
  /** From JSON; `Uint8Array` for other content, or if the request wants bytes; undefined if there is none. */
  readonly content: unknown
}

/** Sends requests for one caller. */
export interface Transport {
  /**
   * @throws ApiError if the service refuses the request
   * @throws ConnectionError if there is no answer, or none of the service's
   */
  send(request: ApiRequest, options?: CallOptions): Promise<ApiAnswer>
}

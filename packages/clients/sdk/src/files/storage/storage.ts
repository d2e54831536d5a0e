/** A request with a presigned URL. */
export interface StorageRequest {
  readonly method: "GET" | "PUT"
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: Uint8Array<ArrayBuffer>
  readonly signal?: AbortSignal
}

export interface StorageAnswer {
  readonly status: number
  readonly etag: string | null
  /** Whether nothing reads the body of the request any more. */
  readonly isSent: boolean
  /** Read it, or nothing else comes through its connection. A piece is gone when the next one comes. */
  readonly body: AsyncIterable<Uint8Array>
  /** Ends the answer, whatever of it has not come. */
  discard(): Promise<void>
}

/**
 * Sends a request to the storage, without credentials.
 *
 * @throws the reason of the signal when it aborts, else any error when there is no answer
 */
export type AskStorage = (url: string, request: StorageRequest) => Promise<StorageAnswer>

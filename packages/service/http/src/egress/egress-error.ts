/**
 * Why a request brought no answer.
 * - `destination-refused`: the URL, or the address that its name resolves to, is not allowed; nothing was sent
 * - `timeout`: connecting or the whole exchange took too long
 * - `unreachable`: the name does not exist, or the connection or TLS failed
 */
export type EgressFailure = "destination-refused" | "timeout" | "unreachable"

/** Thrown when a destination gave no answer. Its message contains nothing of the request. */
export class EgressError extends Error {
  override readonly name = "EgressError"
  readonly reason: EgressFailure

  constructor(reason: EgressFailure, options?: ErrorOptions) {
    super(`The destination did not respond: ${reason}`, options)
    this.reason = reason
  }
}

const TIMEOUTS: ReadonlySet<string> = new Set([
  "TimeoutError",
  "ConnectTimeoutError",
  "HeadersTimeoutError",
  "BodyTimeoutError",
])

/** Translates an error of the HTTP client. */
export function toEgressError(error: unknown): EgressError {
  if (error instanceof EgressError) return error
  const isTimeout = error instanceof Error && TIMEOUTS.has(error.name)
  return new EgressError(isTimeout ? "timeout" : "unreachable", { cause: error })
}

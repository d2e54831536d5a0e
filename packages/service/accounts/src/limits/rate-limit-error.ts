import { ApiError } from "@sealway/kernel"

/** A key or an app has used up one of its limits. */
export class RateLimitError extends ApiError {
  override readonly name = "RateLimitError"
  /** Whole seconds, at least 1. */
  readonly retryAfterSeconds: number

  constructor(detail: string, waitMs: number, headers: Readonly<Record<string, string>> = {}) {
    const seconds = Math.max(1, Math.ceil(waitMs / 1000))
    super("too-many-requests", detail, { headers: { ...headers, "retry-after": String(seconds) } })
    this.retryAfterSeconds = seconds
  }
}

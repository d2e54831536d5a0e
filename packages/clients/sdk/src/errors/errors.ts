import type { ErrorCode } from "./error-code.ts"

/** One field that the service refuses. */
export interface FieldProblem {
  /** JSON Pointer (RFC 6901) into the body; `/path/…`, `/query/…` and `/headers/…` point into other parts of the request. */
  readonly pointer: string
  /** A sentence for people. */
  readonly reason: string
}

/**
 * The base class of everything that fails on the way to the service or in it. Neither message nor fields contain a
 * value, a token or a credential. Wrong arguments are a `TypeError` instead.
 */
export class SealwayError extends Error {
  override readonly name: string = "SealwayError"
  /** Stable, for programs: a code of the service, or one of `ConnectionErrorCode`. */
  readonly code: ErrorCode

  constructor(code: ErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}

/** What the service says about a request that it refuses. */
export interface Refusal {
  readonly code: ErrorCode
  readonly detail: string
  readonly status: number
  readonly fields: readonly FieldProblem[]
  readonly requestId: string | null
  /** How long the service asks to wait before another attempt. Null: it says nothing. */
  readonly retryAfterMs: number | null
}

/** The service has refused a request. Its subclasses say what a program can do about it; `code` says it exactly. */
export class ApiError extends SealwayError {
  override readonly name: string = "ApiError"
  /** The HTTP status. */
  readonly status: number
  /** Every field that is wrong; empty if the request as a whole is refused. */
  readonly fields: readonly FieldProblem[]
  /** Names the request in the service's logs, for support. Null: the service has given none. */
  readonly requestId: string | null
  /** How long the service asks to wait before another attempt, in milliseconds. Null: it says nothing. */
  readonly retryAfterMs: number | null

  constructor({ code, detail, status, fields, requestId, retryAfterMs }: Refusal) {
    super(code, detail)
    this.status = status
    this.fields = fields
    this.requestId = requestId
    this.retryAfterMs = retryAfterMs
  }

  /** Where the first wrong field is, as a JSON Pointer; null if the request as a whole is refused. */
  get pointer(): string | null {
    return this.fields[0]?.pointer ?? null
  }
}

/** The credentials are missing, wrong, expired or revoked: replace them. Status 401. */
export class AuthenticationError extends ApiError {
  override readonly name = "AuthenticationError"
}

/** The credentials are right, but may not do this, or a data policy forbids it. Status 403. */
export class PermissionError extends ApiError {
  override readonly name = "PermissionError"
}

/** The request does not fit the present state: read it again, then decide. Status 409. */
export class ConflictError extends ApiError {
  override readonly name = "ConflictError"
}

/** Too many requests, also after the client's retries: wait for `retryAfterMs`. Status 429. */
export class RateLimitError extends ApiError {
  override readonly name = "RateLimitError"
}

/** The service, or something that it needs, does not work at the moment: try again later. Status 500 and above. */
export class UnavailableError extends ApiError {
  override readonly name = "UnavailableError"
}

/** Returns the error of the class that says what a program can do about the refusal. */
export function apiErrorOf(refusal: Refusal): ApiError {
  switch (refusal.status) {
    case 401:
      return new AuthenticationError(refusal)
    case 403:
      return new PermissionError(refusal)
    case 409:
      return new ConflictError(refusal)
    case 429:
      return new RateLimitError(refusal)
    default:
      return refusal.status >= 500 ? new UnavailableError(refusal) : new ApiError(refusal)
  }
}

/** The service could not be reached, or did not answer in time or as it should. */
export class ConnectionError extends SealwayError {
  override readonly name = "ConnectionError"
  /** The runtime's own code, such as `ECONNREFUSED` or `CERT_HAS_EXPIRED`. Null: it gives none. */
  readonly reason: string | null

  constructor(code: ErrorCode, message: string, options?: ErrorOptions, reason: string | null = null) {
    super(code, message, options)
    this.reason = reason
  }
}

/** An id is empty, `.` or `..`, or not a text: nothing can have it, and in a path it would lead elsewhere. */
export class InvalidIdError extends TypeError {
  override readonly name = "InvalidIdError"
}

/** A stored file was truncated, extended or changed, or is another one. What was read of it before is authentic. */
export class DamagedFileError extends SealwayError {
  override readonly name = "DamagedFileError"
  constructor() {
    super("damaged-file", "The file cannot be decrypted: it is damaged, or it is another file.")
  }
}

/** A webhook is not signed with the secret, is too old, or is not one. */
export class WebhookSignatureError extends SealwayError {
  override readonly name = "WebhookSignatureError"
  constructor(message: string) {
    super("invalid-signature", message)
  }
}

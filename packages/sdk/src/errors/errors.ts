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
}

/** The service has refused a request. */
export class ApiError extends SealwayError {
  override readonly name: string = "ApiError"
  /** The HTTP status. */
  readonly status: number
  /** Every field that is wrong; empty if the request as a whole is refused. */
  readonly fields: readonly FieldProblem[]
  /** Names the request in the service's logs, for support. Null: the service has given none. */
  readonly requestId: string | null

  constructor({ code, detail, status, fields, requestId }: Refusal) {
    super(code, detail)
    this.status = status
    this.fields = fields
    this.requestId = requestId
  }

  /** Where the first wrong field is, as a JSON Pointer; null if the request as a whole is refused. */
  get pointer(): string | null {
    return this.fields[0]?.pointer ?? null
  }
}

/** The service could not be reached, or did not answer in time or as it should. */
export class ConnectionError extends SealwayError {
  override readonly name = "ConnectionError"
}

/** A webhook is not signed with the secret, is too old, or is not one. */
export class WebhookSignatureError extends SealwayError {
  override readonly name = "WebhookSignatureError"
  constructor(message: string) {
    super("invalid-signature", message)
  }
}

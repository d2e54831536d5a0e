/** Statuses and titles of every error code. Codes are public API: add, never rename. */
export const PROBLEMS = {
  "invalid-request": { status: 400, title: "Invalid Request" },
  unauthorized: { status: 401, title: "Unauthorized" },
  forbidden: { status: 403, title: "Forbidden" },
  "decrypt/forbidden": { status: 403, title: "Decryption Forbidden" },
  "not-found": { status: 404, title: "Not Found" },
  "method-not-allowed": { status: 405, title: "Method Not Allowed" },
  "request-timeout": { status: 408, title: "Request Timeout" },
  "functions/request-timeout": { status: 408, title: "Function Timeout" },
  conflict: { status: 409, title: "Conflict" },
  "functions/function-not-ready": { status: 409, title: "Function Not Ready" },
  "idempotency-key-reused": { status: 409, title: "Idempotency Key Reused" },
  "idempotency-result-unknown": { status: 409, title: "Idempotency Result Unknown" },
  "payload-too-large": { status: 413, title: "Payload Too Large" },
  "unsupported-media-type": { status: 415, title: "Unsupported Media Type" },
  "misdirected-request": { status: 421, title: "Misdirected Request" },
  "too-many-requests": { status: 429, title: "Too Many Requests" },
  "request-header-fields-too-large": { status: 431, title: "Request Header Fields Too Large" },
  "internal-server-error": { status: 500, title: "Internal Server Error" },
  "service-unavailable": { status: 503, title: "Service Unavailable" },
} as const satisfies Record<string, { status: number; title: string }>

export type ErrorCode = keyof typeof PROBLEMS

/** One thing that is wrong with a request. */
export interface FieldProblem {
  /**
   * JSON Pointer (RFC 6901) into the body. What is not in the body has its place in front:
   * `/path/app_id`, `/query/limit`, `/headers/x-service-data-role`.
   */
  readonly pointer: string
  /** A sentence for people. Never holds what was sent. */
  readonly reason: string
}

/** The body of every error answer: `application/problem+json` (RFC 9457, with `code` in the place of `type`). */
export interface ProblemBody {
  readonly code: ErrorCode
  readonly title: string
  readonly detail: string
  readonly status: number
  readonly fields?: readonly FieldProblem[]
}

export const PROBLEM_CONTENT_TYPE = "application/problem+json"

/** The problem body of a code. `detail` is for people and never holds input, plaintext or key material. */
export function problemBody(
  code: ErrorCode,
  detail: string,
  fields: readonly FieldProblem[] = [],
): ProblemBody {
  const { status, title } = PROBLEMS[code]
  return { code, title, detail, status, ...(fields.length > 0 && { fields }) }
}

interface SealwayErrorOptions extends ErrorOptions {
  readonly fields?: readonly FieldProblem[]
  /** Response headers that the error asks for, lower-case names. */
  readonly headers?: Readonly<Record<string, string>>
}

/** An expected refusal. Its message goes to the caller as `detail`; its cause goes nowhere but the debugger. */
export class SealwayError extends Error {
  override readonly name: string = "SealwayError"
  readonly code: ErrorCode
  readonly fields: readonly FieldProblem[]
  readonly headers: Readonly<Record<string, string>>

  constructor(
    code: ErrorCode,
    detail: string,
    { fields = [], headers = {}, ...options }: SealwayErrorOptions = {},
  ) {
    super(detail, options)
    this.code = code
    this.fields = fields
    this.headers = headers
  }
}

export class InvalidRequestError extends SealwayError {
  override readonly name = "InvalidRequestError"
  constructor(detail: string, options?: SealwayErrorOptions) {
    super("invalid-request", detail, options)
  }
}

/** Missing and wrong credentials look alike, so that nobody learns which app or key exists. */
export class UnauthorizedError extends SealwayError {
  override readonly name = "UnauthorizedError"
  constructor() {
    super("unauthorized", "Credentials are missing or not valid.", {
      headers: { "www-authenticate": 'Basic realm="sealway", charset="UTF-8"' },
    })
  }
}

export class ForbiddenError extends SealwayError {
  override readonly name = "ForbiddenError"
  constructor(detail: string) {
    super("forbidden", detail)
  }
}

/** Another app's record and a missing one answer alike. */
export class NotFoundError extends SealwayError {
  override readonly name = "NotFoundError"
  constructor(what: string) {
    super("not-found", `${what} does not exist.`)
  }
}

export class ConflictError extends SealwayError {
  override readonly name = "ConflictError"
  constructor(detail: string, options?: ErrorOptions) {
    super("conflict", detail, options)
  }
}

export class PayloadTooLargeError extends SealwayError {
  override readonly name = "PayloadTooLargeError"
  constructor(detail: string) {
    super("payload-too-large", detail)
  }
}

export class UnsupportedMediaTypeError extends SealwayError {
  override readonly name = "UnsupportedMediaTypeError"
  constructor(detail: string) {
    super("unsupported-media-type", detail)
  }
}

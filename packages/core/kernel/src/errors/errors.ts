interface Problem {
  readonly title: string
  /** The status of the API's answer; null: the API never answers with it. */
  readonly api: number | null
  /** The status of a relay's answer; null: a relay never answers with it. */
  readonly relay: number | null
}

/** Every error code, its title and its statuses. Codes are public API: add, never rename. */
export const PROBLEMS = {
  "invalid-request": { title: "Invalid Request", api: 400, relay: 400 },
  "bad-request": { title: "Bad Request", api: null, relay: 400 },
  "no-hostname-in-request": { title: "No Hostname In Request", api: null, relay: 400 },
  "encrypt/pre-encrypted-data": { title: "Pre-Encrypted Data", api: null, relay: 400 },
  "payments/network-tokens/ineligible-card": { title: "Ineligible Card", api: 400, relay: null },
  "payments/network-tokens/declined-tokenization": { title: "Declined Tokenization", api: 400, relay: null },
  "payments/network-tokens/invalid-card": { title: "Invalid Card", api: 400, relay: null },
  "payments/network-tokens/expired-card": { title: "Expired Card", api: 400, relay: null },
  unauthorized: { title: "Unauthorized", api: 401, relay: null },
  "proxy-auth-failed": { title: "Proxy Authentication Failed", api: null, relay: 401 },
  "proxy-authentication-required": { title: "Proxy Authentication Required", api: null, relay: 401 },
  forbidden: { title: "Forbidden", api: 403, relay: 403 },
  "decrypt/forbidden": { title: "Decryption Forbidden", api: 403, relay: 403 },
  "decrypt/masked-only": { title: "Masked Only", api: 403, relay: null },
  "decrypt/reason-required": { title: "Reason Required", api: 403, relay: null },
  "not-found": { title: "Not Found", api: 404, relay: null },
  "subdomain-not-found": { title: "Subdomain Not Found", api: null, relay: 404 },
  "relay-not-found": { title: "Relay Not Found", api: null, relay: 404 },
  "method-not-allowed": { title: "Method Not Allowed", api: 405, relay: null },
  "http-connect-not-allowed": { title: "CONNECT Not Allowed", api: null, relay: 405 },
  "request-timeout": { title: "Request Timeout", api: 408, relay: 504 },
  "functions/request-timeout": { title: "Function Timeout", api: 408, relay: null },
  conflict: { title: "Conflict", api: 409, relay: null },
  "payments/3ds-sessions/short-name-required": { title: "Short Name Required", api: 400, relay: null },
  "functions/function-not-ready": { title: "Function Not Ready", api: 409, relay: null },
  "idempotency-key-reused": { title: "Idempotency Key Reused", api: 409, relay: null },
  "idempotency-result-unknown": { title: "Idempotency Result Unknown", api: 409, relay: null },
  "content-length-required": { title: "Content Length Required", api: null, relay: 411 },
  "payload-too-large": { title: "Payload Too Large", api: 413, relay: 413 },
  "unsupported-media-type": { title: "Unsupported Media Type", api: 415, relay: null },
  "invalid-content-type": { title: "Invalid Content Type", api: null, relay: 415 },
  "misdirected-request": { title: "Misdirected Request", api: 421, relay: null },
  "data-subject/erased": { title: "Data Subject Erased", api: 422, relay: null },
  "functions/run-failed": { title: "Function Failed", api: 422, relay: null },
  "payments/network-tokens/merchant-not-ready": { title: "Merchant Not Ready", api: 422, relay: null },
  "payments/network-tokens/token-service-provider-provisioning": {
    title: "Token Service Provider Provisioning",
    api: 422,
    relay: null,
  },
  "payments/retries/merchant-not-ready": { title: "Merchant Not Ready", api: 422, relay: null },
  "payments/network-tokens/token-not-active": { title: "Token Not Active", api: 422, relay: null },
  "too-many-requests": { title: "Too Many Requests", api: 429, relay: 429 },
  "request-header-fields-too-large": { title: "Request Header Fields Too Large", api: 431, relay: null },
  "internal-server-error": { title: "Internal Server Error", api: 500, relay: 500 },
  "payments/network-tokens/unavailable-token-service-provider": {
    title: "Unavailable Token Service Provider",
    api: 500,
    relay: null,
  },
  "upgrade-not-supported": { title: "Upgrade Not Supported", api: null, relay: 501 },
  "proxy-error": { title: "Proxy Error", api: null, relay: 502 },
  "unsupported-content-type-in-response": {
    title: "Unsupported Content Type In Response",
    api: null,
    relay: 502,
  },
  "service-unavailable": { title: "Service Unavailable", api: 503, relay: 503 },
} as const satisfies Record<string, Problem>

export type ErrorCode = keyof typeof PROBLEMS

type CodeOf<Speaker extends "api" | "relay"> = {
  [Code in ErrorCode]: (typeof PROBLEMS)[Code][Speaker] extends number ? Code : never
}[ErrorCode]

/** A code that the API answers with. */
export type ApiErrorCode = CodeOf<"api">
/** A code that a relay answers with. */
export type RelayErrorCode = CodeOf<"relay">

export function isErrorCode(text: string): text is ErrorCode {
  return Object.hasOwn(PROBLEMS, text)
}

export function isApiErrorCode(code: ErrorCode): code is ApiErrorCode {
  return PROBLEMS[code].api !== null
}

export function isRelayErrorCode(code: ErrorCode): code is RelayErrorCode {
  return PROBLEMS[code].relay !== null
}

const CODES = Object.keys(PROBLEMS).filter(isErrorCode)
export const API_ERROR_CODES: readonly ApiErrorCode[] = CODES.filter(isApiErrorCode)
export const RELAY_ERROR_CODES: readonly RelayErrorCode[] = CODES.filter(isRelayErrorCode)

/** One problem of a request. */
export interface FieldProblem {
  /**
   * JSON Pointer (RFC 6901) into the body. Other parts of the request have a prefix: `/path/app_id`, `/query/limit`,
   * `/headers/x-service-data-role`.
   */
  readonly pointer: string
  /** A sentence for people. Never contains input. */
  readonly reason: string
}

/** The body of every error answer: `application/problem+json` (RFC 9457, with `code` instead of `type`). */
export interface ProblemBody {
  readonly code: ApiErrorCode
  readonly title: string
  readonly detail: string
  readonly status: number
  readonly fields?: readonly FieldProblem[]
}

export const PROBLEM_CONTENT_TYPE = "application/problem+json"

/**
 * Builds the API's problem body for a code. `detail` is for people and never contains input, plaintext or key material.
 */
export function problemBody(
  code: ApiErrorCode,
  detail: string,
  fields: readonly FieldProblem[] = [],
): ProblemBody {
  const { api: status, title } = PROBLEMS[code]
  return { code, title, detail, status, ...(fields.length > 0 && { fields }) }
}

/**
 * The base class of all refusals. Its message may be sent to the caller as `detail`, and contains no input; its cause
 * is only for debugging. The edge decides which answer an error becomes: an `ApiError` is an answer of the API, a
 * `RelayError` one of a relay, and all others, such as JSON errors, become what they are caught as.
 */
export class SealwayError extends Error {
  override readonly name: string = "SealwayError"
  readonly code: ErrorCode

  constructor(code: ErrorCode, detail: string, options?: ErrorOptions) {
    super(detail, options)
    this.code = code
  }
}

interface ApiErrorOptions extends ErrorOptions {
  readonly fields?: readonly FieldProblem[]
  /** Response headers that the error requires, with lower-case names. */
  readonly headers?: Readonly<Record<string, string>>
}

/** A request that the API refuses. */
export class ApiError extends SealwayError {
  override readonly name: string = "ApiError"
  override readonly code: ApiErrorCode
  readonly fields: readonly FieldProblem[]
  readonly headers: Readonly<Record<string, string>>

  constructor(
    code: ApiErrorCode,
    detail: string,
    { fields = [], headers = {}, ...options }: ApiErrorOptions = {},
  ) {
    super(code, detail, options)
    this.code = code
    this.fields = fields
    this.headers = headers
  }
}

export class InvalidRequestError extends ApiError {
  override readonly name = "InvalidRequestError"
  constructor(detail: string, options?: ApiErrorOptions) {
    super("invalid-request", detail, options)
  }
}

/**
 * Creates the refusal of one part of a request.
 *
 * @param pointer JSON Pointer to it
 * @param reason a sentence that contains no input
 */
export function invalidField(pointer: string, reason: string, cause?: unknown): InvalidRequestError {
  return new InvalidRequestError(reason, { fields: [{ pointer, reason }], cause })
}

/** Missing and wrong credentials look alike, so nobody learns which app or key exists. */
export class UnauthorizedError extends ApiError {
  override readonly name = "UnauthorizedError"
  /** @param forms the accepted credentials, as a sentence */
  constructor(forms = "") {
    super("unauthorized", `Credentials are missing or invalid.${forms && ` ${forms}`}`, {
      headers: { "www-authenticate": 'Basic realm="sealway", charset="UTF-8"' },
    })
  }
}

export class ForbiddenError extends ApiError {
  override readonly name = "ForbiddenError"
  constructor(detail: string) {
    super("forbidden", detail)
  }
}

/** Another app's record and a missing one give the same answer. */
export class NotFoundError extends ApiError {
  override readonly name = "NotFoundError"
  constructor(what: string) {
    super("not-found", `${what} does not exist.`)
  }
}

export class ConflictError extends ApiError {
  override readonly name = "ConflictError"
  constructor(detail: string, options?: ErrorOptions) {
    super("conflict", detail, options)
  }
}

export class PayloadTooLargeError extends ApiError {
  override readonly name = "PayloadTooLargeError"
  constructor(detail: string) {
    super("payload-too-large", detail)
  }
}

export class UnsupportedMediaTypeError extends ApiError {
  override readonly name = "UnsupportedMediaTypeError"
  constructor(detail: string) {
    super("unsupported-media-type", detail)
  }
}

/** Why the work for a request is no longer wanted. */
export type CancelledBy = "client" | "deadline"

/** Ends the work for a request whose client has left, or whose time is over. */
export class CancelledError extends ApiError {
  override readonly name = "CancelledError"
  readonly by: CancelledBy
  constructor(by: CancelledBy) {
    super("service-unavailable", "The service took too long to respond. Try again shortly.", {
      headers: { "retry-after": "1" },
    })
    this.by = by
  }
}

/** The process has too much to do at the moment. It is not a failure: the request can be sent again. */
export class OverloadedError extends ApiError {
  override readonly name = "OverloadedError"
  constructor() {
    super(
      "service-unavailable",
      "The service is busy with other large requests. Try again after the time in Retry-After.",
      { headers: { "retry-after": "1" } },
    )
  }
}

/** A key in KMS is disabled, is going to be deleted, or is gone: what only it opens cannot be opened. */
export class KeyUnavailableError extends ApiError {
  override readonly name = "KeyUnavailableError"
  constructor(options?: ErrorOptions) {
    super("service-unavailable", "A key of the app cannot be used in KMS at the moment.", {
      ...options,
      headers: { "retry-after": "60" },
    })
  }
}

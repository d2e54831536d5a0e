/** Statuses and titles of every error of a relay. Codes are public API: add, never rename. */
export const RELAY_PROBLEMS = {
  "subdomain-not-found": { status: 404, title: "Subdomain Not Found" },
  "relay-not-found": { status: 404, title: "Relay Not Found" },
  "request-timeout": { status: 504, title: "Request Timeout" },
  "service-unavailable": { status: 503, title: "Service Unavailable" },
  "unsupported-content-type-in-response": { status: 502, title: "Unsupported Content Type In Response" },
  "proxy-auth-failed": { status: 401, title: "Proxy Authentication Failed" },
  "proxy-authentication-required": { status: 401, title: "Proxy Authentication Required" },
  "content-length-required": { status: 411, title: "Content Length Required" },
  "invalid-request": { status: 400, title: "Invalid Request" },
  "no-hostname-in-request": { status: 400, title: "No Hostname In Request" },
  "http-connect-not-allowed": { status: 405, title: "CONNECT Not Allowed" },
  forbidden: { status: 403, title: "Forbidden" },
  "payload-too-large": { status: 413, title: "Payload Too Large" },
  "invalid-content-type": { status: 415, title: "Invalid Content Type" },
  "decrypt/forbidden": { status: 403, title: "Decryption Forbidden" },
  "encrypt/pre-encrypted-data": { status: 400, title: "Pre-Encrypted Data" },
  "proxy-error": { status: 502, title: "Proxy Error" },
  "bad-request": { status: 400, title: "Bad Request" },
  "internal-server-error": { status: 500, title: "Internal Server Error" },
} as const satisfies Record<string, { status: number; title: string }>

export type RelayErrorCode = keyof typeof RELAY_PROBLEMS

/** Where in its way a request met an error. */
export type ExchangeStage = "request" | "destination" | "response"

interface RelayErrorOptions extends ErrorOptions {
  /** Default: `request`. */
  readonly stage?: ExchangeStage
}

/** A request that a relay answers itself. Its message goes to the caller as `detail`; its cause goes nowhere. */
export class RelayError extends Error {
  override readonly name = "RelayError"
  readonly code: RelayErrorCode
  readonly stage: ExchangeStage

  constructor(
    code: RelayErrorCode,
    detail: string,
    { stage = "request", ...options }: RelayErrorOptions = {},
  ) {
    super(detail, options)
    this.code = code
    this.stage = stage
  }
}

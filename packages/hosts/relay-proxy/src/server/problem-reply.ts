import { closingMessage } from "@sealway/http/ingress"
import { PROBLEM_CONTENT_TYPE, PROBLEMS, type RawHeaders, type RelayErrorCode } from "@sealway/kernel"
import type { ProxyMode } from "@sealway/relay"
import type { OutboundReply } from "../exchange.ts"

export interface ProblemOptions {
  /** Default: `reverse`. In forward mode credentials are requested as proxies do, with 407. */
  readonly mode?: ProxyMode
  /** Default: 1 for `service-unavailable`, and none for other codes. */
  readonly retryAfterSeconds?: number | null
}

const NO_TRAILERS: RawHeaders = []

/**
 * Builds the answer to a request that a relay refuses: `application/problem+json` with the code in the header
 * `X-Service-Error-Code` as well.
 *
 * @param detail a sentence for people that contains no input
 */
export function problemReply(
  code: RelayErrorCode,
  detail: string,
  { mode = "reverse", ...options }: ProblemOptions = {},
): OutboundReply {
  const retryAfterSeconds = options.retryAfterSeconds ?? (code === "service-unavailable" ? 1 : null)
  const { relay: usualStatus, title } = PROBLEMS[code]
  const isChallenge =
    mode === "forward" && (code === "proxy-auth-failed" || code === "proxy-authentication-required")
  const status = isChallenge ? 407 : usualStatus
  return {
    status,
    statusMessage: null,
    rawHeaders: [
      "Content-Type",
      PROBLEM_CONTENT_TYPE,
      "X-Service-Error-Code",
      code,
      "Cache-Control",
      "no-store",
      "X-Content-Type-Options",
      "nosniff",
      ...(retryAfterSeconds === null ? [] : ["Retry-After", String(retryAfterSeconds)]),
      // RFC 9110 section 15.5.2. The scheme shows that it is not about Authorization, which is the destination's.
      ...(status === 401 ? ["WWW-Authenticate", 'ApiKey realm="Relay"'] : []),
      ...(isChallenge ? ["Proxy-Authenticate", 'Basic realm="Relay", charset="UTF-8"'] : []),
      ...(code === "http-connect-not-allowed"
        ? ["Allow", "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS"]
        : []),
    ],
    body: Buffer.from(JSON.stringify({ code, title, detail, status })),
    trailers: () => NO_TRAILERS,
  }
}

/**
 * Builds the same as a complete HTTP message that ends its connection, for sockets on which no request could be parsed.
 */
export function problemMessage(code: RelayErrorCode, detail: string, options: ProblemOptions = {}): Buffer {
  const { status, rawHeaders, body } = problemReply(code, detail, options)
  return closingMessage(status, rawHeaders, Buffer.isBuffer(body) ? body : Buffer.alloc(0))
}

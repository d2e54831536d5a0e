import { EgressError } from "@sealway/http/egress"
import { errorCodeOf } from "@sealway/kernel"
import { type ExchangeStage, RelayError } from "@sealway/relay-engine"

/** Errors of Node.js and undici for a connection that was not accepted. */
const UNREACHABLE: ReadonlySet<string> = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EAI_FAIL",
  "ENODATA",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "EADDRNOTAVAIL",
])

const TIMEOUTS: ReadonlySet<string> = new Set(["UND_ERR_CONNECT_TIMEOUT", "ETIMEDOUT"])

/** Prefixes of OpenSSL's and Node.js's codes for a certificate that is not trusted for a host. */
const UNTRUSTED = /^(?:ERR_TLS_CERT|CERT_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|INVALID_CA|HOSTNAME_MISMATCH)/

/**
 * Translates an error of the HTTP client for the caller. Its text is dropped: it may contain what a destination sent.
 *
 * @param stage `destination` while waiting for the answer's headers, `response` after that
 */
export function toRelayError(error: unknown, stage: ExchangeStage): RelayError {
  // From a request's body that was refused, or broke off, while it was being sent.
  if (error instanceof RelayError) return error
  const options = { stage, cause: error }
  if (error instanceof EgressError && error.reason === "destination-refused") {
    return new RelayError("forbidden", "The destination's address is not allowed.", options)
  }
  const code = errorCodeOf(error)
  if (stage === "destination" && UNREACHABLE.has(code)) {
    return new RelayError("service-unavailable", "The destination could not be reached.", options)
  }
  if (TIMEOUTS.has(code)) {
    return new RelayError("request-timeout", "The connection to the destination timed out.", options)
  }
  if (UNTRUSTED.test(code)) {
    return new RelayError("proxy-error", "The destination's certificate is invalid or not trusted.", options)
  }
  return new RelayError("proxy-error", DETAILS.get(code) ?? FALLBACKS[stage], options)
}

const DETAILS: ReadonlyMap<string, string> = new Map([
  ["UND_ERR_HEADERS_OVERFLOW", "The destination's response has too many headers."],
  ["UND_ERR_REQ_CONTENT_LENGTH_MISMATCH", "The request body does not match its Content-Length."],
  ["UND_ERR_RES_CONTENT_LENGTH_MISMATCH", "The destination's response does not match its Content-Length."],
])

const FALLBACKS: Readonly<Record<ExchangeStage, string>> = {
  request: "The request could not be sent to the destination.",
  destination: "The destination closed the connection, or its response is not HTTP.",
  response: "The destination closed the connection before its response was complete.",
}

import { closingMessage } from "@sealway/http/ingress"
import { type ApiErrorCode, PROBLEM_CONTENT_TYPE, problemBody } from "@sealway/kernel"
import type { ProxyResponse } from "./proxy-result.ts"

/** The `Retry-After` of refusals, in seconds. */
export const RETRY_AFTER_SECONDS = 1

/** The gateway's own refusals and their texts. Nothing of a request is repeated. */
const REFUSALS = {
  malformed: { code: "invalid-request", detail: "The request is not valid HTTP." },
  misdirected: { code: "misdirected-request", detail: "The Host header is not a name of this service." },
  /** For programs of this machine: their user may be the one who starts the service. */
  "misdirected-here": {
    code: "misdirected-request",
    detail:
      "The Host header is not a name of this service. Use the URL that Sealway prints at start, or start it with --allow-host NAME.",
  },
  stalled: { code: "request-timeout", detail: "The request took too long to arrive." },
  "too-large": {
    code: "payload-too-large",
    detail:
      "The request is too large. The limits are 5 MB for JSON, and for files 25 MB on the container service or 4.5 million bytes behind API Gateway.",
  },
  "head-too-large": {
    code: "request-header-fields-too-large",
    detail: "The request line and headers are larger than 10,240 bytes.",
  },
  unsigned: { code: "forbidden", detail: "Storage is reached by presigned URLs only." },
  failed: { code: "internal-server-error", detail: "An unexpected error occurred." },
  "timed-out": {
    code: "service-unavailable",
    detail: "The service took too long to respond. Try again shortly.",
  },
  overloaded: {
    code: "service-unavailable",
    detail: "The service is busy. The request was not processed. Try again after the time in Retry-After.",
  },
  "answer-overloaded": {
    code: "service-unavailable",
    detail: "Too many large responses are waiting to be read. Try again after the time in Retry-After.",
  },
} as const satisfies Record<string, { code: ApiErrorCode; detail: string }>

export type Refusal = keyof typeof REFUSALS

/** Builds the response of a refusal. */
export function problemResponse(refusal: Refusal): ProxyResponse {
  const { code, detail } = REFUSALS[refusal]
  const problem = problemBody(code, detail)
  const headers = new Map([
    ["content-type", PROBLEM_CONTENT_TYPE],
    ["cache-control", "no-store"],
    ["x-content-type-options", "nosniff"],
  ])
  if (code === "service-unavailable") headers.set("retry-after", String(RETRY_AFTER_SECONDS))
  return { statusCode: problem.status, headers, cookies: [], body: JSON.stringify(problem), refusal: code }
}

/**
 * Builds the same as an HTTP message, for a connection on which no request could be parsed. It closes the connection.
 */
export function problemMessage(refusal: Refusal): Buffer {
  const { statusCode, headers, body } = problemResponse(refusal)
  return closingMessage(statusCode, [...headers].flat(), Buffer.from(body))
}

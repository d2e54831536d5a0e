import { STATUS_CODES } from "node:http"
import { type ErrorCode, PROBLEM_CONTENT_TYPE, problemBody } from "@sealway/platform"
import type { ProxyResponse } from "./proxy-result.ts"

/** What the gateway itself refuses, by code, and what it says then: nothing of a request comes back. */
const DETAILS = {
  "invalid-request": "The request is not valid HTTP.",
  "misdirected-request":
    "The Host header does not name this service. Use the address that Sealway prints at its start, or start it with --allow-host NAME.",
  "not-found": "There is nothing at this path.",
  "method-not-allowed": "The path does not take this method. The Allow header lists those it takes.",
  "request-timeout": "The request took too long to arrive.",
  "payload-too-large":
    "The request is too large: JSON is taken up to 5 MB, files up to 4.5 MB behind API Gateway and up to 25 MB by the container service.",
  "request-header-fields-too-large": "The request line and headers are larger than 10,240 bytes.",
  "internal-server-error": "An unexpected error occurred.",
  "service-unavailable": "The service took too long to answer. Try again shortly.",
} as const satisfies Partial<Record<ErrorCode, string>>

export type GatewayProblemCode = keyof typeof DETAILS

/** The response of a refusal. */
export function problemResponse(
  code: GatewayProblemCode,
  headers: Readonly<Record<string, string>> = {},
): ProxyResponse {
  const problem = problemBody(code, DETAILS[code])
  return {
    statusCode: problem.status,
    headers: new Map([
      ["content-type", PROBLEM_CONTENT_TYPE],
      ["cache-control", "no-store"],
      ...Object.entries(headers),
    ]),
    cookies: [],
    body: JSON.stringify(problem),
  }
}

/** The same as an HTTP message, for a connection on which no request could be understood. It closes the connection. */
export function problemMessage(code: GatewayProblemCode): string {
  const { statusCode, headers, body } = problemResponse(code)
  const fields = [...headers, ["content-length", String(Buffer.byteLength(body))], ["connection", "close"]]
  const lines = fields.map(([name, value]) => `${name}: ${value}\r\n`)
  return `HTTP/1.1 ${statusCode} ${STATUS_CODES[statusCode]}\r\n${lines.join("")}\r\n${body}`
}

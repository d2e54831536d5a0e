import { STATUS_CODES } from "node:http"
import type { ProxyResponse } from "./proxy-result.ts"

/** What the gateway itself refuses, by code. The details are fixed: nothing of a request comes back in them. */
export const GATEWAY_PROBLEMS = {
  "invalid-request": { status: 400, title: "Invalid Request", detail: "The request is not valid HTTP." },
  "not-found": { status: 404, title: "Not Found", detail: "There is nothing at this path." },
  "method-not-allowed": {
    status: 405,
    title: "Method Not Allowed",
    detail: "The path does not take this method. The Allow header lists those it takes.",
  },
  "request-timeout": {
    status: 408,
    title: "Request Timeout",
    detail: "The request took too long to arrive.",
  },
  "payload-too-large": {
    status: 413,
    title: "Payload Too Large",
    detail: "The request is larger than this service takes.",
  },
  "request-header-fields-too-large": {
    status: 431,
    title: "Request Header Fields Too Large",
    detail: "The request line and headers are larger than this service takes.",
  },
  "internal-server-error": {
    status: 500,
    title: "Internal Server Error",
    detail: "An unexpected error occurred.",
  },
  "service-unavailable": {
    status: 503,
    title: "Service Unavailable",
    detail: "The service took too long to answer. Try again shortly.",
  },
} as const satisfies Record<string, { status: number; title: string; detail: string }>

export type GatewayProblemCode = keyof typeof GATEWAY_PROBLEMS

/** The response of a refusal. Its body is `{code, title, detail, status}`. */
export function problemResponse(
  code: GatewayProblemCode,
  headers: Readonly<Record<string, string>> = {},
): ProxyResponse {
  const { status, title, detail } = GATEWAY_PROBLEMS[code]
  return {
    statusCode: status,
    headers: new Map([
      ["content-type", "application/problem+json"],
      ["cache-control", "no-store"],
      ...Object.entries(headers),
    ]),
    cookies: [],
    body: JSON.stringify({ code, title, detail, status }),
  }
}

/** The same as an HTTP message, for a connection on which no request could be understood. It closes the connection. */
export function problemMessage(code: GatewayProblemCode): string {
  const { statusCode, headers, body } = problemResponse(code)
  const fields = [...headers, ["content-length", String(body.length)], ["connection", "close"]]
  const lines = fields.map(([name, value]) => `${name}: ${value}\r\n`)
  return `HTTP/1.1 ${statusCode} ${STATUS_CODES[statusCode]}\r\n${lines.join("")}\r\n${body}`
}

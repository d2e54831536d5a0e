import { isOnlyChunked } from "@sealway/http/ingress"
import { answerPreflight, type CorsConfiguration } from "./cors.ts"
import { problemResponse, type Refusal } from "./problems.ts"
import type { ProxyResponse } from "./proxy-result.ts"
import type { RequestHeaders } from "./request-headers.ts"
import { parseRequestTarget, type RequestTarget } from "./request-target.ts"
import type { LambdaHandler } from "./route.ts"
import type { MatchedRoute, RouteTable } from "./route-table.ts"

/** The head of a request. */
export interface RequestHead {
  readonly method: string
  /** As it was sent. */
  readonly target: string
  /** `1.1` */
  readonly httpVersion: string
  readonly headers: RequestHeaders
  /** Whether it comes from this machine. */
  readonly isLocal: boolean
}

/** The decision before the body is read: the route of the request, or the answer that it gets instead. */
export type Admission =
  | {
      readonly kind: "admitted"
      readonly target: RequestTarget
      readonly match: MatchedRoute
      readonly handler: LambdaHandler
    }
  | { readonly kind: "storage" }
  /** Another process answers it. */
  | { readonly kind: "forwarded" }
  /** `isForOrigins`: whether pages of the origins in the CORS configuration may read the answer. */
  | { readonly kind: "answered"; readonly answer: ProxyResponse; readonly isForOrigins: boolean }

export interface AdmissionRules {
  readonly table: RouteTable
  /** Answers a request without a route, by its path. Null: another process does. */
  readonly answerUnknown: ((path: string) => ProxyResponse) | null
  readonly cors: CorsConfiguration | null
  readonly maxRequestBytes: number
  /** Whether a path leads to the storage. */
  readonly isOfStorage: (path: string) => boolean
  /** Whether a Host header, or the authority of a target, names this service. */
  readonly isServedHost: (host: string) => boolean
}

export function admitRequest(
  request: RequestHead,
  { table, answerUnknown, cors, maxRequestBytes, isOfStorage, isServedHost }: AdmissionRules,
): Admission {
  const { method, headers } = request
  const { host } = headers.fields
  if (host !== undefined && headers.hostCount === 1 && !isServedHost(host)) {
    return misdirected(request)
  }
  const target = parseRequestTarget(request.target)
  if (target === null || !isHttp1(request) || !isFramed(request)) return refusal("malformed")
  // It overrides the Host header (RFC 9112, section 3.2.2).
  if (target.authority !== null && !isServedHost(target.authority)) return misdirected(request)
  const preflight = cors === null ? null : answerPreflight(cors, method, headers.fields)
  if (preflight !== null) return { kind: "answered", answer: preflight, isForOrigins: false }
  if (target.authority === null && isOfStorage(request.target)) return { kind: "storage" }
  const match = table.match(method, target.routePath)
  if (match === null) {
    if (answerUnknown === null) return { kind: "forwarded" }
    return { kind: "answered", answer: answerUnknown(target.routePath), isForOrigins: true }
  }
  const { handler } = match.route
  if (handler === null) return { kind: "forwarded" }
  if (Number(headers.fields["content-length"] ?? 0) > maxRequestBytes) return refusal("too-large")
  return { kind: "admitted", target, match, handler }
}

/** Node.js accepts HTTP/0.9 and HTTP/2.0. There must be exactly one Host header (RFC 9112, section 3.2). */
function isHttp1({ httpVersion, headers: { hostCount } }: RequestHead): boolean {
  return httpVersion === "1.1" ? hostCount === 1 : httpVersion === "1.0" && hostCount <= 1
}

/** Two `Transfer-Encoding` fields are one with a comma here. */
function isFramed({ httpVersion, headers: { fields } }: RequestHead): boolean {
  const { "transfer-encoding": transferEncoding } = fields
  return transferEncoding === undefined || isOnlyChunked(httpVersion, transferEncoding)
}

function refusal(name: Refusal): Admission {
  return { kind: "answered", answer: problemResponse(name), isForOrigins: true }
}

function misdirected({ isLocal }: RequestHead): Admission {
  const answer = problemResponse(isLocal ? "misdirected-here" : "misdirected")
  return { kind: "answered", answer, isForOrigins: false }
}

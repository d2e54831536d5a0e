import { andThen, headerOf, type MaybePromise, type RawHeaders } from "@sealway/kernel"
import { formatHost } from "@sealway/relay"
import {
  type ContentType,
  MessageReport,
  messageProblem,
  parseContentType,
  RelayError,
  transformMessage,
} from "@sealway/relay-engine"
import type { UpstreamRequest } from "../exchange.ts"
import { forwardRequestHeaders } from "../hop-by-hop.ts"
import type { RelayLimits } from "../limits.ts"
import { type Exchange, readsResponse, type TransformDependencies, transformOptions } from "./exchange.ts"
import { requestHeaders } from "./forwarded-headers.ts"

/**
 * A request as it goes to the destination. A body that no action is for goes as it came.
 *
 * @throws RelayError
 */
export function outgoingRequest(
  exchange: Exchange,
  dependencies: TransformDependencies,
): MaybePromise<Pick<UpstreamRequest, "target" | "rawHeaders" | "body" | "contentLength">> {
  const { request, served, routes, record } = exchange
  const { mode, ip, method, target, body, contentLength } = request
  const forwarding = { mode, ip, routes, readsResponse: readsResponse(exchange) }
  const host = formatHost(served.relay.destination)
  const rawHeaders = forwardRequestHeaders(requestHeaders(request.rawHeaders, forwarding), { host, method })
  if (routes.request.list.length === 0 && served.compiled.leakWatch === "off") {
    requireSize(contentLength, readContentType(rawHeaders), dependencies.limits)
    return { target, rawHeaders, body, contentLength }
  }
  record.requestReport = new MessageReport(routes.request)
  const transformed = transformMessage(
    { direction: "request", target, status: null, rawHeaders, body, contentLength },
    routes.request,
    transformOptions(exchange, "request", dependencies),
  )
  return andThen(transformed, (sent) => ({ ...sent, target: sent.target ?? target }))
}

/** @throws RelayError `invalid-content-type` */
function readContentType(rawHeaders: RawHeaders): ContentType | null {
  try {
    return parseContentType(headerOf(rawHeaders, "content-type"))
  } catch (error) {
    throw messageProblem("request", error)
  }
}

/** The server takes as much as a body may have that is decrypted. @throws RelayError `payload-too-large` */
function requireSize(
  contentLength: number | null,
  contentType: ContentType | null,
  { maxPlainBodyBytes }: RelayLimits,
): void {
  if (contentLength === null || contentLength <= maxPlainBodyBytes) return
  if (contentType?.type === "multipart/form-data") return
  throw new RelayError("payload-too-large", `The request's body is larger than ${maxPlainBodyBytes} bytes.`)
}

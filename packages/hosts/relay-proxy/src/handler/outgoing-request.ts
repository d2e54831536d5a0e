import { andThen, headerOf, type MaybePromise, type RawHeaders } from "@sealway/kernel"
import { formatHost } from "@sealway/relay"
import {
  type ContentType,
  formatOf,
  MessageReport,
  messageProblem,
  parseContentType,
  requireSize,
  transformMessage,
} from "@sealway/relay-engine"
import type { UpstreamRequest } from "../exchange.ts"
import {
  type Exchange,
  readsResponse,
  requestedOrigin,
  type TransformDependencies,
  transformOptions,
} from "./exchange.ts"
import { requestHeaders } from "./forwarded-headers.ts"

/**
 * Builds the request for the destination. A body without actions is passed on unchanged.
 *
 * @throws RelayError
 */
export function outgoingRequest(
  exchange: Exchange,
  dependencies: TransformDependencies,
): MaybePromise<Pick<UpstreamRequest, "target" | "rawHeaders" | "body" | "contentLength">> {
  const { request, served, routes, record, allowance } = exchange
  const { mode, ip, method, target, body, contentLength } = request
  const rawHeaders = requestHeaders(request.rawHeaders, {
    mode,
    ip,
    method,
    routes,
    host: formatHost(served.relay.destination),
    origin: requestedOrigin(request),
    readsResponse: readsResponse(exchange),
    forwardedHeaders: served.relay.forwardedHeaders,
  })
  const { list, watchesMethod } = routes.request
  if (list.length === 0 && !watchesMethod && served.compiled.leakWatch === "off") {
    // The server accepts the larger size of a body to be decrypted.
    requireSize(contentLength, formatOf(readContentType(rawHeaders)), dependencies.limits.maxPlainBodyBytes)
    return { target, rawHeaders, body, contentLength }
  }
  record.requestReport = new MessageReport(routes.request)
  const transformed = transformMessage(
    { direction: "request", method, target, status: null, rawHeaders, body, contentLength },
    routes.request,
    transformOptions(exchange, "request", dependencies),
  )
  return andThen(transformed, (sent) => {
    const isStillChanging = sent.isBodyChanged && sent.contentLength === null
    if (isStillChanging && list.length > 0) allowance.passOn()
    return { ...sent, target: sent.target ?? target }
  })
}

/** @throws RelayError `invalid-content-type` */
function readContentType(rawHeaders: RawHeaders): ContentType | null {
  try {
    return parseContentType(headerOf(rawHeaders, "content-type"))
  } catch (error) {
    throw messageProblem("request", error)
  }
}

import { headerOf, headersWithout, type MaybePromise, type RawHeaders } from "@sealway/kernel"
import {
  headersOfChangedBody,
  MessageReport,
  type Operations,
  RelayError,
  transformMessage,
  withoutOwnSubject,
} from "@sealway/relay-engine"
import type { OutboundReply, UpstreamReply } from "../exchange.ts"
import { forwardResponseHeaders, forwardTrailers } from "../hop-by-hop.ts"
import { type Exchange, readsResponse, type TransformDependencies, transformOptions } from "./exchange.ts"
import { responseHeaders } from "./forwarded-headers.ts"
import { withOwnLocations } from "./rewrite-locations.ts"

const PARTIAL_CONTENT = 206

/**
 * Builds the answer for the client from the destination's. A body without actions is passed on unchanged.
 *
 * @throws RelayError
 */
export function incomingReply(
  exchange: Exchange,
  reply: UpstreamReply,
  dependencies: TransformDependencies,
): MaybePromise<OutboundReply> {
  const { routes } = exchange
  const own = responseHeaders(reply.rawHeaders)
  if (routes.response.list.length > 0 || readsResponse(exchange)) {
    return changedReply(exchange, reply, own, dependencies)
  }
  const { status, statusMessage, body, trailers } = reply
  return {
    status,
    statusMessage,
    body,
    rawHeaders: forwardResponseHeaders(withOwnLocations(exchange, own)),
    trailers: () => withOwnLocations(exchange, forwardTrailers(trailers())),
  }
}

/** Stops reading the body of an answer that cannot be changed. */
async function changedReply(
  exchange: Exchange,
  reply: UpstreamReply,
  own: RawHeaders,
  dependencies: TransformDependencies,
): Promise<OutboundReply> {
  try {
    return await changeReply(exchange, reply, own, dependencies)
  } catch (error) {
    if (reply.body !== null && !Buffer.isBuffer(reply.body)) reply.body.destroy()
    throw error
  }
}

async function changeReply(
  exchange: Exchange,
  { status, statusMessage, body, trailers }: UpstreamReply,
  own: RawHeaders,
  dependencies: TransformDependencies,
): Promise<OutboundReply> {
  const { routes, record } = exchange
  const { touchesBody } = routes.response
  if (status === PARTIAL_CONTENT && touchesBody) {
    throw new RelayError(
      "proxy-error",
      "The destination sent a partial response, which the route's actions cannot process.",
      { stage: "response" },
    )
  }
  record.responseReport = new MessageReport(routes.response)
  const changed = await transformMessage(
    {
      direction: "response",
      method: null,
      target: null,
      status,
      rawHeaders: own,
      body,
      contentLength: lengthOf(own),
    },
    routes.response,
    transformOptions(exchange, "response", dependencies),
  )
  // The length in the answer to a HEAD, or in a 304, is not what the body of a GET would have.
  const isBodyChanged = changed.isBodyChanged || (body === null && touchesBody)
  return {
    status,
    statusMessage,
    rawHeaders: forwardResponseHeaders(withOwnLocations(exchange, changed.rawHeaders), { isBodyChanged }),
    body: changed.body,
    trailers: () => {
      // Trailers do not get the treatment of headers, so one with a selected name must not pass.
      const located = withOwnLocations(exchange, forwardTrailers(trailers()))
      const all = withoutOwnSubject(routes.response, located)
      const forwarded = headersWithout(all, (name) => isSelected(routes.response, name))
      return isBodyChanged ? headersOfChangedBody(forwarded) : forwarded
    },
  }
}

function isSelected({ header }: Operations, name: string): boolean {
  return header.selectors.some((selector) => selector.toLowerCase() === name)
}

function lengthOf(rawHeaders: RawHeaders): number | null {
  const value = headerOf(rawHeaders, "content-length")
  return value !== undefined && /^[0-9]{1,15}$/.test(value) ? Number(value) : null
}

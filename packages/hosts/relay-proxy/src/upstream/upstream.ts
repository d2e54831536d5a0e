import { lookup as dnsLookup } from "node:dns"
import type { LookupFunction } from "node:net"
import { createTurnEnd } from "@sealway/kernel"
import { RelayError } from "@sealway/relay-engine"
import { errors } from "undici"
import type { InboundRequest, Upstream, UpstreamReply, UpstreamRequest } from "../exchange.ts"
import { HeldBody } from "../held-body.ts"
import { RELAY_LIMITS, type RelayLimits } from "../limits.ts"
import { type DestinationPool, DestinationPools } from "./destination-pools.ts"
import { RequestHeads, requireWritable } from "./request-heads.ts"
import { toRelayError } from "./upstream-error.ts"
import { UpstreamExchange } from "./upstream-exchange.ts"

export interface UpstreamOptions {
  /** True when destinations may be private, loopback or link-local, and may be reached without TLS. */
  readonly allowPrivate: boolean
  /** Default: the system's resolver. */
  readonly lookup?: LookupFunction
  /** PEM certificates of authorities trusted in addition to those that Node.js trusts. Default: none. */
  readonly authorities?: readonly string[]
  /** Default: `RELAY_LIMITS`. */
  readonly limits?: Partial<RelayLimits>
}

/** RFC 9110 section 9.2.2. A proxy must not send any other request twice. */
const IDEMPOTENT: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS", "PUT", "DELETE"])

/**
 * Creates the upstream. Call it once, where a process starts: it keeps connections open.
 *
 * Nothing is sent twice, with one exception: a destination may close an idle connection at the very moment when the
 * next request is sent on it. An idempotent request with a complete body is then sent once more, if the connection had
 * answered others before and not a byte of an answer arrived.
 *
 * Framing is generated: `Content-Length` when the size is known, in the place and case of the request's own if it has
 * one; otherwise chunks. An unrequested `100 Continue` in the answer counts as invalid HTTP.
 */
export function createUpstream(options: UpstreamOptions): Upstream {
  const limits = { ...RELAY_LIMITS, ...options.limits }
  const atTurnEnd = createTurnEnd()
  /** How many bytes sockets had read before they broke off, by the error that reports it. */
  const bytesReadBefore = new WeakMap<Error, number>()
  const heads = new RequestHeads()
  const pools = new DestinationPools({
    allowPrivate: options.allowPrivate,
    lookup: options.lookup ?? dnsLookup,
    authorities: options.authorities ?? [],
    limits,
    heads,
    onSocketError: (error, bytesRead) => bytesReadBefore.set(error, bytesRead),
  })

  function sendOnce(request: UpstreamRequest, isLast: boolean): Promise<UpstreamReply> {
    return new Promise((resolve, reject) => {
      const { method, target: path, rawHeaders } = request
      const destination = place(request)
      const { body, contentLength } = readable(request)
      const { reference, headers } = heads.refer({ method, target: path, rawHeaders, body })
      const exchange = new UpstreamExchange({
        request,
        timeoutMs: limits.exchangeTimeoutMs,
        maxBufferedBytes: limits.maxBufferedBytes,
        isRepeatable: !isLast && isRepeatable(request),
        resolve,
        reject(error, isUnanswered) {
          const mayRepeat =
            !isLast && isUnanswered && isRepeatable(request) && wasReused(error, bytesReadBefore)
          if (mayRepeat) resolve(sendOnce(request, true))
          else reject(toRelayError(error, "destination"))
          return mayRepeat
        },
        release: () => {
          destination.inFlight -= 1
          heads.forget(reference)
        },
      })
      const isSized = body !== null && !Buffer.isBuffer(body) && contentLength !== null
      if (isSized) headers.push("content-length", String(contentLength))
      // Requests of one turn are sent together, like answers, so that whoever waits for them is woken once.
      atTurnEnd(() => destination.pool.dispatch({ method, path, headers, body }, exchange))
    })
  }

  /** @throws RelayError when the request cannot be sent */
  function place(request: UpstreamRequest): DestinationPool {
    try {
      if (request.signal.aborted) throw new RelayError("bad-request", "The client closed the connection.")
      requireWritable(request.rawHeaders)
      return pools.take(request)
    } catch (error) {
      request.onReleased()
      throw error
    }
  }

  return { send: (request) => sendOnce(request, false), close: () => pools.close() }
}

function isRepeatable({ method, body, signal }: UpstreamRequest): boolean {
  if (!IDEMPOTENT.has(method) || signal.aborted) return false
  return body === null || Buffer.isBuffer(body) || (body instanceof HeldBody && body.isThere)
}

/** Returns the body as undici takes it, and the length of a stream. */
function readable({ body, contentLength }: UpstreamRequest): Pick<InboundRequest, "body" | "contentLength"> {
  return body instanceof HeldBody
    ? { body: body.read(), contentLength: body.length }
    : { body, contentLength }
}

/** Whether a connection that broke off had delivered an answer before. Over TLS its handshake counts as one. */
function wasReused(error: unknown, bytesReadBefore: WeakMap<Error, number>): boolean {
  if (!(error instanceof Error)) return false
  const bytesRead = error instanceof errors.SocketError ? error.socket?.bytesRead : bytesReadBefore.get(error)
  return (bytesRead ?? 0) > 0
}

import {
  childTraceparent,
  headersWithout,
  headerValues,
  type RawHeaders,
  readTraceContext,
  type TraceContext,
} from "@sealway/kernel"
import { type Destination, formatHost, type ProxyMode, type Relay } from "@sealway/relay"
import type { MatchedRoutes } from "@sealway/relay-engine"
import { type ForwardedRequest, forwardRequestHeaders } from "../hop-by-hop.ts"
import { API_KEY_HEADER, APP_ID_HEADER } from "./authenticate.ts"

/** Headers in which proxies tell the origin and the path of a request: the registered one, and all of `X-Forwarded-*`. */
const FORWARDED = /^(?:x-)?(?:original-)?forwarded(?:-|$)/

/** The relay's own credentials, and other headers in which a client may claim the origin of its request. */
const DROPPED: ReadonlySet<string> = new Set([
  API_KEY_HEADER,
  APP_ID_HEADER,
  "x-original-host",
  "x-real-ip",
  "x-client-ip",
  "x-cluster-client-ip",
  "x-remote-ip",
  "x-remote-addr",
  "true-client-ip",
  "client-ip",
  "cf-connecting-ip",
  "cf-connecting-ipv6",
  "fastly-client-ip",
  "fly-client-ip",
])

const NO_HEADERS: RawHeaders = []
const ERROR_CODE_HEADER = "x-service-error-code"

/** The codings in which a response can be read. */
const CODINGS: ReadonlySet<string> = new Set(["gzip", "x-gzip", "deflate", "br", "zstd", "identity"])
const ANY_CODING = "gzip, deflate, br, zstd"

export interface Forwarding extends Pick<ForwardedRequest, "host" | "method"> {
  readonly mode: ProxyMode
  /** The client's address. */
  readonly ip: string
  /** The origin at which the client reached the relay. */
  readonly origin: Destination
  /** How the destination is told of that. */
  readonly forwardedHeaders: Relay["forwardedHeaders"]
  readonly routes: MatchedRoutes
  /** Whether the response's body will be read. */
  readonly readsResponse: boolean
}

/**
 * Returns a request's headers to forward, without what is meant for the relay, and what a client claims about its address
 * and the relay's. A destination behind a reverse proxy receives the true ones; one behind a forward proxy receives none, as if
 * there were no proxy. If the response will be read, it is requested as a whole and in a readable coding.
 *
 * @throws RelayError see `forwardRequestHeaders`
 */
export function requestHeaders(rawHeaders: RawHeaders, forwarding: Forwarding): RawHeaders {
  const { mode, routes, readsResponse, host, method } = forwarding
  const forwarded = forwardRequestHeaders(rawHeaders, {
    host,
    method,
    isDropped: routes.response.touchesBody ? isDroppedForWhole : isForRelay,
    added: mode === "reverse" ? trueOrigins(forwarding) : NO_HEADERS,
  })
  const traced = withChildOfTrace(forwarded)
  return readsResponse ? withReadableCodings(traced) : traced
}

/** Whether the destination must not get a client's header of this name. */
function isForRelay(name: string): boolean {
  return DROPPED.has(name) || FORWARDED.test(name)
}

/** The same for a response that will be read as a whole: the client may not ask for a part of it. */
function isDroppedForWhole(name: string): boolean {
  return name === "range" || name === "if-range" || isForRelay(name)
}

/** Says where a request comes from, and at which address of the relay it arrived, so that URLs can be made for it. */
function trueOrigins({ ip, origin, forwardedHeaders }: Forwarding): readonly string[] {
  if (forwardedHeaders === "off") return ["X-Forwarded-For", ip]
  const host = formatHost(origin)
  if (forwardedHeaders === "x-forwarded") {
    return ["X-Forwarded-For", ip, "X-Forwarded-Host", host, "X-Forwarded-Proto", origin.scheme]
  }
  // RFC 7239. In quotes, because a host may have a port, and an address colons.
  const node = ip.includes(":") ? `[${ip}]` : ip
  return ["X-Forwarded-For", ip, "Forwarded", `for="${node}";host="${host}";proto=${origin.scheme}`]
}

/** Returns the trace that a request belongs to; null for none. */
export function traceOf(rawHeaders: RawHeaders): TraceContext | null {
  const traceparents = headerValues(rawHeaders, "traceparent")
  if (traceparents.length !== 1) return null
  return readTraceContext(traceparents[0], headerValues(rawHeaders, "tracestate").join() || undefined)
}

/**
 * Continues the trace of a request, if it belongs to one: the destination's parent is this relay. A malformed header
 * passes unchanged, because it is no trace, and a request without one gets none: destinations are others' systems.
 */
function withChildOfTrace(rawHeaders: RawHeaders): RawHeaders {
  const trace = traceOf(rawHeaders)
  if (trace === null) return rawHeaders
  return rawHeaders.map((value, index) =>
    index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === "traceparent"
      ? childTraceparent(trace)
      : value,
  )
}

/**
 * Removes from a response's headers what only a relay may say, and other ways to the destination (`Alt-Svc`, RFC 7838),
 * which would lead clients of a forward proxy around it.
 */
export function responseHeaders(rawHeaders: RawHeaders): RawHeaders {
  return headersWithout(rawHeaders, (name) => name === ERROR_CODE_HEADER || name === "alt-svc")
}

function withReadableCodings(rawHeaders: RawHeaders): RawHeaders {
  return rawHeaders.map((value, index) => {
    const isValue = index % 2 === 1
    return isValue && rawHeaders[index - 1]?.toLowerCase() === "accept-encoding"
      ? readableCodings(value)
      : value
  })
}

/** RFC 9110, section 12.5.3. `*` includes unknown codings, unless it is alone. */
function readableCodings(value: string): string {
  const listed = value.split(",").map((each) => each.trim())
  const readable = listed.filter((each) => CODINGS.has(nameOf(each)))
  if (readable.length > 0) return readable.join(", ")
  return listed.some((each) => nameOf(each) === "*" && !/;\s*q=0(?:\.0*)?$/i.test(each))
    ? ANY_CODING
    : "identity"
}

function nameOf(coding: string): string {
  return (coding.split(";")[0] ?? "").trim().toLowerCase()
}

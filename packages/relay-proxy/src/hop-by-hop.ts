import { eachHeader, headersWithout, headerValues, type RawHeaders } from "@sealway/kernel"
import { applicationName, RelayError } from "@sealway/relay-engine"

/** How relays name themselves in `Via` (RFC 9110 section 7.6.3). */
const VIA = "1.1 sealway-relay"
/** A relay's destination may be another relay. One that leads back to itself would go on for ever. */
const MAX_RELAYS_PASSED = 4

/**
 * Never forwarded, whether `Connection` lists them or not: RFC 9110 section 7.6.1 and RFC 9112, and what old clients
 * mean for proxies. `Trailer` and `TE` too: trailers are forwarded by the rules of `forwardTrailers`, of answers only.
 */
const HOP_BY_HOP: ReadonlySet<string> = new Set([
  "connection",
  "keep-alive",
  "proxy-connection",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-authentication-info",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
  "http2-settings",
])

/**
 * What `Connection` cannot have removed: a client that could would hide from a destination what this relay, or a proxy
 * in front of it, has put there or decided on.
 */
const END_TO_END: ReadonlySet<string> = new Set([
  "host",
  "content-length",
  "content-type",
  "content-encoding",
  "authorization",
  "cookie",
  "set-cookie",
  "via",
  "forwarded",
  "x-forwarded-for",
  "x-forwarded-host",
  "x-forwarded-proto",
  "x-real-ip",
  "x-service-api-key",
  "x-service-app-id",
  "x-service-error-code",
])

/** May stand in no trailer section: framing, routing, authentication and what says how to read a body (RFC 9110 section 6.5.1). */
const NOT_IN_TRAILERS: ReadonlySet<string> = new Set([
  ...HOP_BY_HOP,
  ...END_TO_END,
  "age",
  "cache-control",
  "content-range",
  "date",
  "expect",
  "expires",
  "location",
  "max-forwards",
  "pragma",
  "range",
  "retry-after",
  "vary",
  "warning",
  "www-authenticate",
])

export interface ForwardedRequest {
  /** The value of `Host` toward the destination. It takes the place that the client's had. */
  readonly host: string
  /** Upper case. */
  readonly method: string
}

/**
 * A request's headers as they are forwarded: hop-by-hop ones and framing left out, `Host` the destination's, `Via`
 * added, everything else in its order, case and number. An `Expect` is met by the server, and goes no further.
 *
 * @throws RelayError `bad-request` when the request has passed through too many relays: most likely one leads to itself
 */
export function forwardRequestHeaders(rawHeaders: RawHeaders, { host, method }: ForwardedRequest): string[] {
  const listed = connectionOptions(rawHeaders)
  const forwarded: string[] = []
  let passed = 0
  let hasHost = false
  eachHeader(rawHeaders, (name, value) => {
    const key = name.toLowerCase()
    if (key === "content-length") {
      forwarded.push(name, value)
      return
    }
    if (isOfHop(applicationName(name)) || listed?.has(key)) return
    if (key === "host") {
      if (!hasHost) forwarded.push(name, host)
      hasHost = true
      return
    }
    if (key === "via") passed += value.split(VIA).length - 1
    forwarded.push(name, key === "max-forwards" && method === "OPTIONS" ? oneLess(value) : value)
  })
  if (passed > MAX_RELAYS_PASSED) {
    throw new RelayError(
      "bad-request",
      "The request has passed through too many relays. One may lead to itself.",
    )
  }
  if (!hasHost) forwarded.unshift("Host", host)
  forwarded.push("Via", VIA)
  return forwarded
}

/** By the name that applications see: a `Transfer_Encoding` would frame the body anew for those that a gateway serves. */
function isOfHop(name: string): boolean {
  return name === "content-length" || name === "expect" || HOP_BY_HOP.has(name)
}

export interface ForwardedResponse {
  /** True when the body is another than the destination's, or may be: its `Content-Length` no longer holds. Default: false. */
  readonly isBodyChanged?: boolean
}

/** A response's headers as they are forwarded: hop-by-hop ones left out, `Via` added, all others in order, case and number. */
export function forwardResponseHeaders(
  rawHeaders: RawHeaders,
  { isBodyChanged = false }: ForwardedResponse = {},
): string[] {
  const listed = connectionOptions(rawHeaders)
  const forwarded: string[] = []
  eachHeader(rawHeaders, (name, value) => {
    const key = name.toLowerCase()
    if (HOP_BY_HOP.has(key) || listed?.has(key) || (isBodyChanged && key === "content-length")) return
    forwarded.push(name, value)
  })
  forwarded.push("Via", VIA)
  return forwarded
}

/** A response's trailers as they are forwarded: without those that nothing may be decided by after a body. */
export function forwardTrailers(rawTrailers: RawHeaders): RawHeaders {
  return headersWithout(rawTrailers, (name) => NOT_IN_TRAILERS.has(name))
}

/** Names that `Connection` lists, but for those it has no say in. Null when there are none, as nearly always. */
function connectionOptions(rawHeaders: RawHeaders): ReadonlySet<string> | null {
  let listed: Set<string> | null = null
  for (const value of headerValues(rawHeaders, "connection")) {
    if (/^(?:keep-alive|close)$/i.test(value)) continue
    for (const option of value.split(",")) {
      const key = option.trim().toLowerCase()
      if (END_TO_END.has(key)) continue
      listed ??= new Set()
      listed.add(key)
    }
  }
  return listed
}

/** A `Max-Forwards` for the next hop. Zero does not come here: the server has answered. */
function oneLess(value: string): string {
  return /^[0-9]{1,9}$/.test(value) && value !== "0" ? String(Number(value) - 1) : value
}

import { headersWithout, headerValues, type RawHeaders } from "@sealway/kernel"
import { applicationName, RelayError } from "@sealway/relay-engine"

/** The name of relays in `Via` (RFC 9110 section 7.6.3). */
const VIA = "1.1 sealway-relay"
/** A relay's destination may be another relay. One that leads back to itself would loop forever. */
const MAX_RELAYS_PASSED = 4

/**
 * Never forwarded, whether `Connection` lists them or not: RFC 9110 section 7.6.1 and RFC 9112, and what old clients
 * send to proxies. `Trailer` and `TE` too: trailers are forwarded by `forwardTrailers`, in answers only.
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
 * What `Connection` cannot remove: a client could otherwise hide from a destination what this relay, or a proxy in
 * front of it, has set or decided on.
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

/** Not allowed in trailers: framing, routing, authentication and how to read a body (RFC 9110 section 6.5.1). */
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
  /** The value of `Host` for the destination. It replaces the client's, in the same place. */
  readonly host: string
  /** Upper case. */
  readonly method: string
  /** Drops further headers, by the name that applications see. Default: none. */
  readonly isDropped?: (name: string) => boolean
  /** What is added before `Via`. Default: nothing. */
  readonly added?: RawHeaders
}

const NO_HEADERS: RawHeaders = []
const dropsNone = () => false

/**
 * Returns a request's headers to forward: without hop-by-hop ones, with the destination's `Host`, `Via` added, and
 * everything else with order, case and duplicates kept. The server answers an `Expect` itself.
 *
 * @throws RelayError `bad-request` when the request passed through too many relays: most likely one leads to itself
 */
export function forwardRequestHeaders(
  rawHeaders: RawHeaders,
  { host, method, isDropped = dropsNone, added = NO_HEADERS }: ForwardedRequest,
): string[] {
  const listed = connectionOptions(rawHeaders)
  const forwarded: string[] = []
  let passed = 0
  let hasHost = false
  for (let index = 1; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index - 1] ?? ""
    const value = rawHeaders[index] ?? ""
    const key = name.toLowerCase()
    if (key === "content-length") {
      forwarded.push(name, value)
      continue
    }
    const seen = applicationName(key)
    if (isOfHop(seen) || isDropped(seen) || listed?.has(key)) continue
    if (key === "host") {
      if (!hasHost) forwarded.push(name, host)
      hasHost = true
      continue
    }
    if (key === "via") passed += value.split(VIA).length - 1
    forwarded.push(name, key === "max-forwards" && method === "OPTIONS" ? oneLess(value) : value)
  }
  if (passed > MAX_RELAYS_PASSED) {
    throw new RelayError(
      "bad-request",
      "The request has passed through too many relays. There may be a loop.",
    )
  }
  if (!hasHost) forwarded.unshift("Host", host)
  for (const text of added) forwarded.push(text)
  forwarded.push("Via", VIA)
  return forwarded
}

/**
 * Compares the name that applications see: a `Transfer_Encoding` would reframe the body for applications behind a
 * gateway.
 */
function isOfHop(name: string): boolean {
  return name === "content-length" || name === "expect" || HOP_BY_HOP.has(name)
}

export interface ForwardedResponse {
  /** True when the body has changed, or may have: its `Content-Length` no longer holds. Default: false. */
  readonly isBodyChanged?: boolean
}

/**
 * Returns a response's headers to forward: without hop-by-hop ones, with `Via` added, and all others with order, case
 * and duplicates kept.
 */
export function forwardResponseHeaders(
  rawHeaders: RawHeaders,
  { isBodyChanged = false }: ForwardedResponse = {},
): string[] {
  const listed = connectionOptions(rawHeaders)
  const forwarded: string[] = []
  for (let index = 1; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index - 1] ?? ""
    const key = name.toLowerCase()
    if (HOP_BY_HOP.has(key) || listed?.has(key) || (isBodyChanged && key === "content-length")) continue
    forwarded.push(name, rawHeaders[index] ?? "")
  }
  forwarded.push("Via", VIA)
  return forwarded
}

/** Returns a response's trailers to forward: without fields that must not be decided by after a body. */
export function forwardTrailers(rawTrailers: RawHeaders): RawHeaders {
  return headersWithout(rawTrailers, (name) => NOT_IN_TRAILERS.has(name))
}

/**
 * Returns the names that `Connection` lists, except those that it cannot remove. Null when there are none, as nearly
 * always.
 */
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

/** Decrements a `Max-Forwards`. Zero does not get here: the server has answered. */
function oneLess(value: string): string {
  return /^[0-9]{1,9}$/.test(value) && value !== "0" ? String(Number(value) - 1) : value
}

import { headersWithout, type RawHeaders } from "@sealway/kernel"
import type { ProxyMode } from "@sealway/relay"
import { applicationName, type MatchedRoutes } from "@sealway/relay-engine"
import { API_KEY_HEADER, APP_ID_HEADER } from "./authenticate.ts"

/** The relay's own credentials; and what a client may claim of where its request comes from, or which way it took. */
const DROPPED: ReadonlySet<string> = new Set([
  API_KEY_HEADER,
  APP_ID_HEADER,
  "forwarded",
  "x-forwarded",
  "x-forwarded-for",
  "x-forwarded-by",
  "x-forwarded-host",
  "x-forwarded-port",
  "x-forwarded-prefix",
  "x-forwarded-proto",
  "x-forwarded-protocol",
  "x-forwarded-scheme",
  "x-forwarded-server",
  "x-forwarded-ssl",
  "x-original-forwarded-for",
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

const ERROR_CODE_HEADER = "x-service-error-code"

/** Codings that a response can be read in. */
const CODINGS: ReadonlySet<string> = new Set(["gzip", "x-gzip", "deflate", "br", "zstd", "identity"])
const ANY_CODING = "gzip, deflate, br, zstd"

export interface Forwarding {
  readonly mode: ProxyMode
  /** The client's address. */
  readonly ip: string
  readonly routes: MatchedRoutes
  /** Whether the response's body is going to be read. */
  readonly readsResponse: boolean
}

/**
 * A request's headers without what is meant for the relay, and without what a client claims about its address. A
 * destination behind a reverse proxy is told the true one, in `X-Forwarded-For`; one behind a forward proxy is not
 * told anything, as if there were no proxy. Where the response is going to be read, it is asked for in a coding that
 * can be, and as a whole.
 */
export function requestHeaders(
  rawHeaders: RawHeaders,
  { mode, ip, routes, readsResponse }: Forwarding,
): RawHeaders {
  const asksForWhole = routes.response.touchesBody
  const kept = headersWithout(
    rawHeaders,
    (name) =>
      DROPPED.has(applicationName(name)) || (asksForWhole && (name === "range" || name === "if-range")),
  )
  const narrowed = readsResponse ? withReadableCodings(kept) : kept
  return mode === "reverse" ? [...narrowed, "X-Forwarded-For", ip] : narrowed
}

/**
 * A response's headers without what only a relay says, and without other ways to the destination (`Alt-Svc`, RFC 7838),
 * which would lead clients of a forward proxy past it.
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

/** RFC 9110, section 12.5.3. `*` stands for codings that nobody knows, unless it is all there is. */
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

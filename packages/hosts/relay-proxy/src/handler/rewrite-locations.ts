import { isUtf8 } from "node:buffer"
import { headerOf, type RawHeaders, someHeader } from "@sealway/kernel"
import { type Destination, formatHost, hasUsualPort, USUAL_PORTS } from "@sealway/relay"
import { type Exchange, requestedOrigin } from "./exchange.ts"

/** Changes a URL reference (RFC 3986 section 4.1). */
type Change = (reference: string) => string

/** `5; url="…"`, as browsers read it (HTML Standard, "shared declarative refresh steps"). Matches every value. */
const REFRESH = /^([\s0-9.]*[;,]?\s*(?:url\s*=\s*)?["']?)(.*)$/is

/** A quoted string, whose content is none of our business, or `<` and a target (RFC 8288 section 3). */
const LINK_PARTS = /"(?:[^"\\]|\\.)*"?|<[^<>]*/gs

/** White space, a scheme, any number of slashes as browsers and curl accept them, user information, and a host with a port. */
const AUTHORITY = /^(\s*)(?:(https?):[/\\]*|[/\\]{2,})((?:[^/\\?#\s]*@)?)([^/\\?#@"'\s]+)/i

/** Browsers remove them from URLs (URL Standard, "basic URL parser"). */
const IN_NO_URL = /\t/g

/** The headers by which clients find the address of their next request, and where the references in each are. */
const REFERRING: ReadonlyMap<string, (value: string, change: Change) => string> = new Map([
  ["location", (value, change) => change(value)],
  ["content-location", (value, change) => change(value)],
  ["refresh", (value, change) => value.replace(REFRESH, (_, time, reference) => time + change(reference))],
  ["link", (value, change) => value.replace(LINK_PARTS, (part) => changeTarget(part, change))],
])

/** Nearly all other names already differ in their length. */
const LENGTHS: ReadonlySet<number> = new Set([...REFERRING.keys()].map(({ length }) => length))

/** Changes the headers of an answer as `rewriteLocations` does, if the relay does so. */
export function withOwnLocations({ request, served }: Exchange, rawHeaders: RawHeaders): RawHeaders {
  const { rewriteLocations: rewrites, destination } = served.relay
  // The client of a forward proxy addresses the destination itself, and its next request comes here too.
  if (!rewrites || request.mode === "forward" || !someHeader(rawHeaders, isReferring)) return rawHeaders
  // A proxy of the operator's own may end TLS in front of this process. Its clients must not be led on without.
  const isSecured = /^https\b/i.test(headerOf(request.rawHeaders, "x-forwarded-proto") ?? "")
  const own = requestedOrigin(isSecured ? { ...request, scheme: "https" } : request)
  return rewriteLocations(rawHeaders, destination, own)
}

/**
 * Changes the URLs by which an answer leads its client to the destination itself, past the relay, so that they lead to
 * the relay: `Location`, `Content-Location`, `Refresh` and the targets of `Link`. Only the origin changes, everything
 * else stays byte for byte. So do relative references and other origins.
 *
 * `http` and `https` are not distinguished: a program that is reached through TLS often does not know it.
 *
 * @param own the relay's origin, as its client reached it
 */
export function rewriteLocations(
  rawHeaders: RawHeaders,
  destination: Destination,
  own: Destination,
): RawHeaders {
  const change = (reference: string) => {
    const read = reference.replace(IN_NO_URL, "")
    const changed = read.replace(
      AUTHORITY,
      (whole, space: string, scheme: string | undefined, user: string, host: string) =>
        leadsTo(destination, scheme?.toLowerCase() === "http" ? "http" : "https", host)
          ? `${space}${own.scheme}://${user}${formatHost(own)}`
          : whole,
    )
    return changed === read ? reference : changed
  }
  return rawHeaders.map((value, index) => {
    const name = rawHeaders[index - 1]
    const rewrite = index % 2 === 1 && name !== undefined ? REFERRING.get(name.toLowerCase()) : undefined
    return rewrite === undefined ? value : rewrite(value, change)
  })
}

function changeTarget(part: string, change: Change): string {
  return part.startsWith("<") ? `<${change(part.slice(1))}` : part
}

function isReferring(name: string): boolean {
  return LENGTHS.has(name.length) && REFERRING.has(name.toLowerCase())
}

/** @param text a host with an optional port, as in a header */
function leadsTo(destination: Destination, scheme: Destination["scheme"], text: string): boolean {
  const bytes = Buffer.from(text, "latin1")
  const url = URL.parse(`${scheme}://${isUtf8(bytes) ? bytes.toString() : text}`)
  if (url === null) return false
  const host = url.hostname.replace(/^\[|\]$/g, "").replace(/\.$/, "")
  if (host !== destination.host) return false
  if (url.port !== "") return Number(url.port) === destination.port
  return hasUsualPort(destination) || USUAL_PORTS[scheme] === destination.port
}

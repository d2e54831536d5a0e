import { createHash } from "node:crypto"
import { destinationKey, hasUsualPort } from "./destination.ts"
import type { Destination } from "./relay.ts"

/** RFC 1035 section 2.3.4. */
const MAX_LABEL_CHARACTERS = 63
const HASH_CHARACTERS = 8
/** Region labels. They cannot be confused with apps' labels, which start with `app-`. */
const REGIONS: ReadonlySet<string> = new Set(["us", "eu"])

/**
 * Returns the possible domains of a relay, in order of preference: `api-example-com.app-1a2b3c.relay.example.com`, and
 * the same with a hash of the destination, in case another destination of the app has the first one. Two destinations
 * can look alike with dashes for dots (`a.b.com`, `a-b.com`).
 *
 * @param relayDomain the suffix of all relays' domains
 */
export function relayDomainsOf(
  destination: Destination,
  appId: string,
  relayDomain: string,
): readonly [string, string] {
  const readable = readableLabel(destination)
  const hashed = hashedLabel(readable, destination)
  const isFit = readable !== "" && readable.length <= MAX_LABEL_CHARACTERS
  const first = isFit ? readable : hashed
  const domainOf = (label: string) => `${label}.${appId.replaceAll("_", "-")}.${relayDomain}`
  return [domainOf(first), domainOf(hashed)]
}

/** Whether a host is below the domain of all relays, as opposed to a customer's own. @param host lower case */
export function isRelaySubdomain(host: string, relayDomain: string): boolean {
  return host.endsWith(`.${relayDomain}`)
}

/**
 * Removes the region label from a relay's domain: `x.app-1.eu.relay.example.com` becomes `x.app-1.relay.example.com`.
 */
export function stripRegion(host: string, relayDomain: string): string {
  if (!isRelaySubdomain(host, relayDomain)) return host
  const end = host.length - relayDomain.length - 1
  const start = host.lastIndexOf(".", end - 1) + 1
  return start > 0 && REGIONS.has(host.slice(start, end)) ? host.slice(0, start) + relayDomain : host
}

/** Includes the port if it is not the scheme's default: `api-example-com-8443`. */
function readableLabel(destination: Destination): string {
  const name = hasUsualPort(destination) ? destination.host : destinationKey(destination)
  const label = name.replace(/[^a-z0-9-]/g, "-").replace(/^-+|-+$/g, "")
  // RFC 5890 section 2.3.1: a label that starts with `xn--` must be decodable, which this one is not.
  return /^..--/.test(label) ? `idn-${label}` : label
}

function hashedLabel(readable: string, destination: Destination): string {
  const hash = createHash("sha256")
    .update(destinationKey(destination))
    .digest("hex")
    .slice(0, HASH_CHARACTERS)
  const kept = readable.slice(0, MAX_LABEL_CHARACTERS - HASH_CHARACTERS - 1).replace(/-+$/, "")
  return kept === "" ? `d-${hash}` : `${kept}-${hash}`
}

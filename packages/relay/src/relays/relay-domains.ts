import { createHash } from "node:crypto"
import { destinationKey, hasUsualPort } from "./destination.ts"
import type { Destination } from "./relay.ts"

/** RFC 1035 section 2.3.4. */
const MAX_LABEL_CHARACTERS = 63
const HASH_CHARACTERS = 8
/** Labels that name a region. No app's label is one of them: those begin with `app-`. */
const REGIONS = ["us", "eu"] as const

/**
 * The domains that a relay may have, in order of preference: `api-example-com.app-1a2b3c.relay.example.com`, and the
 * same with a hash of the destination, for when another destination of the app has the first one. Two destinations
 * can look alike with dashes for dots (`a.b.com`, `a-b.com`).
 *
 * @param relayDomain what all relays' domains end with
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

/** A relay's domain without the region label: `x.app-1.eu.relay.example.com` is `x.app-1.relay.example.com`. */
export function stripRegion(host: string, relayDomain: string): string {
  for (const region of REGIONS) {
    const ending = `.${region}.${relayDomain}`
    if (host.endsWith(ending)) return `${host.slice(0, -ending.length)}.${relayDomain}`
  }
  return host
}

/** The port is part of it where it is not the scheme's own: `api-example-com-8443`. */
function readableLabel(destination: Destination): string {
  const name = hasUsualPort(destination) ? destination.host : destinationKey(destination)
  const label = name.replace(/[^a-z0-9-]/g, "-").replace(/^-+|-+$/g, "")
  // RFC 5890 section 2.3.1: `xn--` at the beginning promises a label that decodes, which this one does not.
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

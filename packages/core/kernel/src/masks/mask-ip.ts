import ipaddr from "ipaddr.js"

const IPV4_BITS = 16
const IPV6_BITS = 48

/** The addresses of networks (RFC 4291, section 2.4): outside of them, addresses hold others, or are of one machine. */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR("2000::/3")
/** 6to4 and Teredo (RFC 3056, RFC 4380), whose first bits are an IPv4 address. */
const TUNNELS = ["2002::/16", "2001::/32"].map((range) => ipaddr.IPv6.parseCIDR(range))

/**
 * Shows the network of an address, as `203.0.0.0/16`. Returns null for anything else, also for addresses of IPv6 that are
 * not of a network: the first bits of many are an IPv4 address, all of which would be shown.
 */
export function maskIp(text: string): string | null {
  if (ipaddr.IPv4.isValidFourPartDecimal(text)) return networkOf(ipaddr.IPv4.parse(text))
  // A zone names an interface of one machine.
  if (text.includes("%") || !ipaddr.IPv6.isValid(text)) return null
  const address = ipaddr.IPv6.parse(text)
  if (address.isIPv4MappedAddress()) return networkOf(address.toIPv4Address())
  const isOfNetwork = address.match(GLOBAL_UNICAST) && !TUNNELS.some((range) => address.match(range))
  return isOfNetwork ? networkOf(address) : null
}

function networkOf(address: ipaddr.IPv4 | ipaddr.IPv6): string {
  const bits = address.kind() === "ipv4" ? IPV4_BITS : IPV6_BITS
  const bytes = address.toByteArray().map((byte, index) => (index < bits / 8 ? byte : 0))
  return `${ipaddr.fromByteArray(bytes)}/${bits}`
}

import ipaddr from "ipaddr.js"

const IPV4_BITS = 16
const IPV6_BITS = 48

/** Shows the network of an address, as `203.0.0.0/16`. Returns null for anything else. */
export function maskIp(text: string): string | null {
  if (ipaddr.IPv4.isValidFourPartDecimal(text)) return networkOf(ipaddr.IPv4.parse(text))
  // A zone names an interface of one machine.
  if (text.includes("%") || !ipaddr.IPv6.isValid(text)) return null
  const address = ipaddr.IPv6.parse(text)
  return networkOf(address.isIPv4MappedAddress() ? address.toIPv4Address() : address)
}

function networkOf(address: ipaddr.IPv4 | ipaddr.IPv6): string {
  const bits = address.kind() === "ipv4" ? IPV4_BITS : IPV6_BITS
  const bytes = address.toByteArray().map((byte, index) => (index < bits / 8 ? byte : 0))
  return `${ipaddr.fromByteArray(bytes)}/${bits}`
}

import ipaddr from "ipaddr.js"

/**
 * Metadata services, where a cloud hands out credentials or answers for the machine itself. Never allowed, even where
 * private destinations are. 168.63.129.16 is Azure's, inside public address space.
 */
const METADATA_RANGES = [
  "169.254.169.0/24",
  "169.254.170.0/24",
  "100.100.100.200/32",
  "168.63.129.16/32",
].map((text) => ipaddr.IPv4.parseCIDR(text))
const METADATA_RANGES_V6 = ["fd00:ec2::/32", "fe80::a9fe:a9fe/128"].map((text) => ipaddr.IPv6.parseCIDR(text))

/** The ranges that `allowPrivate` adds to public addresses, by their names in ipaddr.js. */
const PRIVATE_RANGES: ReadonlySet<string> = new Set([
  "private",
  "loopback",
  "linkLocal",
  "carrierGradeNat",
  "uniqueLocal",
])

/** RFC 4291 section 2.4: global unicast addresses assigned by IANA. ipaddr.js calls every unnamed range `unicast`. */
const GLOBAL_UNICAST_V6 = ipaddr.IPv6.parseCIDR("2000::/3")
/**
 * RFC 6052: the form in which a NAT64 translator addresses an IPv4 host, and which DNS returns in networks without
 * IPv4.
 */
const NAT64 = ipaddr.IPv6.parseCIDR("64:ff9b::/96")

/**
 * Whether a connection to an address is allowed: a public unicast one or, with `allowPrivate`, a private, loopback or
 * link-local one. An IPv4 address inside an IPv6 one (IPv4-mapped, NAT64) is judged as the IPv4 address; other tunnels
 * (6to4, Teredo, IPv4-compatible) and metadata services are always refused.
 *
 * @param address as `net` and `dns` write it; anything else is refused
 */
export function isAdmittedAddress(address: string, allowPrivate: boolean): boolean {
  const plain = unwrap(address)
  if (plain === null || isMetadata(plain)) return false
  const range = plain.range()
  if (allowPrivate && PRIVATE_RANGES.has(range)) return true
  return range === "unicast" && (plain instanceof ipaddr.IPv4 || plain.match(GLOBAL_UNICAST_V6))
}

function unwrap(text: string): ipaddr.IPv4 | ipaddr.IPv6 | null {
  if (ipaddr.IPv4.isValidFourPartDecimal(text)) return ipaddr.IPv4.parse(text)
  // ipaddr.js parses the IPv4-compatible `::127.0.0.1` as if it were IPv4-mapped.
  if (!ipaddr.IPv6.isValid(text) || /^::\d+\./.test(text)) return null
  const address = ipaddr.IPv6.parse(text)
  return address.isIPv4MappedAddress() || address.match(NAT64)
    ? new ipaddr.IPv4(address.toByteArray().slice(-4))
    : address
}

function isMetadata(address: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  return address instanceof ipaddr.IPv4
    ? METADATA_RANGES.some((range) => address.match(range))
    : METADATA_RANGES_V6.some((range) => address.match(range))
}

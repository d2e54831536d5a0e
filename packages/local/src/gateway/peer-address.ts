const MAPPED_IPV4 = "::ffff:"

/**
 * The address of a peer as policies compare it: IPv4 that an IPv6 socket reports as `::ffff:192.0.2.1` becomes
 * `192.0.2.1`, and the zone of a link-local address, which means something on this host only, is left out.
 */
export function normalizePeerAddress(address: string): string {
  if (address.startsWith(MAPPED_IPV4) && address.includes(".")) return address.slice(MAPPED_IPV4.length)
  const zone = address.indexOf("%")
  return zone === -1 ? address : address.slice(0, zone)
}

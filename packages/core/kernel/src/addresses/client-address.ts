import { isIPv4 } from "node:net"

const IPV4_MAPPED = "::ffff:"

/**
 * Normalises a peer's address for comparison in policies: IPv4-mapped IPv6 (RFC 4291, section 2.5.5.2) becomes the IPv4
 * address that it represents, and a zone is dropped.
 */
export function clientAddress(peer: string): string {
  if (!peer.includes(":")) return peer
  const [address = ""] = peer.toLowerCase().split("%")
  if (!address.startsWith(IPV4_MAPPED)) return address
  const rest = address.slice(IPV4_MAPPED.length)
  if (isIPv4(rest)) return rest
  const groups = /^([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(rest)
  if (groups === null) return address
  const [high, low] = [Number.parseInt(groups[1] ?? "", 16), Number.parseInt(groups[2] ?? "", 16)]
  return [high >> 8, high & 255, low >> 8, low & 255].join(".")
}

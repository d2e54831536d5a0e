import { isIPv4, isIPv6 } from "node:net"
import { clientAddress } from "@sealway/kernel"

/**
 * Parses an address of this machine and normalises it as URLs do: `::1` for `0:0:0:0:0:0:0:1` and for `[::1]`. Returns
 * null when it is not an IPv4 or IPv6 address. URLs cannot contain a zone (`fe80::1%eth0`), so it is refused.
 */
export function parseHostAddress(text: string): string | null {
  if (isIPv4(text)) return text
  const address = text.startsWith("[") && text.endsWith("]") ? text.slice(1, -1) : text
  if (!isIPv6(address) || address.includes("%")) return null
  return clientAddress(new URL(`http://[${address}]`).hostname.slice(1, -1))
}

/** Whether only this machine can reach an address, normalised by `parseHostAddress`. */
export function isLoopback(address: string): boolean {
  return address === "::1" || (isIPv4(address) && address.startsWith("127."))
}

/** Writes an address as in URLs: IPv6 in brackets. */
export function inUrl(address: string): string {
  return isIPv6(address) ? `[${address}]` : address
}

/** Returns the URL for this machine's own clients of a listening address. A wildcard address includes loopback. */
export function urlOf(address: string, port: number): string {
  const reachable = address === "0.0.0.0" ? "127.0.0.1" : address === "::" ? "::1" : address
  return `http://${inUrl(reachable)}:${port}`
}

import { isIPv4, isIPv6 } from "node:net"
import { clientAddress } from "@sealway/kernel"

/**
 * Reads an address of this machine, in the one spelling that URLs have: `::1` for `0:0:0:0:0:0:0:1` and for `[::1]`.
 * Null when it is no IPv4 or IPv6 address. A zone (`fe80::1%eth0`) has no place in URLs, so such an address is none.
 */
export function parseHostAddress(text: string): string | null {
  if (isIPv4(text)) return text
  const address = text.startsWith("[") && text.endsWith("]") ? text.slice(1, -1) : text
  if (!isIPv6(address) || address.includes("%")) return null
  return clientAddress(new URL(`http://[${address}]`).hostname.slice(1, -1))
}

/** Whether only this machine can reach an address, as `parseHostAddress` spells it. */
export function isLoopback(address: string): boolean {
  return address === "::1" || (isIPv4(address) && address.startsWith("127."))
}

/** An address as URLs have it: IPv6 in brackets. */
export function inUrl(address: string): string {
  return isIPv6(address) ? `[${address}]` : address
}

/** Where this machine's own clients reach what listens on an address: on all of them, which includes loopback's. */
export function urlOf(address: string, port: number): string {
  const reachable = address === "0.0.0.0" ? "127.0.0.1" : address === "::" ? "::1" : address
  return `http://${inUrl(reachable)}:${port}`
}

import { isIP } from "node:net"

const LOOPBACK_NAMES = ["localhost", "127.0.0.1", "::1"]
/** All addresses of the machine: none that a client could name. */
const WILDCARDS: ReadonlySet<string> = new Set(["0.0.0.0", "::"])

/**
 * What clients call a machine, for the certificate that they are shown: its loopback names, the address that it listens
 * on, and what callers may put into `Host`, less the ports.
 */
export function proxyNames(host: string, allowedHosts: readonly string[]): readonly string[] {
  const own = WILDCARDS.has(host) ? [] : [host]
  return [...new Set([...LOOPBACK_NAMES, ...own, ...allowedHosts.map(withoutPort)])]
}

function withoutPort(name: string): string {
  const host = name.replace(/:[0-9]*$/, "")
  const address = host.startsWith("[") ? host.slice(1, -1) : host
  return isIP(address) === 0 ? host.toLowerCase() : address
}

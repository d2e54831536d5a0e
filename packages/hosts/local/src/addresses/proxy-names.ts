import { isIP } from "node:net"

const LOOPBACK_NAMES = ["localhost", "127.0.0.1", "::1"]
/** All addresses of the machine. Clients cannot connect by these names. */
const WILDCARDS: ReadonlySet<string> = new Set(["0.0.0.0", "::"])

/**
 * Lists the names of a machine for its certificate: its loopback names, the address it listens on, and the allowed
 * `Host` names without ports.
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

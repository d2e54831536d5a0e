/** The address of a gateway, and its other names. */
export interface HostNames {
  readonly port: number
  /** A name or an address, as in URLs: IPv6 in brackets. */
  readonly host: string
  /** With a port, or without one for every port. Not case-sensitive. */
  readonly allowedHosts: readonly string[]
}

/** The scheme's default port, which clients omit from Host (RFC 9110, section 7.2). */
const HTTP_PORT = 80

const PORT = /:[0-9]*$/

/**
 * Creates a check whether a Host header names this service: its loopback names and the address that it listens on, with
 * its port, and the names that its operator allows.
 *
 * A web page can make its own name resolve to 127.0.0.1 once it is loaded (DNS rebinding). A browser then treats this
 * service as part of that page's site, and lets its script send requests and read the answers. But the page cannot
 * choose the Host header, which still contains its own name.
 */
export function createHostCheck({ port, host, allowedHosts }: HostNames): (header: string) => boolean {
  const anyPort = new Set<string>()
  const exact = new Set<string>()
  for (const name of ["127.0.0.1", "localhost", "[::1]", host.toLowerCase()]) {
    exact.add(`${name}:${port}`)
    if (port === HTTP_PORT) exact.add(name)
  }
  for (const name of allowedHosts) {
    if (PORT.test(name)) exact.add(name.toLowerCase())
    else anyPort.add(name.toLowerCase())
  }
  return (header) => {
    if (exact.has(header)) return true
    const name = header.toLowerCase()
    return exact.has(name) || anyPort.has(name.replace(PORT, ""))
  }
}

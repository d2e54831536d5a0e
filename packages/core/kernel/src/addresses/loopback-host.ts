/**
 * True for a host that leads to this machine without a look-up.
 *
 * @param hostname of a parsed URL, which has normalised every notation of an IPv4 address (0x7f.1, 2130706433) to four
 * decimal numbers
 */
export function isLoopbackHost(hostname: string): boolean {
  return hostname === "localhost" || hostname === "[::1]" || /^127(\.[0-9]{1,3}){3}$/.test(hostname)
}

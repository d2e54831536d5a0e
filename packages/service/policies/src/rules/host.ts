/** Normalises a host, with or without a port, for comparison: to lower case, without the trailing dot of the root. */
export function normalizeHost(host: string): string {
  return host.toLowerCase().replace(/\.(?=:[0-9]{1,5}$|$)/, "")
}

/** A host, with or without a port, in the one spelling that is compared: in lower case, without the root's dot. */
export function normalizeHost(host: string): string {
  return host.toLowerCase().replace(/\.(?=:[0-9]{1,5}$|$)/, "")
}

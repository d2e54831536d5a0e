const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/

/**
 * Returns the address that paths are appended to: an origin and perhaps a path, without a slash at the end.
 *
 * @param name of the option, for messages
 * @throws TypeError if it is not an https address; http is for this machine, unless `allowHttp`
 */
export function parseServiceAddress(name: string, address: string | undefined, allowHttp: boolean): string {
  if (address === undefined) throw new TypeError(`${name} is missing.`)
  if (typeof address !== "string" || !URL.canParse(address)) throw new TypeError(`${name} must be a URL.`)
  const url = new URL(address)
  if (url.protocol !== "https:" && url.protocol !== "http:")
    throw new TypeError(`${name} must begin with https://.`)
  if (url.protocol === "http:" && !allowHttp && !LOOPBACK.test(url.hostname)) {
    throw new TypeError(
      `${name} must begin with https://: over http, anyone on the way can read keys and values. Pass allowHttp: true if the network is yours.`,
    )
  }
  if (url.username !== "" || url.password !== "" || url.search !== "" || url.hash !== "") {
    throw new TypeError(`${name} must not contain credentials, a query or a fragment.`)
  }
  return url.origin + url.pathname.replace(/\/+$/, "")
}

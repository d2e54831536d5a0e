import { isIP } from "node:net"

/** A URL written the way people write it. */
export type PlainUrl =
  | { readonly plain: true; readonly url: URL }
  /** `reason`: a sentence for people that contains no input. */
  | { readonly plain: false; readonly reason: string }

const SCHEME_AND_AUTHORITY = /^[a-z][a-z0-9+.-]*:\/\/(?<authority>[^/?#]+)/i
const HOST_AND_PORT = /^(?<host>\[[^\]]*\]|[^:[\]]+)(?::(?<port>[1-9][0-9]*))?$/

/**
 * Parses an absolute URL with a host, and refuses spellings that only a WHATWG parser understands
 * (https://url.spec.whatwg.org/#url-parsing). That parser drops white space, treats backslashes as slashes, adds
 * missing slashes (`http:127.0.0.1`), decodes hosts and reads `127.1` and `0x7f000001` as IPv4 addresses. Other
 * programs, and people who check a URL by eye, read the same text differently.
 */
export function parsePlainUrl(text: string): PlainUrl {
  // Format characters are invisible, and the parser removes some of them from hosts.
  if (/[\s\p{Cc}\p{Cf}]/u.test(text)) return refused("The URL contains white space or control characters.")
  if (text.includes("\\")) return refused("The URL contains a backslash. Use slashes.")
  const { authority } = SCHEME_AND_AUTHORITY.exec(text)?.groups ?? {}
  if (authority === undefined) {
    return refused("The URL must have a scheme, two slashes and a host, as in https://example.com/hooks.")
  }
  if (authority.includes("@")) return refused("The URL contains credentials. Remove everything before the @.")
  const { host } = HOST_AND_PORT.exec(authority)?.groups ?? {}
  const url = URL.parse(text)
  if (host === undefined || url === null) return refused("The URL is malformed.")
  if (host.includes("%")) return refused("The URL's host contains a percent sign.")
  if (isIP(url.hostname) === 4 && host !== url.hostname) {
    return refused("Write the IPv4 address as four decimal numbers, as in 192.0.2.1.")
  }
  return { plain: true, url }
}

function refused(reason: string): PlainUrl {
  return { plain: false, reason }
}

import { isIP } from "node:net"
import { InvalidRequestError } from "../errors/errors.ts"
import { isAdmittedAddress } from "./admitted-address.ts"
import { isHostName } from "./host-name.ts"
import { parsePlainUrl } from "./plain-url.ts"

/** The maximum length of a destination's URL, in characters. */
export const MAX_DESTINATION_URL_CHARACTERS = 2048

export interface DestinationRules {
  /** True when destinations may be private, loopback or link-local, and may be reached without TLS. */
  readonly allowPrivate: boolean
}

export type DestinationUrl =
  | { readonly admitted: true; readonly url: URL }
  /** `reason`: a sentence for people that contains no input. */
  | { readonly admitted: false; readonly reason: string }

/**
 * Whether a URL may be a destination, as far as can be determined without DNS. The addresses of its name are checked on
 * each connection, because they may have changed by then.
 */
export function checkDestinationUrl(text: string, { allowPrivate }: DestinationRules): DestinationUrl {
  if (text.length > MAX_DESTINATION_URL_CHARACTERS) {
    return refused(`The URL is longer than ${MAX_DESTINATION_URL_CHARACTERS} characters.`)
  }
  const parsed = parsePlainUrl(text)
  if (!parsed.plain) return refused(parsed.reason)
  const { url } = parsed
  if (url.protocol !== "https:" && !(allowPrivate && url.protocol === "http:")) {
    return refused(
      allowPrivate ? "The URL must begin with https:// or http://." : "The URL must begin with https://.",
    )
  }
  if (url.hash !== "") return refused("The URL must not have a fragment: it would never be sent.")
  const host = url.hostname.replace(/^\[|\]$/g, "").replace(/\.$/, "")
  if (isIP(host) === 0 && !isHostName(host, { allowUnderscores: true })) {
    return refused("The URL's host is not a valid host name.")
  }
  if (!isAdmittedHost(host, allowPrivate)) {
    return refused("The URL points to an address that is not public.")
  }
  return { admitted: true, url }
}

/**
 * Refuses a URL that a request gives as a destination.
 *
 * @param pointer the field that holds it, as a JSON pointer
 * @throws InvalidRequestError when it may not be one, see `checkDestinationUrl`
 */
export function requireDestinationUrl(text: string, pointer: string, rules: DestinationRules): void {
  const result = checkDestinationUrl(text, rules)
  if (result.admitted) return
  throw new InvalidRequestError(result.reason, { fields: [{ pointer, reason: result.reason }] })
}

function isAdmittedHost(host: string, allowPrivate: boolean): boolean {
  if (isIP(host) !== 0) return isAdmittedAddress(host, allowPrivate)
  return allowPrivate || !(host === "localhost" || host.endsWith(".localhost"))
}

function refused(reason: string): DestinationUrl {
  return { admitted: false, reason }
}

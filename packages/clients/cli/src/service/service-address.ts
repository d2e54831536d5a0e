import { isLoopbackHost, parsePlainUrl } from "@sealway/kernel"
import { UsageFailure } from "../terminal/failures.ts"

/** The service's address, without a trailing slash. */
export type ServiceUrl = string

/**
 * Parses the service's address. It may have a path, such as a stage of API Gateway.
 *
 * @throws UsageFailure when it is invalid, or when a key would be sent to another machine unencrypted
 */
export function parseServiceUrl(text: string, origin: string): ServiceUrl {
  const parsed = parsePlainUrl(text)
  if (!parsed.plain) throw new UsageFailure(`${origin} is not a valid URL. ${parsed.reason}`)
  const { url } = parsed
  if (url.protocol !== "https:" && url.protocol !== "http:") {
    throw new UsageFailure(`${origin} must be an http or https URL.`)
  }
  if (url.search !== "" || url.hash !== "") {
    throw new UsageFailure(`${origin} must be a URL without query or fragment.`)
  }
  if (url.protocol === "http:" && !isLoopbackHost(url.hostname)) {
    throw new UsageFailure(
      `${origin} must begin with https: over http, anyone on the network path could read the keys.`,
    )
  }
  return url.href.replace(/\/+$/, "")
}

/** True for an address of this machine. */
export function isLoopbackUrl(text: string): boolean {
  const url = URL.parse(text)
  return url !== null && isLoopbackHost(url.hostname)
}

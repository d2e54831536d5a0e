import { andThen, type MaybePromise } from "@sealway/kernel"
import { isRelaySubdomain, type RelayDirectory, type ServedRelay } from "@sealway/relay"
import { RelayError } from "@sealway/relay-engine"
import type { InboundRequest } from "../exchange.ts"

const HTTPS_PORT = 443

/**
 * Finds the relay of a request: by its host's domain; or by its destination, among the relays of the app whose
 * credentials a forward proxy's client presented.
 *
 * @throws RelayError `subdomain-not-found`, `relay-not-found`, or `proxy-authentication-required` for a forward proxy's
 * request without credentials
 */
export function findRelay(
  { mode, host, port, credentials }: Pick<InboundRequest, "mode" | "host" | "port" | "credentials">,
  relays: Pick<RelayDirectory, "byDomain" | "byDestination">,
  relayDomain: string,
): MaybePromise<ServedRelay> {
  if (mode === "forward") {
    if (credentials === null) {
      throw new RelayError("proxy-authentication-required", "The proxy requires an app's API key.")
    }
    return andThen(relays.byDestination(credentials.appId, host, port ?? HTTPS_PORT), (served) => {
      if (served !== null) return served
      throw new RelayError("relay-not-found", "The app has no relay for this destination.")
    })
  }
  return andThen(relays.byDomain(host), (served) => {
    if (served !== null) return served
    throw isRelaySubdomain(host, relayDomain)
      ? new RelayError("subdomain-not-found", "There is no relay at this subdomain.")
      : new RelayError("relay-not-found", "There is no relay for this domain.")
  })
}

import type { IdentityServices } from "@sealway/http"
import type { RawHeaders, RelayErrorCode } from "@sealway/kernel"
import type { Log } from "@sealway/ports"
import { type Destination, type RelayDirectory, USUAL_PORTS } from "@sealway/relay"
import type { InboundRequest, OutboundReply, ProxyCredentials, RelayHandler } from "../exchange.ts"
import { problemReply } from "../server/problem-reply.ts"
import { identifyProxyClient, isStillGood, type ProxyClient } from "./proxy-credentials.ts"

export interface AdmissionDependencies {
  readonly handler: RelayHandler
  readonly relays: Pick<RelayDirectory, "byDestination">
  readonly identity: IdentityServices
  /** Called for each client that authenticates. */
  readonly onClient: (client: ProxyClient) => void
  readonly log: Pick<Log, "error">
}

/**
 * Wraps a handler for requests of authenticated clients to destinations of their app's relays, with `credentials` and
 * `port` filled in. Credentials of CONNECT take precedence over those of the request in the tunnel, and are checked
 * again for each request: revoking a key ends existing tunnels.
 *
 * @param scheme how requests reached the proxy: `https` through TLS in a tunnel. A destination is only reached in the
 * same way as its client reached the proxy, so that no connection seems protected and is not.
 */
export function admitRequests(
  scheme: Destination["scheme"],
  { handler, relays, identity, onClient, log }: AdmissionDependencies,
): RelayHandler {
  async function whoSends(rawHeaders: RawHeaders): Promise<ProxyCredentials | OutboundReply> {
    const [value, ...more] = proxyAuthorization(rawHeaders)
    if (value === undefined) return refusal("proxy-authentication-required", NO_CREDENTIALS)
    const client = more.length === 0 ? await identifyProxyClient(value, identity) : null
    if (client === null) return refusal("proxy-auth-failed", BAD_CREDENTIALS)
    onClient(client)
    return client.credentials
  }

  async function admit(request: InboundRequest): Promise<OutboundReply> {
    const { rawHeaders, host, port: givenPort } = request
    const port = givenPort ?? USUAL_PORTS[scheme]
    const credentials = request.credentials ?? (await whoSends(rawHeaders))
    if ("status" in credentials) return credentials
    if (request.credentials !== null && !(await isStillGood(credentials, identity))) {
      return refusal("proxy-auth-failed", BAD_CREDENTIALS)
    }
    const served = await relays.byDestination(credentials.appId, host, port)
    if (served === null) return refusal("relay-not-found", NO_RELAY)
    if (served.relay.destination.scheme !== scheme) {
      return refusal(
        "invalid-request",
        scheme === "http"
          ? "This destination uses TLS. Use CONNECT, and TLS inside the tunnel."
          : "This destination does not use TLS. Use an http:// address.",
      )
    }
    return handler({ ...request, port, credentials })
  }

  return async (request) => {
    try {
      return await admit(request)
    } catch (error) {
      log.error("could not admit a request", { requestId: request.id, error })
      return refusal("internal-server-error", "The request could not be processed.")
    }
  }
}

export const NO_CREDENTIALS = "Credentials are missing. Send the app's id and API key in Proxy-Authorization."
export const BAD_CREDENTIALS = "The credentials in Proxy-Authorization are invalid."
export const NO_RELAY = "The app has no relay for this destination."

/** Returns the values of a request's `Proxy-Authorization`. There must be exactly one. */
export function proxyAuthorization(rawHeaders: RawHeaders): readonly string[] {
  return rawHeaders.filter(
    (_, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === "proxy-authorization",
  )
}

function refusal(code: RelayErrorCode, detail: string): OutboundReply {
  return problemReply(code, detail, { mode: "forward" })
}

import { isIPv6 } from "node:net"
import { formatHost, hasUsualPort } from "../relays/destination.ts"
import type { DestinationOfApp } from "./relay-directory.ts"

/** An entry of the list by which clients decide what to send through the forward proxy. */
export interface OutboundDestination {
  /** The id of the relay. */
  readonly id: string
  readonly destinationDomain: string
}

/**
 * Lists destinations in the form that clients compare exactly with the host of a request: `host:port` when the request
 * was given as a URL, only the host when it was given in parts, whatever the port (`@evervault/sdk`,
 * `getDomainAndPathFromArgs`). So a destination with a non-default port is listed in both forms, unless another relay
 * is at the default port of its host. A request that goes through the proxy because of the short form and has no relay
 * at its port is refused there, which is better than sending it around the proxy in plain text. Destinations without
 * TLS start with `http://`; clients that only handle https ignore these.
 *
 * @param destinations if two share a name, the first one gets it
 */
export function outboundDestinations(
  destinations: readonly DestinationOfApp[],
): Readonly<Record<string, OutboundDestination>> {
  const named = new Map<string, OutboundDestination>()
  const add = (destinationDomain: string, id: string) => {
    if (!named.has(destinationDomain)) named.set(destinationDomain, { id, destinationDomain })
  }
  const secure = destinations.filter(({ destination }) => destination.scheme === "https")
  for (const { id, destination } of secure) add(formatHost(destination), id)
  for (const { id, destination } of secure) {
    const { host } = destination
    if (!hasUsualPort(destination)) add(isIPv6(host) ? `[${host}]` : host, id)
  }
  for (const { id, destination } of destinations) {
    if (destination.scheme === "http") add(`http://${formatHost(destination)}`, id)
  }
  return Object.fromEntries(named)
}

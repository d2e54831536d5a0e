import { isIPv6 } from "node:net"
import { formatHost, hasUsualPort } from "../relays/destination.ts"
import type { DestinationOfApp } from "./relay-directory.ts"

/** An entry of the list by which clients decide what to send through the forward proxy. */
export interface OutboundDestination {
  /** Of the relay. */
  readonly id: string
  readonly destinationDomain: string
}

/**
 * Destinations by what clients compare the host of a request with, exactly: `host:port` where the request was given as
 * a URL, the host alone where it was given in parts, whatever the port (`@evervault/sdk`, `getDomainAndPathFromArgs`).
 * So a destination with a port of its own stands here under both, unless another relay is at the usual port of its
 * host. What goes through the proxy by the shorter name and has no relay at its port is refused there, which is better
 * than to pass it by in the clear. Destinations without TLS begin with `http://`, which clients that only look at
 * https pass over.
 *
 * @param destinations where two have a name in common, the first has it
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

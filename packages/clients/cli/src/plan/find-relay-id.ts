import { listRelayCustomDomains, listRelays, type Transport } from "@sealway/sdk/api"
import { EXIT } from "../terminal/exit-codes.ts"
import { CommandFailure } from "../terminal/failures.ts"

const RELAY_ID = /^relay_[0-9a-z]{12,58}$/
const DOMAIN_ID = /^custom_domain_[0-9a-z]{12,50}$/
const PAGE = { limit: 100 }

/**
 * Resolves an id or a destination to the id of a relay.
 *
 * @throws CommandFailure when no relay has the destination
 */
export async function findRelayId(service: Transport, idOrDestination: string): Promise<string> {
  if (RELAY_ID.test(idOrDestination)) return idOrDestination
  const wanted = idOrDestination.toLowerCase()
  for await (const { id, destinationDomain } of listRelays(service, PAGE)) {
    if (destinationDomain.toLowerCase() === wanted) return id
  }
  throw new CommandFailure("not-found", "No relay has this destination.", EXIT.notFound)
}

/**
 * Resolves a relay, and the id or the name of one of its custom domains, to their ids.
 *
 * @throws CommandFailure when the relay has no such domain
 */
export async function findCustomDomain(
  service: Transport,
  relay: string,
  idOrDomain: string,
): Promise<{ readonly relayId: string; readonly customDomainId: string }> {
  const relayId = await findRelayId(service, relay)
  if (DOMAIN_ID.test(idOrDomain)) return { relayId, customDomainId: idOrDomain }
  const wanted = idOrDomain.toLowerCase()
  for await (const { id, domain } of listRelayCustomDomains(service, { relayId, ...PAGE })) {
    if (domain === wanted) return { relayId, customDomainId: id }
  }
  throw new CommandFailure("not-found", "The relay has no such domain.", EXIT.notFound)
}

import * as z from "zod"
import { listAll } from "../service/list-pages.ts"
import type { ServiceClient } from "../service/service-client.ts"
import { EXIT } from "../terminal/exit-codes.ts"
import { CommandFailure } from "../terminal/failures.ts"
import { RELAYS_PATH } from "./stored-relays.ts"

const RELAY_ID = /^relay_[0-9a-z]{12,58}$/
const DOMAIN_ID = /^custom_domain_[0-9a-z]{12,50}$/

/**
 * Resolves an id or a destination to the id of a relay.
 *
 * @throws CommandFailure when no relay has the destination
 */
export async function findRelayId(service: ServiceClient, idOrDestination: string): Promise<string> {
  if (RELAY_ID.test(idOrDestination)) return idOrDestination
  const schema = z.object({ id: z.string(), destinationDomain: z.string() })
  const relays = await listAll(service, RELAYS_PATH, schema)
  const wanted = idOrDestination.toLowerCase()
  const found = relays.find(({ destinationDomain }) => destinationDomain.toLowerCase() === wanted)
  if (found === undefined) {
    throw new CommandFailure("not-found", "No relay has this destination.", EXIT.notFound)
  }
  return found.id
}

/**
 * Resolves an id or a name to the id of a custom domain.
 *
 * @param path the path of the relay's custom domains
 * @throws CommandFailure when the relay has no such domain
 */
export async function findCustomDomainId(
  service: ServiceClient,
  path: readonly string[],
  idOrDomain: string,
): Promise<string> {
  if (DOMAIN_ID.test(idOrDomain)) return idOrDomain
  const domains = await listAll(service, path, z.object({ id: z.string(), domain: z.string() }))
  const wanted = idOrDomain.toLowerCase()
  const found = domains.find(({ domain }) => domain === wanted)
  if (found === undefined) {
    throw new CommandFailure("not-found", "The relay has no such domain.", EXIT.notFound)
  }
  return found.id
}

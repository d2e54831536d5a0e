import type { App } from "@sealway/accounts"
import { ConflictError, invalidField, isId, NotFoundError, type Task } from "@sealway/kernel"
import { type AuditAuthor, type AuditEntry, appEntry, audited, recordChanges } from "@sealway/records"
import { findDomainClaim } from "../records/relay-domain-table.ts"
import { requireRelay } from "../records/require-relay.ts"
import { type CustomDomain, parseCustomDomain } from "./custom-domain.ts"
import { giveUpDomain, isClaimed } from "./custom-domain-claims.ts"
import {
  customDomainRecords,
  listCustomDomains,
  removeCustomDomain as removeRecord,
  withinRelay,
} from "./custom-domain-table.ts"
import type { CustomDomainDependencies } from "./dependencies.ts"
import { statusAtEdge } from "./domain-at-edge.ts"

/** The maximum number of custom domains of a relay. */
const MAX_CUSTOM_DOMAINS = 50
export const CHANGED_MEANWHILE = "Another request is changing this custom domain. Try again."

const customDomainChanges = recordChanges({
  records: customDomainRecords,
  max: MAX_CUSTOM_DOMAINS,
  tooMany: `The relay has ${MAX_CUSTOM_DOMAINS} custom domains, the maximum.`,
  changedMeanwhile: CHANGED_MEANWHILE,
  within: withinRelay,
})

/** Finds a custom domain. @throws NotFoundError when the app has no such relay, or the relay no such domain */
export async function requireCustomDomain(
  { configTable }: Pick<CustomDomainDependencies, "configTable">,
  app: App,
  relayId: string,
  id: string,
): Promise<CustomDomain> {
  const isPossible = isId("relay", relayId) && isId("custom_domain", id)
  const found = isPossible ? await customDomainRecords.find(configTable, app.id, { relayId, id }) : null
  if (found === null) throw new NotFoundError("The custom domain")
  return found
}

/** Lists the custom domains of a relay. @throws NotFoundError when the app has no such relay */
export async function listDomainsOf(
  dependencies: Pick<CustomDomainDependencies, "configTable">,
  app: App,
  relayId: string,
): Promise<readonly CustomDomain[]> {
  const { id } = await requireRelay(dependencies, app, relayId)
  return listCustomDomains(dependencies.configTable, app.id, id)
}

/** Returns a custom domain, asking the edge again if it was not ready. @throws NotFoundError */
export async function showCustomDomainNow(
  dependencies: CustomDomainDependencies,
  app: App,
  relayId: string,
  id: string,
): Promise<CustomDomain> {
  const { configTable, wallClock } = dependencies
  const found = await requireCustomDomain(dependencies, app, relayId, id)
  if (found.status !== "verified") return found
  const claim = await findDomainClaim(configTable, found.domain)
  if (claim?.customDomainId !== id) return found
  if ((await statusAtEdge(dependencies, found.domain)) !== "active") return found
  const active: CustomDomain = { ...found, status: "active", problem: null, updatedAt: wallClock() }
  return (await customDomainRecords.replace(configTable, app.id, active)) ?? found
}

/**
 * Adds a custom domain.
 *
 * @throws NotFoundError when the app has no such relay, InvalidRequestError when the domain is not allowed,
 * ConflictError when the relay already has it, has the maximum number, or another relay has verified it
 */
export async function addCustomDomain(
  dependencies: CustomDomainDependencies,
  app: App,
  relayId: string,
  text: string,
  author: AuditAuthor,
  { signal }: Pick<Task, "signal">,
): Promise<CustomDomain> {
  const { configTable, draws, relayDomain, wallClock } = dependencies
  const relay = await requireRelay(dependencies, app, relayId)
  const domain = requireDomain(text, relayDomain)
  const others = await listCustomDomains(configTable, app.id, relay.id)
  if (others.some((each) => each.domain === domain))
    throw new ConflictError("The relay already has this domain.")
  customDomainChanges.requireRoom(others)
  if (await isClaimed(dependencies, domain, signal)) {
    throw new ConflictError("Another relay has already verified this domain.")
  }
  const createdAt = wallClock()
  const made: CustomDomain = {
    id: draws.newId("custom_domain", createdAt),
    appId: app.id,
    relayId: relay.id,
    domain,
    status: "pending",
    problem: null,
    checkedAt: null,
    createdAt,
    updatedAt: createdAt,
    revision: 1,
  }
  return customDomainChanges.create(dependencies, entryOf(app, made, "create", author), app.id, made)
}

/**
 * Removes a custom domain, and releases it for others.
 *
 * @throws NotFoundError when the app has no such relay, or the relay no such domain
 */
export async function removeCustomDomain(
  dependencies: CustomDomainDependencies,
  app: App,
  relayId: string,
  id: string,
  author: AuditAuthor,
): Promise<void> {
  const { audit, configTable, relays } = dependencies
  const relay = await requireRelay(dependencies, app, relayId)
  const found = await requireCustomDomain(dependencies, app, relayId, id)
  await audited(audit, entryOf(app, found, "delete", author), async () => {
    await giveUpDomain(dependencies, found)
    await removeRecord(configTable, found)
    relays.forget(relay, [found.domain])
  })
}

/** Reads the domain that a caller sent. @throws InvalidRequestError when it is not allowed */
function requireDomain(text: string, relayDomain: string): string {
  const parsed = parseCustomDomain(text, relayDomain)
  if (parsed.ok) return parsed.domain
  const { reason } = parsed
  throw invalidField("/domain", reason)
}

export function entryOf(
  app: App,
  { id, relayId, domain }: CustomDomain,
  verb: string,
  author: AuditAuthor,
): AuditEntry {
  return appEntry(app, { type: "relay-custom-domain", id }, verb, author, { domain, relay: relayId })
}

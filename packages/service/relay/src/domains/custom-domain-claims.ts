import {
  claimDomain as claim,
  type DomainClaim,
  findDomainClaim,
  releaseDomain,
} from "../records/relay-domain-table.ts"
import type { Relay } from "../relays/relay.ts"
import { type CustomDomain, txtNameOf, txtTokenOf } from "./custom-domain.ts"
import { customDomainRecords } from "./custom-domain-table.ts"
import type { CustomDomainDependencies } from "./dependencies.ts"

/** Returns whether a relay has a domain, and has verified it. A signal ends the question, with its reason. */
export async function isClaimed(
  dependencies: CustomDomainDependencies,
  domain: string,
  signal: AbortSignal,
): Promise<boolean> {
  const standing = await findDomainClaim(dependencies.configTable, domain)
  return standing !== null && (await isInUse(dependencies, standing, signal))
}

/** Claims a verified domain for its relay. @returns false when another relay has verified it */
export async function claimForRelay(
  dependencies: CustomDomainDependencies,
  { appId, id, domain }: CustomDomain,
  { id: relayId, destination: { host, port } }: Relay,
): Promise<boolean> {
  const { configTable, wallClock } = dependencies
  const own = { appId, relayId, customDomainId: id, host, port, revision: wallClock() }
  const mayReplace = async (standing: DomainClaim) =>
    standing.customDomainId === id || !(await isInUse(dependencies, standing))
  return (await claim(configTable, domain, own, mayReplace)) === null
}

/**
 * Detaches a domain from the edge and releases it, if it is this relay's. A relay that only requested a domain must not
 * take it from the app that has it.
 */
export async function giveUpDomain(
  { configTable, edge }: Pick<CustomDomainDependencies, "configTable" | "edge">,
  { appId, relayId, id, domain }: CustomDomain,
): Promise<void> {
  const standing = await findDomainClaim(configTable, domain)
  // The edge knows a domain once, whoever has it.
  if (standing === null || standing.customDomainId === id) await edge.detach(domain)
  await releaseDomain(configTable, domain, { appId, relayId, customDomainId: id })
}

/**
 * Whether a claimed domain is still its relay's and verified: its app's text must still be in DNS, or the domain's next
 * owner could never have it. If DNS gives no answer, it counts as in use.
 */
async function isInUse(
  { configTable, dns }: CustomDomainDependencies,
  { appId, relayId, customDomainId }: DomainClaim,
  signal?: AbortSignal,
): Promise<boolean> {
  if (customDomainId === null) return true
  const holder = await customDomainRecords.find(configTable, appId, { relayId, id: customDomainId })
  if (holder === null || (holder.status !== "verified" && holder.status !== "active")) return false
  const texts = await dns.txt(txtNameOf(holder.domain), signal)
  return !texts.ok || texts.records.some((text) => text.trim() === txtTokenOf(appId, holder.domain))
}

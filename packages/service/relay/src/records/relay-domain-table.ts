import { recordsOf, type Table } from "@sealway/ports"
import * as z from "zod"
import type { Destination } from "../relays/relay.ts"

const claimSchema = z.object({
  appId: z.string(),
  relayId: z.string(),
  host: z.string(),
  port: z.number(),
  customDomainId: z.string().nullable(),
  revision: z.number(),
})

/** The owner of a domain: one relay of one app. */
export interface DomainClaim {
  readonly appId: string
  /**
   * The last relay that made the claim. A relay's own domain follows from its destination, so it may be a different one
   * by now.
   */
  readonly relayId: string
  /** Where the relay is stored, see `findRelayAt`. */
  readonly host: Destination["host"]
  readonly port: Destination["port"]
  /** Null for a relay's own domain. */
  readonly customDomainId: string | null
  /** Starts at the time of the claim, so that it never equals that of an earlier claim of the domain. */
  readonly revision: number
}

/** The owner of a claim record is the domain: it has one claim at most. */
const claimRecords = recordsOf<DomainClaim, never>({
  prefix: "claim",
  schema: claimSchema,
  nameOf: () => "",
  partitionOf: (domain) => `relay-domain#${domain}`,
})

/** Returns null when nobody has the domain. */
export function findDomainClaim(table: Table, domain: string): Promise<DomainClaim | null> {
  return claimRecords.find(table, domain, {})
}

/**
 * Claims a domain, unless somebody else has it.
 *
 * @param mayReplace whether an existing claim may be overwritten: the caller's own, or an obsolete one
 * @returns the existing claim when it may not be replaced; null when the caller now has the domain
 */
export async function claimDomain(
  table: Table,
  domain: string,
  claim: DomainClaim,
  mayReplace: (standing: DomainClaim) => Promise<boolean>,
): Promise<DomainClaim | null> {
  for (;;) {
    if (await claimRecords.create(table, domain, claim)) return null
    const standing = await findDomainClaim(table, domain)
    if (standing === null) continue
    if (!(await mayReplace(standing))) return standing
    const replacing = { ...claim, revision: standing.revision }
    if ((await claimRecords.replace(table, domain, replacing)) !== null) return null
  }
}

/** Releases a domain, if the claim is still this relay's. */
export async function releaseDomain(
  table: Table,
  domain: string,
  owner: Pick<DomainClaim, "appId" | "relayId" | "customDomainId">,
): Promise<void> {
  const claim = await findDomainClaim(table, domain)
  if (claim === null) return
  const { appId, relayId, customDomainId } = owner
  const isOwn = claim.appId === appId && claim.relayId === relayId && claim.customDomainId === customDomainId
  if (isOwn) await claimRecords.remove(table, domain, claim)
}

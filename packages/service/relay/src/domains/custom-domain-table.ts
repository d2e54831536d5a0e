import { recordsOf, type Table } from "@sealway/ports"
import * as z from "zod"
import { CUSTOM_DOMAIN_STATUSES, type CustomDomain, DOMAIN_PROBLEMS } from "./custom-domain.ts"

const customDomainSchema = z.object({
  id: z.string(),
  appId: z.string(),
  relayId: z.string(),
  domain: z.string(),
  status: z.enum(CUSTOM_DOMAIN_STATUSES),
  problem: z.enum(DOMAIN_PROBLEMS).nullable(),
  checkedAt: z.number().nullable(),
  createdAt: z.number(),
  updatedAt: z.number(),
  revision: z.number(),
})

export const customDomainRecords = recordsOf<CustomDomain, "relayId" | "id">({
  prefix: "relay-custom-domain#",
  schema: customDomainSchema,
  nameOf: ({ relayId, id }) => withinRelay({ relayId }) + id,
})

/** Returns the prefix of the names of a relay's custom domains. */
export function withinRelay({ relayId }: Pick<CustomDomain, "relayId">): string {
  return `${relayId}#`
}

/** Lists all custom domains of a relay, newest first. */
export function listCustomDomains(
  table: Table,
  appId: string,
  relayId: string,
): Promise<readonly CustomDomain[]> {
  return customDomainRecords.list(table, appId, withinRelay({ relayId }))
}

/** Removes a custom domain at any revision. */
export async function removeCustomDomain(table: Table, domain: CustomDomain): Promise<void> {
  const { appId } = domain
  for (let found: CustomDomain | null = domain; found !== null; ) {
    if (await customDomainRecords.remove(table, appId, found)) return
    found = await customDomainRecords.find(table, appId, domain)
  }
}

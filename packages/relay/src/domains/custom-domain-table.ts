import { appPartition, type Item, type RecordKey, type Table } from "@sealway/platform"
import * as z from "zod"
import { CUSTOM_DOMAIN_STATUSES, type CustomDomain, DOMAIN_PROBLEMS } from "./custom-domain.ts"

const itemSchema = z.object({
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

const prefixOf = (relayId: string) => `relay-custom-domain#${relayId}#`

const keyOf = ({ appId, relayId, id }: Pick<CustomDomain, "appId" | "relayId" | "id">): RecordKey => ({
  pk: appPartition(appId),
  sk: prefixOf(relayId) + id,
})

const parse = (item: Item): CustomDomain => itemSchema.parse(item)

export async function findCustomDomain(
  table: Table,
  place: Pick<CustomDomain, "appId" | "relayId" | "id">,
): Promise<CustomDomain | null> {
  const item = await table.get(keyOf(place))
  return item && parse(item)
}

/** Lists all custom domains of a relay, newest first. */
export async function listCustomDomains(
  table: Table,
  appId: string,
  relayId: string,
): Promise<readonly CustomDomain[]> {
  return (await table.list(appPartition(appId), prefixOf(relayId))).map(parse)
}

/** Returns false when there is one with this id. */
export function createCustomDomain(table: Table, domain: CustomDomain): Promise<boolean> {
  return table.create(keyOf(domain), { ...domain })
}

/**
 * Writes a custom domain over the revision that it was made from.
 *
 * @returns the stored record; null when that revision was changed or removed first
 */
export async function replaceCustomDomain(table: Table, domain: CustomDomain): Promise<CustomDomain | null> {
  const isReplaced = await table.replace(keyOf(domain), { ...domain }, domain.revision)
  return isReplaced ? { ...domain, revision: domain.revision + 1 } : null
}

/** Removes a custom domain at any revision. */
export async function removeCustomDomain(table: Table, domain: CustomDomain): Promise<void> {
  for (let found: CustomDomain | null = domain; found !== null; ) {
    if (await table.remove(keyOf(found), found.revision)) return
    found = await findCustomDomain(table, domain)
  }
}

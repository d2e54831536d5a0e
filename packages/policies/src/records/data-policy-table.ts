import { appPartition, type Item, type RecordKey, type Table } from "@sealway/platform"
import * as z from "zod"
import { conditionsSchema } from "../rules/conditions.ts"
import type { DataPolicy } from "../rules/data-policy.ts"

/** The sort keys of an app's policies begin with this. */
export const POLICY_PREFIX = "data-policy#"

const itemSchema = z.object({
  id: z.string(),
  name: z.string(),
  effect: z.enum(["permit", "forbid"]),
  roles: z.array(z.object({ id: z.string(), slug: z.string() })),
  conditions: conditionsSchema.nullable(),
  cedar: z.string().nullable(),
  createdAt: z.number(),
  updatedAt: z.number(),
  revision: z.number(),
})

const keyOf = (appId: string, id: string): RecordKey => ({
  pk: appPartition(appId),
  sk: POLICY_PREFIX + id,
})

/** @throws ZodError when the item is no policy */
export function dataPolicyOf(item: Item): DataPolicy {
  return itemSchema.parse(item)
}

/** An app's policy of an id; null when there is none. */
export async function findDataPolicy(table: Table, appId: string, id: string): Promise<DataPolicy | null> {
  const item = await table.get(keyOf(appId, id))
  return item && dataPolicyOf(item)
}

/** False: the app has a policy of that id. */
export function createDataPolicy(table: Table, appId: string, policy: DataPolicy): Promise<boolean> {
  return table.create(keyOf(appId, policy.id), { ...policy })
}

/** Writes a changed policy, and raises its revision. False: it has changed meanwhile, or is gone. */
export function replaceDataPolicy(table: Table, appId: string, policy: DataPolicy): Promise<boolean> {
  return table.replace(keyOf(appId, policy.id), { ...policy }, policy.revision)
}

/** False: it has changed meanwhile, or is gone. */
export function removeDataPolicy(table: Table, appId: string, policy: DataPolicy): Promise<boolean> {
  return table.remove(keyOf(appId, policy.id), policy.revision)
}

import { appPartition, type ConfigTable, type RecordKey } from "@sealway/platform"
import { isRoleSlug } from "@sealway/tokens"
import * as z from "zod"
import type { DataRole } from "./data-role.ts"

const itemSchema = z.object({
  slug: z.string().refine(isRoleSlug),
  name: z.string(),
  description: z.string(),
  createdAt: z.number(),
})

const keyOf = (appId: string, slug: string): RecordKey => ({
  pk: appPartition(appId),
  sk: `data-role#${slug}`,
})

/** An app's role of a slug; null when there is none. */
export async function findDataRole(
  table: ConfigTable,
  appId: string,
  slug: string,
): Promise<DataRole | null> {
  const item = await table.get(keyOf(appId, slug))
  return item && itemSchema.parse(item)
}

/** False: the app has a role of that slug. @throws ZodError when the slug is malformed */
export function createDataRole(table: ConfigTable, appId: string, role: DataRole): Promise<boolean> {
  return table.create(keyOf(appId, role.slug), { ...itemSchema.parse(role) })
}

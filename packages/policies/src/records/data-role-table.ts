import { appPartition, type Item, type RecordKey, type Table } from "@sealway/platform"
import { isRoleSlug } from "@sealway/tokens"
import * as z from "zod"
import { ACCESS_LOG_MODES } from "../rules/access-log-mode.ts"
import type { DataRole } from "../rules/data-role.ts"

/** The sort keys of an app's roles begin with this, and those of roles and policies with `data-`. */
export const ROLE_PREFIX = "data-role#"

const itemSchema = z.object({
  id: z.string(),
  slug: z.string().refine(isRoleSlug),
  name: z.string(),
  description: z.string(),
  archived: z.boolean(),
  /** Roles that were made before there was an access log say nothing. */
  accessLog: z.enum(ACCESS_LOG_MODES).default("standard"),
  usedAt: z.number().nullable(),
  createdAt: z.number(),
  updatedAt: z.number(),
  revision: z.number(),
})

const keyOf = (appId: string, slug: string): RecordKey => ({
  pk: appPartition(appId),
  sk: ROLE_PREFIX + slug,
})

/** @throws ZodError when the item is no role */
export function dataRoleOf(item: Item): DataRole {
  return itemSchema.parse(item)
}

/** An app's role of a slug; null when there is none. */
export async function findDataRole(table: Table, appId: string, slug: string): Promise<DataRole | null> {
  if (!isRoleSlug(slug)) return null
  const item = await table.get(keyOf(appId, slug))
  return item && dataRoleOf(item)
}

export async function listDataRoles(table: Table, appId: string): Promise<readonly DataRole[]> {
  return (await table.list(appPartition(appId), ROLE_PREFIX)).map(dataRoleOf)
}

/** False: the app has a role of that slug. @throws ZodError when the slug is malformed */
export function createDataRole(table: Table, appId: string, role: DataRole): Promise<boolean> {
  return table.create(keyOf(appId, role.slug), { ...itemSchema.parse(role) })
}

/** Writes a changed role, and raises its revision. False: it has changed meanwhile, or is gone. */
export function replaceDataRole(table: Table, appId: string, role: DataRole): Promise<boolean> {
  return table.replace(keyOf(appId, role.slug), { ...role }, role.revision)
}

/** False: it has changed meanwhile, or is gone. */
export function removeDataRole(table: Table, appId: string, role: DataRole): Promise<boolean> {
  return table.remove(keyOf(appId, role.slug), role.revision)
}

import { recordsOf, type Table } from "@sealway/ports"
import { isRoleSlug } from "@sealway/tokens"
import { type DataRole, dataRoleSchema } from "../rules/data-role.ts"

/** The prefix of the sort keys of an app's roles. Those of roles and policies start with `data-`. */
export const ROLE_PREFIX = "data-role#"

export const roleRecords = recordsOf<DataRole, "slug">({
  prefix: ROLE_PREFIX,
  schema: dataRoleSchema,
  nameOf: ({ slug }) => slug,
})

/** Finds an app's role by a slug that a caller sent; null when there is none. */
export async function findDataRole(table: Table, appId: string, slug: string): Promise<DataRole | null> {
  return isRoleSlug(slug) ? roleRecords.find(table, appId, { slug }) : null
}

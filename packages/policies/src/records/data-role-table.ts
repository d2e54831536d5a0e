import { recordsOf, type Table } from "@sealway/platform"
import { isRoleSlug } from "@sealway/tokens"
import { type DataRole, dataRoleSchema } from "../rules/data-role.ts"

/** The sort keys of an app's roles begin with this, and those of roles and policies with `data-`. */
export const ROLE_PREFIX = "data-role#"

export const roleRecords = recordsOf<DataRole, "slug">({
  prefix: ROLE_PREFIX,
  schema: dataRoleSchema,
  nameOf: ({ slug }) => slug,
})

/** An app's role of a slug that a caller sent; null when there is none. */
export async function findDataRole(table: Table, appId: string, slug: string): Promise<DataRole | null> {
  return isRoleSlug(slug) ? roleRecords.find(table, appId, { slug }) : null
}

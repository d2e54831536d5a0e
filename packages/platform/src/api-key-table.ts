import * as z from "zod"
import type { ConfigTable, RecordKey } from "./config-table.ts"
import type { ApiKeyRecord } from "./records.ts"

const itemSchema = z.object({
  id: z.string(),
  hash: z.string(),
  kind: z.enum(["sandbox", "production", "team"]),
  teamId: z.string(),
  appId: z.string().nullable(),
  scopes: z.array(z.string()),
  createdAt: z.number(),
  revokedAt: z.number().nullable(),
})

const keyOf = (hash: string): RecordKey => ({ pk: `api-key#${hash}`, sk: "api-key" })

/** The API key of a hash, revoked ones included; null when there is none. */
export async function findApiKey(table: ConfigTable, hash: string): Promise<ApiKeyRecord | null> {
  const item = await table.get(keyOf(hash))
  return item && itemSchema.parse(item)
}

/** False: a key of that hash exists. */
export function createApiKeyRecord(table: ConfigTable, record: ApiKeyRecord): Promise<boolean> {
  return table.create(keyOf(record.hash), { ...record })
}

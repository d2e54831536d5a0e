import * as z from "zod"
import { pageRecords, type RecordPage, type RecordPageRequest } from "../tables/record-page.ts"
import type { RecordKey, Table } from "../tables/table.ts"
import { appPartition } from "./app-table.ts"
import type { ApiKeyRecord } from "./records.ts"
import { FORMERLY_UNSCOPED } from "./scopes.ts"
import { teamPartition } from "./team-table.ts"

/** Whose key it is: an app's, or for a team key the team's. */
export type KeyOwner = Pick<ApiKeyRecord, "teamId" | "appId">

const itemSchema = z.object({
  id: z.string(),
  name: z.string(),
  hash: z.string(),
  kind: z.enum(["sandbox", "production", "team"]),
  teamId: z.string(),
  appId: z.string().nullable(),
  scopes: z.array(z.string()),
  /** Absent from records written before the scopes of `FORMERLY_UNSCOPED` existed; every write adds it. */
  inheritedScopes: z.array(z.string()).optional(),
  createdAt: z.number(),
  expiresAtMs: z.number().nullable(),
  revokedAt: z.number().nullable(),
  revision: z.number(),
})

const LISTED = "api-key#"

const keyOf = (hash: string): RecordKey => ({ pk: `api-key#${hash}`, sk: "api-key" })
const ownerPartition = ({ teamId, appId }: KeyOwner): string =>
  appId === null ? teamPartition(teamId) : appPartition(appId)

/** The API key of a hash, revoked ones included; null when there is none. */
export async function findApiKey(table: Table, hash: string): Promise<ApiKeyRecord | null> {
  const item = await table.get(keyOf(hash))
  if (item === null) return null
  return recordOf(itemSchema.parse(item))
}

/** An owner's API key of an id, revoked ones included; null when there is none. */
export async function findApiKeyById(
  table: Table,
  owner: KeyOwner,
  id: string,
): Promise<ApiKeyRecord | null> {
  const listed = await table.get({ pk: ownerPartition(owner), sk: LISTED + id })
  return listed && findApiKey(table, String(listed.hash))
}

/** False: a key of that hash exists. */
export async function createApiKeyRecord(table: Table, record: ApiKeyRecord): Promise<boolean> {
  // Listed first: a key that works and is not listed could not be revoked.
  await table.put({ pk: ownerPartition(record), sk: LISTED + record.id }, { hash: record.hash })
  return table.create(keyOf(record.hash), itemOf(record))
}

/** Writes a changed key, and raises its revision. False: it has changed meanwhile. */
export function replaceApiKey(table: Table, record: ApiKeyRecord): Promise<boolean> {
  return table.replace(keyOf(record.hash), itemOf(record), record.revision)
}

/** The keys of an owner, newest first, revoked ones included. */
export function pageApiKeys(
  table: Table,
  owner: KeyOwner,
  request: RecordPageRequest,
): Promise<RecordPage<ApiKeyRecord>> {
  return pageRecords(table, ownerPartition(owner), LISTED, request, ({ hash }) =>
    findApiKey(table, String(hash)),
  )
}

function recordOf({
  expiresAtMs: expiresAt,
  inheritedScopes,
  ...item
}: z.infer<typeof itemSchema>): ApiKeyRecord {
  if (inheritedScopes !== undefined) return { ...item, inheritedScopes, expiresAt }
  const inherits = item.kind !== "team" && !item.scopes.includes("*")
  const inherited = inherits ? FORMERLY_UNSCOPED : []
  return { ...item, scopes: [...item.scopes, ...inherited], inheritedScopes: inherited, expiresAt }
}

/** A table takes `expiresAt` for the end of the record; an expired key stays, to be listed. */
function itemOf({ expiresAt, ...record }: ApiKeyRecord) {
  return { ...record, expiresAtMs: expiresAt }
}

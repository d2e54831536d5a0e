import * as z from "zod"
import { appPartition, teamPartition } from "../tables/partitions.ts"
import { pageRecords, type RecordPage, type RecordPageRequest } from "../tables/record-page.ts"
import { type RecordOf, recordsOf } from "../tables/records.ts"
import type { Table } from "../tables/table.ts"
import { FORMERLY_UNSCOPED } from "./scopes.ts"

/** What is stored of an API key: never the key. */
const keySchema = z.object({
  id: z.string(),
  /** What people call it. */
  name: z.string(),
  /** See `hashApiKey`. */
  hash: z.string(),
  kind: z.enum(["sandbox", "production", "team"]),
  teamId: z.string(),
  /** Null for a team key. */
  appId: z.string().nullable(),
  /** Granted scopes, or `["*"]` for all. Empty for a team key. */
  scopes: z.array(z.string()),
  /** Those of `scopes` that nobody chose: the key was issued before they existed, see `FORMERLY_UNSCOPED`. */
  inheritedScopes: z.array(z.string()),
  /** Epoch milliseconds. */
  createdAt: z.number(),
  /** Epoch milliseconds from which on the key is no good; null for never. */
  expiresAt: z.number().nullable(),
  /** Epoch milliseconds; null unless the key was revoked. */
  revokedAt: z.number().nullable(),
  revision: z.number(),
})

export type ApiKeyRecord = RecordOf<typeof keySchema>

/** Whose key it is: an app's, or for a team key the team's. */
export type KeyOwner = Pick<ApiKeyRecord, "teamId" | "appId">

const itemSchema = keySchema.omit({ expiresAt: true }).extend({
  /** A table takes `expiresAt` for the end of the record; an expired key stays, to be listed. */
  expiresAtMs: z.number().nullable(),
  /** Absent from records written before the scopes of `FORMERLY_UNSCOPED` existed; every write adds it. */
  inheritedScopes: z.array(z.string()).optional(),
})

const keyRecords = recordsOf<ApiKeyRecord, never>({
  prefix: "api-key",
  schema: z.codec(itemSchema, keySchema, {
    decode({ expiresAtMs: expiresAt, inheritedScopes, ...item }) {
      if (inheritedScopes !== undefined) return { ...item, inheritedScopes, expiresAt }
      const inherits = item.kind !== "team" && !item.scopes.includes("*")
      const inherited = inherits ? [...FORMERLY_UNSCOPED] : []
      return { ...item, scopes: [...item.scopes, ...inherited], inheritedScopes: inherited, expiresAt }
    },
    encode: ({ expiresAt, ...record }) => ({ ...record, expiresAtMs: expiresAt }),
  }),
  nameOf: () => "",
  partitionOf: (hash) => `api-key#${hash}`,
})

const LISTED = "api-key#"

const ownerPartition = ({ teamId, appId }: KeyOwner): string =>
  appId === null ? teamPartition(teamId) : appPartition(appId)

/** The API key of a hash, revoked ones included; null when there is none. */
export function findApiKey(table: Table, hash: string): Promise<ApiKeyRecord | null> {
  return keyRecords.find(table, hash, {})
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
  return keyRecords.create(table, record.hash, record)
}

/** Returns the key as it is stored now; null when another call changed it meanwhile. */
export function replaceApiKey(table: Table, record: ApiKeyRecord): Promise<ApiKeyRecord | null> {
  return keyRecords.replace(table, record.hash, record)
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

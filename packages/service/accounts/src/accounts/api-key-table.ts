import {
  appPartition,
  pageRecords,
  type RecordOf,
  type RecordPage,
  type RecordPageRequest,
  recordsOf,
  type Table,
  teamPartition,
} from "@sealway/ports"
import * as z from "zod"
import { chosenLimitsSchema } from "../limits/rate-limits.ts"

/** The record of an API key, without the key itself. */
const keySchema = z.object({
  id: z.string(),
  /** A name for people. */
  name: z.string(),
  /** See `hashApiKey`. */
  hash: z.string(),
  kind: z.enum(["sandbox", "production", "team"]),
  teamId: z.string(),
  /** Null for a team key. */
  appId: z.string().nullable(),
  /** Granted scopes, or `["*"]` for all. Empty for a team key. */
  scopes: z.array(z.string()),
  /** How much the key may do in a time. */
  limits: chosenLimitsSchema,
  /** Epoch milliseconds. */
  createdAt: z.number(),
  /** Epoch milliseconds from which the key is expired; null for never. */
  expiresAt: z.number().nullable(),
  /** Epoch milliseconds; null unless the key was revoked. */
  revokedAt: z.number().nullable(),
  revision: z.number(),
})

export type ApiKeyRecord = RecordOf<typeof keySchema>

/** The owner of a key: an app, or for a team key the team. */
export type KeyOwner = Pick<ApiKeyRecord, "teamId" | "appId">

const itemSchema = keySchema.omit({ expiresAt: true }).extend({
  /** Named differently from the table's `expiresAt`, which removes a record: an expired key stays listed. */
  expiresAtMs: z.number().nullable(),
})

const keyRecords = recordsOf<ApiKeyRecord, never>({
  prefix: "api-key",
  schema: z.codec(itemSchema, keySchema, {
    decode: ({ expiresAtMs: expiresAt, ...item }) => ({ ...item, expiresAt }),
    encode: ({ expiresAt, ...record }) => ({ ...record, expiresAtMs: expiresAt }),
  }),
  nameOf: () => "",
  partitionOf: (hash) => `api-key#${hash}`,
})

const LISTED = "api-key#"

const ownerPartition = ({ teamId, appId }: KeyOwner): string =>
  appId === null ? teamPartition(teamId) : appPartition(appId)

/** Finds an API key by its hash, revoked ones included. */
export function findApiKey(table: Table, hash: string): Promise<ApiKeyRecord | null> {
  return keyRecords.find(table, hash, {})
}

/** Finds an owner's API key by its id, revoked ones included. */
export async function findApiKeyById(
  table: Table,
  owner: KeyOwner,
  id: string,
): Promise<ApiKeyRecord | null> {
  const listed = await table.get({ pk: ownerPartition(owner), sk: LISTED + id })
  return listed && findApiKey(table, String(listed.hash))
}

/** Creates a record of a key. Returns false when a key with that hash exists. */
export async function createApiKeyRecord(table: Table, record: ApiKeyRecord): Promise<boolean> {
  // Listed first: a working key that is not listed could not be revoked.
  await table.put({ pk: ownerPartition(record), sk: LISTED + record.id }, { hash: record.hash })
  return keyRecords.create(table, record.hash, record)
}

/** Returns the key as it is now stored; null when another call changed it first. */
export function replaceApiKey(table: Table, record: ApiKeyRecord): Promise<ApiKeyRecord | null> {
  return keyRecords.replace(table, record.hash, record)
}

/** Lists the keys of an owner, newest first, revoked ones included. */
export function pageApiKeys(
  table: Table,
  owner: KeyOwner,
  request: RecordPageRequest,
): Promise<RecordPage<ApiKeyRecord>> {
  return pageRecords(table, ownerPartition(owner), LISTED, request, ({ hash }) =>
    findApiKey(table, String(hash)),
  )
}

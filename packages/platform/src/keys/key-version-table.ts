import * as z from "zod"
import { appPartition } from "../tables/partitions.ts"
import type { RecordKey, Table } from "../tables/table.ts"

/** A stored key version. KMS has encrypted its secrets in `ciphertext`. */
export interface KeyVersionRecord {
  /** 1 for an app's first version, and one more for each after it. */
  readonly version: number
  readonly ciphertext: Uint8Array
  /** Epoch milliseconds. */
  readonly createdAt: number
}

const PREFIX = "key-version#"
const DIGITS = 10

const itemSchema = z.object({
  version: z.int().positive(),
  ciphertext: z.instanceof(Uint8Array),
  createdAt: z.number(),
})

const keyOf = (appId: string, version: number): RecordKey => ({
  pk: appPartition(appId),
  sk: PREFIX + String(version).padStart(DIGITS, "0"),
})

/** Lists all key versions of an app, newest first. */
export async function listKeyVersions(table: Table, appId: string): Promise<readonly KeyVersionRecord[]> {
  const items = await table.list(appPartition(appId), PREFIX)
  return items.map((item) => itemSchema.parse(item))
}

/** Returns false when that version exists already. */
export function createKeyVersion(table: Table, appId: string, record: KeyVersionRecord): Promise<boolean> {
  return table.create(keyOf(appId, record.version), { ...record })
}

import type { Custody } from "@sealway/accounts"
import { appPartition, type RecordKey, type Table } from "@sealway/ports"
import * as z from "zod"

/** A stored key version. */
export interface KeyVersionRecord {
  /** 1 for an app's first version, and one more for each after it. */
  readonly version: number
  /** The private part, encrypted by KMS. */
  readonly ciphertext: Uint8Array
  /** The other parts, encrypted by KMS. */
  readonly parts: SealedParts
  /** The tag of the KMS key that has the private key, see `KEY_TAG`. Absent when the private part has it. */
  readonly keyTag?: string | undefined
  /** Epoch milliseconds. */
  readonly createdAt: number
}

/** A key version in an HSM has no part `value`. */
export interface SealedParts {
  readonly public: Uint8Array
  readonly value?: Uint8Array | undefined
  readonly secret: Uint8Array
}

const bytesSchema = z.instanceof(Uint8Array)
const itemSchema = z.object({
  version: z.int().positive(),
  ciphertext: bytesSchema,
  parts: z.object({ public: bytesSchema, value: bytesSchema.optional(), secret: bytesSchema }),
  keyTag: z.string().optional(),
  createdAt: z.number(),
})

const PREFIX = "key-version#"
const DIGITS = 10

const keyOf = (appId: string, version: number): RecordKey => ({
  pk: appPartition(appId),
  sk: PREFIX + String(version).padStart(DIGITS, "0"),
})

/** Where a key version's private key is: in its private part, or in KMS. */
export function custodyOf({ keyTag }: Pick<KeyVersionRecord, "keyTag">): Custody {
  return keyTag === undefined ? "envelope" : "hsm"
}

/** Lists all key versions of an app, newest first. */
export async function listKeyVersions(table: Table, appId: string): Promise<readonly KeyVersionRecord[]> {
  const items = await table.list(appPartition(appId), PREFIX)
  return items.map((item) => itemSchema.parse(item))
}

/** Returns false when that version exists already. */
export function createKeyVersion(table: Table, appId: string, record: KeyVersionRecord): Promise<boolean> {
  return table.create(keyOf(appId, record.version), { ...record })
}

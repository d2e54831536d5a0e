import { appPartition, type RecordKey, type Table } from "@sealway/ports"
import * as z from "zod"

/** A stored certificate authority: certificate and key, sealed together. */
export interface SealedAuthority {
  /** The version of the app's keys that it is sealed with; null for the root, which KMS encrypts. */
  readonly keyVersion: number | null
  readonly sealed: Uint8Array
  /** Incremented by each change. */
  readonly revision: number
}

const itemSchema = z.object({
  keyVersion: z.int().positive().nullable(),
  sealed: z.instanceof(Uint8Array),
  revision: z.number(),
})

/** @param appId null: the root */
const keyOf = (appId: string | null): RecordKey => ({
  pk: appId === null ? "relay-authority" : appPartition(appId),
  sk: "relay-authority",
})

/** Returns null when there is none yet. */
export async function findAuthority(table: Table, appId: string | null): Promise<SealedAuthority | null> {
  const item = await table.get(keyOf(appId))
  return item && itemSchema.parse(item)
}

/** Returns false when another process was faster. */
export function createAuthority(
  table: Table,
  appId: string | null,
  authority: Omit<SealedAuthority, "revision">,
): Promise<boolean> {
  return table.create(keyOf(appId), { ...authority, revision: 1 })
}

/** Returns false when another process was faster. */
export function replaceAuthority(
  table: Table,
  appId: string | null,
  authority: SealedAuthority,
): Promise<boolean> {
  return table.replace(keyOf(appId), { ...authority }, authority.revision)
}

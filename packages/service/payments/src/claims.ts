import type { RecordKey, Table } from "@sealway/ports"
import * as z from "zod"

const itemSchema = z.object({ id: z.string(), revision: z.number() })
const MAX_TRIES = 10

/** A claim to a place that only one record can have. */
export interface Claim {
  /** The record that gets it, unless another one has it. */
  readonly newId: string
  /** Whether its current owner gives it up, because it is deleted or being replaced. */
  readonly isFree: (id: string) => Promise<boolean>
  /** When the claim expires, in epoch seconds. Default: never. */
  readonly expiresAt?: number
}

/**
 * Gives a place to a new record, unless another one has it. The first writer decides for all.
 *
 * @returns the id of the record that now has it. The record may not exist yet
 * @throws Error when others keep changing it
 */
export async function claimPlace(
  table: Table,
  key: RecordKey,
  { newId, isFree, expiresAt }: Claim,
): Promise<string> {
  const claimed = { id: newId, ...(expiresAt !== undefined && { expiresAt }) }
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const item = await table.get(key)
    if (item === null) {
      if (await table.create(key, { ...claimed, revision: 1 })) return newId
      continue
    }
    const { id, revision } = itemSchema.parse(item)
    if (!(await isFree(id))) return id
    if (await table.replace(key, { ...claimed, revision }, revision)) return newId
  }
  throw new Error("What only one record can have is changed all the time")
}

/** Releases a place, unless another record has it by now. */
export async function releasePlace(table: Table, key: RecordKey, ownId: string): Promise<void> {
  const item = await table.get(key)
  if (item === null) return
  const { id, revision } = itemSchema.parse(item)
  if (id === ownId) await table.remove(key, revision)
}

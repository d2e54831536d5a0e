import * as z from "zod"
import { teamPartition } from "../tables/partitions.ts"
import { ATTEMPT, type Item, type RecordKey, type Table } from "../tables/table.ts"
import { type AuditRecord, auditRecordSchema, type ChainHead, EMPTY_CHAIN } from "./audit-chain.ts"

/** How many records one item holds. */
export const MAX_BLOCK = 50
export const BLOCK_PREFIX = "audit#"
const SEQ_DIGITS = 12

/** The table of the log. Blocks of records are read and created, and never change. */
export interface AuditTable extends Pick<Table, "page"> {
  /** Writes a block unless there is one with its first number. Returns false, and changes nothing, when there is. */
  create(key: RecordKey, block: { readonly records: readonly AuditRecord[] }): Promise<boolean>
}

const blockSchema = z.object({ records: z.array(auditRecordSchema).min(1) })

/**
 * Returns the key of the block that starts with a number. Everyone who knows the chain's end knows it, and it is
 * written once.
 */
export const blockKey = (teamId: string, firstSeq: number): RecordKey => ({
  pk: teamPartition(teamId),
  sk: BLOCK_PREFIX + String(firstSeq).padStart(SEQ_DIGITS, "0"),
})

export function recordsOf(block: Item): readonly AuditRecord[] {
  return blockSchema.parse(block).records
}

/** Returns the end of a team's chain. */
export async function readHead(table: Pick<Table, "page">, teamId: string): Promise<ChainHead> {
  const { items } = await table.page(teamPartition(teamId), BLOCK_PREFIX, { limit: 1 })
  return (items[0] && recordsOf(items[0]).at(-1)) ?? EMPTY_CHAIN
}

/** Returns which attempt wrote the block at a key; null when there is none. */
export async function attemptAt(table: Pick<Table, "page">, { pk, sk }: RecordKey): Promise<unknown> {
  const { items } = await table.page(pk, sk, { limit: 1 })
  return items[0]?.[ATTEMPT] ?? null
}

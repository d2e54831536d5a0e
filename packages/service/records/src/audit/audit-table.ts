import {
  ATTEMPT,
  type Item,
  type RecordKey,
  type Table,
  teamPartition,
  type WriteStamp,
} from "@sealway/ports"
import * as z from "zod"
import { type AuditRecord, auditRecordSchema, type ChainHead, EMPTY_CHAIN } from "./audit-chain.ts"
import {
  type AuditBlock,
  groupSchema,
  placesOf,
  receiptKey,
  type Waiting,
  waitingKey,
} from "./audit-group.ts"

/** How many records one item holds. */
export const MAX_BLOCK = 100
export const BLOCK_PREFIX = "audit#"
const SEQ_DIGITS = 12

/** The table of the log. Items are read and created, and never change. */
export interface AuditTable extends Pick<Table, "page"> {
  /** Returns a team's last block; null when there is none. */
  lastBlock(teamId: string): Promise<AuditBlock | null>
  /** Writes a block unless there is one with its first number. Returns false, and changes nothing, when there is. */
  create(block: AuditBlock): Promise<boolean>
  /** Keeps records for whoever writes the group's next block. */
  wait(teamId: string, slot: number, waiting: Waiting): Promise<void>
}

const blockSchema = z.object({ records: z.array(auditRecordSchema).min(1), group: groupSchema.optional() })

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

/** Returns the end of the chain whose last block this is. */
export function endOf(block: AuditBlock | null): ChainHead {
  const last = block?.records.at(-1)
  return last === undefined ? EMPTY_CHAIN : { seq: last.seq, hash: last.hash }
}

export async function readLastBlock(table: Pick<Table, "page">, teamId: string): Promise<AuditBlock | null> {
  const { items } = await table.page(teamPartition(teamId), BLOCK_PREFIX, { limit: 1 })
  return items[0] === undefined ? null : blockSchema.parse(items[0])
}

/** Returns which attempt wrote the block at a key; null when there is none. */
export async function attemptAt(table: Pick<Table, "page">, { pk, sk }: RecordKey): Promise<unknown> {
  const { items } = await table.page(pk, sk, { limit: 1 })
  return items[0]?.[ATTEMPT] ?? null
}

/** The table as its writers see it. */
export interface WritableAuditTable extends AuditTable {
  create(block: AuditBlock, stamp?: WriteStamp): Promise<boolean>
}

/**
 * Opens the table for writing. The receipt of a group follows its block. A process can die between the two: so whoever
 * reads the end of a chain, to continue it, makes sure that the receipt is there. Thus only the last block can lack one.
 */
export function createAuditTable({ page, create }: Pick<Table, "page" | "create">): WritableAuditTable {
  async function writeReceipt(block: AuditBlock): Promise<void> {
    const key = receiptKey(block)
    if (key !== null) await create(key, { places: placesOf(block) })
  }

  return {
    page,

    async lastBlock(teamId) {
      const block = await readLastBlock({ page }, teamId)
      const key = block && receiptKey(block)
      if (key && (await page(key.pk, key.sk, { limit: 1 })).items.length === 0) await writeReceipt(block)
      return block
    },

    async create(block, stamp) {
      const [first] = block.records
      if (first === undefined) throw new TypeError("A block has no records")
      const { records, group } = block
      const item = group === undefined ? { records } : { records, group }
      if (!(await create(blockKey(first.teamId, first.seq), item, stamp))) return false
      await writeReceipt(block)
      return true
    },

    async wait(teamId, slot, waiting) {
      await create(waitingKey(teamId, slot, waiting.id), { ...waiting })
    },
  }
}

import { promisify } from "node:util"
import { deflateRaw, inflateRaw } from "node:zlib"
import { MB } from "@sealway/kernel"
import { type Item, mergeDescending, pagesOf, type Table } from "@sealway/ports"
import * as z from "zod"
import {
  ACCESS_PREFIX,
  ACCESS_SHARDS,
  type AccessBlock,
  type AccessPlace,
  accessBlocksEnd,
  accessPartition,
} from "./access-blocks.ts"
import { type AccessRecord, accessRecordSchema } from "./access-record.ts"

/** Far more than any block: blocks are bounded before they are compressed. */
const MAX_TEXT_BYTES = 4 * MB
const DAY_SECONDS = 24 * 60 * 60
/** Of each partition. */
const BLOCKS_PER_READ = 4

const itemSchema = z.object({ records: z.instanceof(Uint8Array) })
const recordsSchema = z.array(accessRecordSchema).min(1)

/**
 * Writes a block unless it exists.
 *
 * @param keptDays how long it is kept after its last record, until the table removes it; null: for good
 */
export async function createAccessBlock(
  table: Pick<Table, "create">,
  { key, json, newestMs }: AccessBlock,
  keptDays: number | null,
): Promise<void> {
  const records = await promisify(deflateRaw)(json)
  const expiry = keptDays === null ? {} : { expiresAt: Math.floor(newestMs / 1000) + keptDays * DAY_SECONDS }
  await table.create(key, { records, ...expiry })
}

/** Yields the blocks that can hold records before an id, by descending newest id. @param before null for all */
async function* readBlocks(
  table: Pick<Table, "page">,
  place: AccessPlace,
  before: string | null,
): AsyncGenerator<Item> {
  const after = before === null ? undefined : accessBlocksEnd(before)
  const shards = Array.from({ length: ACCESS_SHARDS }, async function* (_, shard) {
    const request = { limit: BLOCKS_PER_READ, after }
    for await (const items of pagesOf(table, accessPartition(place, shard), ACCESS_PREFIX, request)) {
      yield* items
    }
  })
  yield* mergeDescending(shards, (item) => String(item.sk))
}

const newestIdOf = ({ sk }: Item): string => String(sk).slice(ACCESS_PREFIX.length).split("#")[0] ?? ""

async function recordsOf(item: Item): Promise<readonly AccessRecord[]> {
  const { records } = itemSchema.parse(item)
  const text = (await promisify(inflateRaw)(records, { maxOutputLength: MAX_TEXT_BYTES })).toString()
  return recordsSchema.parse(JSON.parse(text))
}

export interface AccessRange {
  /** Returns only records with a lower id. Null: all. */
  readonly before: string | null
  /** Returns only records with this id or a higher one. Null: all. */
  readonly notBefore: string | null
}

/**
 * Yields an app's records, newest first, each once.
 *
 * Blocks of several processes overlap, so a record is yielded only when no remaining block can hold a newer one.
 */
export async function* readAccessLog(
  table: Pick<Table, "page">,
  place: AccessPlace,
  { before, notBefore }: AccessRange,
): AsyncGenerator<AccessRecord> {
  let waiting: AccessRecord[] = []
  let last: string | null = null
  const isWanted = ({ id }: AccessRecord) =>
    (before === null || id < before) && (notBefore === null || id >= notBefore)
  for await (const block of readBlocks(table, place, before)) {
    const newestId = newestIdOf(block)
    if (notBefore !== null && newestId < notBefore) break
    const records = await recordsOf(block)
    const firstWaiting = waiting.findIndex(({ id }) => id <= newestId)
    const ready = firstWaiting === -1 ? waiting.length : firstWaiting
    for (const record of waiting.slice(0, ready)) {
      if (record.id !== last) yield record
      last = record.id
    }
    waiting = [...waiting.slice(ready), ...records.filter(isWanted)].sort((left, right) =>
      left.id < right.id ? 1 : -1,
    )
  }
  for (const record of waiting) {
    if (record.id !== last) yield record
    last = record.id
  }
}

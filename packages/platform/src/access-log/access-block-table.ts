import { hash } from "node:crypto"
import { promisify } from "node:util"
import { deflateRaw, inflateRaw } from "node:zlib"
import { idsFrom, MB, timeOfId } from "@sealway/kernel"
import * as z from "zod"
import { teamPartition } from "../tables/partitions.ts"
import { pagesOf } from "../tables/record-page.ts"
import type { RecordKey, Table } from "../tables/table.ts"
import { type AccessRecord, accessRecordSchema } from "./access-record.ts"

/** The app that records belong to. */
export interface AccessPlace {
  readonly teamId: string
  readonly appId: string
}

/** Records of one app that are written once, as one item. */
export interface AccessBlock {
  readonly key: RecordKey
  readonly json: string
  /** Number of records. */
  readonly count: number
}

/**
 * The longest time between the first and the last record of a block. Readers look no further back for overlapping
 * blocks.
 */
const BLOCK_SPAN_MS = 10_000
const MAX_BLOCK_RECORDS = 1_000
/**
 * The size of a block's records as JSON before compression. Compressed, they are well below the limit of a DynamoDB
 * item.
 */
const MAX_BLOCK_CHARACTERS = 300_000
/** Far more than any block: blocks are bounded before they are compressed. */
const MAX_TEXT_BYTES = 4 * MB
const PREFIX = "access#"
const BLOCKS_PER_READ = 4

const itemSchema = z.object({ records: z.instanceof(Uint8Array) })
const recordsSchema = z.array(accessRecordSchema).min(1)

/** In the team's partition, whose items no function may change or remove: see `grant-statements.ts` of the stacks. */
const partition = ({ teamId, appId }: AccessPlace) => `${teamPartition(teamId)}#access#${appId}`

/**
 * Groups records into blocks, per app and by ascending id.
 *
 * The same records give the same blocks with the same keys, so writing them again changes nothing. Blocks of different
 * records have different keys, even if they share some records.
 */
export function accessBlocksOf(records: readonly AccessRecord[]): readonly AccessBlock[] {
  const blocks: AccessBlock[] = []
  for (const [pk, ofApp] of Map.groupBy(records, partition)) {
    const sorted = ofApp.toSorted((left, right) => (left.id < right.id ? -1 : 1))
    let ids: string[] = []
    let texts: string[] = []
    let characters = 0
    let firstMs = 0
    const end = () => {
      const newest = ids.at(-1)
      if (newest === undefined) return
      const digest = hash("sha256", ids.join(), "hex").slice(0, 16)
      blocks.push({
        key: { pk, sk: `${PREFIX}${newest}#${digest}` },
        json: `[${texts.join(",")}]`,
        count: ids.length,
      })
      ids = []
      texts = []
      characters = 0
    }
    for (const record of sorted) {
      const text = JSON.stringify(record)
      const timeMs = timeOfId("access", record.id) ?? 0
      const isFull =
        ids.length === MAX_BLOCK_RECORDS ||
        characters + text.length > MAX_BLOCK_CHARACTERS ||
        timeMs - firstMs > BLOCK_SPAN_MS
      if (isFull) end()
      if (ids.length === 0) firstMs = timeMs
      ids.push(record.id)
      texts.push(text)
      characters += text.length
    }
    end()
  }
  return blocks
}

/** Writes a block unless it exists. */
export async function createAccessBlock(
  table: Pick<Table, "create">,
  { key, json }: AccessBlock,
): Promise<void> {
  await table.create(key, { records: await promisify(deflateRaw)(json) })
}

interface StoredBlock {
  readonly newestId: string
  readonly records: readonly AccessRecord[]
}

/** Yields the blocks that can hold records before an id, by descending newest id. @param before null for all */
async function* readBlocks(
  table: Pick<Table, "page">,
  place: AccessPlace,
  before: string | null,
): AsyncGenerator<StoredBlock> {
  const timeMs = before === null ? null : (timeOfId("access", before) ?? 0)
  const after = timeMs === null ? undefined : PREFIX + idsFrom("access", timeMs + BLOCK_SPAN_MS + 1)
  for await (const items of pagesOf(table, partition(place), PREFIX, { limit: BLOCKS_PER_READ, after })) {
    for (const item of items) {
      const { records } = itemSchema.parse(item)
      const text = (await promisify(inflateRaw)(records, { maxOutputLength: MAX_TEXT_BYTES })).toString()
      const [newestId = ""] = String(item.sk).slice(PREFIX.length).split("#")
      yield { newestId, records: recordsSchema.parse(JSON.parse(text)) }
    }
  }
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
  for await (const { newestId, records } of readBlocks(table, place, before)) {
    if (notBefore !== null && newestId < notBefore) break
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

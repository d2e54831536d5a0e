import { hash } from "node:crypto"
import { promisify } from "node:util"
import { deflateRaw, inflateRaw } from "node:zlib"
import { idsFrom, MB, timeOfId } from "@sealway/kernel"
import * as z from "zod"
import { teamPartition } from "../tables/partitions.ts"
import { pagesOf } from "../tables/record-page.ts"
import type { RecordKey, Table } from "../tables/table.ts"
import { type AccessRecord, accessRecordSchema } from "./access-record.ts"

/** The app that records are about. */
export interface AccessPlace {
  readonly teamId: string
  readonly appId: string
}

/** Records of one app that are written as one item, once. */
export interface AccessBlock {
  readonly key: RecordKey
  readonly json: string
  /** Number of records. */
  readonly count: number
}

/** The longest time between the first and the last record of a block. Readers look no further for what overlaps. */
const BLOCK_SPAN_MS = 10_000
const MAX_BLOCK_RECORDS = 1_000
/** What a block's records may take as JSON before they are compressed: less than an item of DynamoDB. */
const MAX_BLOCK_CHARACTERS = 300_000
/** Far more than any block: what is written fits into an item before it is compressed. */
const MAX_TEXT_BYTES = 4 * MB
const PREFIX = "access#"
const BLOCKS_PER_READ = 4

const deflate = promisify(deflateRaw)
const inflate = promisify(inflateRaw)
const itemSchema = z.object({ records: z.instanceof(Uint8Array) })
const recordsSchema = z.array(accessRecordSchema).min(1)

/** Below the team's partition, whose items no function may change or remove: see `grant-statements.ts` of the stacks. */
const partition = ({ teamId, appId }: AccessPlace) => `${teamPartition(teamId)}#access#${appId}`

/**
 * Puts records into blocks: those of an app together, by ascending id.
 *
 * The same records make the same blocks, with the same keys, so that writing them again changes nothing. Blocks of
 * other records have other keys, even where they share some.
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

/** Writes a block, unless it is there. */
export async function createAccessBlock(
  table: Pick<Table, "create">,
  { key, json }: AccessBlock,
): Promise<void> {
  await table.create(key, { records: await deflate(json) })
}

interface StoredBlock {
  readonly newestId: string
  readonly records: readonly AccessRecord[]
}

/** The blocks that can hold records before an id, by descending newest id. @param before null for all */
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
      const text = (await inflate(records, { maxOutputLength: MAX_TEXT_BYTES })).toString()
      const [newestId = ""] = String(item.sk).slice(PREFIX.length).split("#")
      yield { newestId, records: recordsSchema.parse(JSON.parse(text)) }
    }
  }
}

export interface AccessRange {
  /** Only records with a lesser id. Null: all. */
  readonly before: string | null
  /** Only records with an id that is not less. Null: all. */
  readonly notBefore: string | null
}

/**
 * An app's records, newest first, each once.
 *
 * Blocks of several processes overlap: a record's turn has come when no block is left that can hold a newer one.
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

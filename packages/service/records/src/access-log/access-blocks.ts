import { hash } from "node:crypto"
import { idsFrom, timeOfId } from "@sealway/kernel"
import { type RecordKey, shardOf, teamPartition } from "@sealway/ports"
import type { AccessRecord } from "./access-record.ts"

/** The app that records belong to. */
export interface AccessPlace {
  readonly teamId: string
  readonly appId: string
}

/** Records of one app that are written once, as one item. */
export interface AccessBlock {
  readonly key: RecordKey
  /** A JSON array. */
  readonly json: Buffer
  /** Number of records. */
  readonly count: number
  /** When the last one was made, in epoch milliseconds. */
  readonly newestMs: number
}

export const ACCESS_PREFIX = "access#"

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
const MAX_BLOCK_BYTES = 300_000
const NO_BYTES = Buffer.alloc(0)
const COMMA = 0x2c

/** How many partitions an app's log has. Each takes about 1,000 blocks a second of up to 1 KB, or fewer large ones. */
export const ACCESS_SHARDS = 16

/** Below the team's name: no function may change or remove such items, see `grant-statements.ts` of the stacks. */
export function accessPartition({ teamId, appId }: AccessPlace, shard: number): string {
  return `${teamPartition(teamId)}#access#${appId}#${shard}`
}

/** Returns the id that all blocks with records before an id sort before. */
export function accessBlocksEnd(before: string): string {
  return ACCESS_PREFIX + idsFrom("access", (timeOfId("access", before) ?? 0) + BLOCK_SPAN_MS + 1)
}

/**
 * Collects records into blocks, per app, as bytes: thousands of objects that live for a second would cost the garbage
 * collector as much as the decryptions themselves.
 *
 * The same records in the same order give the same blocks with the same keys, so writing them again changes nothing.
 * Blocks of different records have different keys, even if they share some records.
 */
export class AccessBlocks {
  /** By app. */
  readonly #open = new Map<string, OpenBlock>()
  #closed: AccessBlock[] = []
  #count = 0

  /** How many records there are. */
  get count(): number {
    return this.#count
  }

  add(record: AccessRecord): void {
    const { teamId, appId } = record
    const app = JSON.stringify([teamId, appId])
    const text = JSON.stringify(record)
    const bytes = Buffer.byteLength(text)
    this.#count++
    const open = this.#open.get(app)
    if (open?.add(record, text, bytes)) return
    if (open !== undefined) this.#closed.push(open.close())
    const next = new OpenBlock({ teamId, appId }, record.at)
    next.add(record, text, bytes)
    this.#open.set(app, next)
  }

  /** Returns all blocks, and starts again. */
  take(): AccessBlock[] {
    const blocks = this.#closed
    for (const open of this.#open.values()) blocks.push(open.close())
    this.#closed = []
    this.#open.clear()
    this.#count = 0
    return blocks
  }
}

class OpenBlock {
  readonly #place: AccessPlace
  #bytes: Buffer = NO_BYTES
  #length = 0
  #count = 0
  #oldestMs: number
  #newestMs: number
  #newestId = ""

  constructor(place: AccessPlace, atMs: number) {
    this.#place = place
    this.#oldestMs = atMs
    this.#newestMs = atMs
  }

  /** Returns false, and adds nothing, when the record does not fit. */
  add({ id, at }: AccessRecord, text: string, bytes: number): boolean {
    const oldestMs = Math.min(this.#oldestMs, at)
    const newestMs = Math.max(this.#newestMs, at)
    const length = this.#length + bytes + 1
    const isFull = this.#count === MAX_BLOCK_RECORDS || length > MAX_BLOCK_BYTES
    if (this.#count > 0 && (isFull || newestMs - oldestMs > BLOCK_SPAN_MS)) return false
    // The first comma becomes the opening bracket, and the last byte is for the closing one.
    this.#makeRoom(length + 1)
    this.#bytes[this.#length] = COMMA
    this.#bytes.write(text, this.#length + 1)
    this.#length = length
    this.#count++
    this.#oldestMs = oldestMs
    this.#newestMs = newestMs
    if (id > this.#newestId) this.#newestId = id
    return true
  }

  close(): AccessBlock {
    const json = this.#bytes.subarray(0, this.#length + 1)
    json.write("[")
    json.write("]", this.#length)
    const digest = hash("sha256", json, "hex").slice(0, 16)
    const sk = `${ACCESS_PREFIX}${this.#newestId}#${digest}`
    const pk = accessPartition(this.#place, shardOf(sk, ACCESS_SHARDS))
    return { key: { pk, sk }, json, count: this.#count, newestMs: this.#newestMs }
  }

  #makeRoom(length: number): void {
    if (length <= this.#bytes.length) return
    const larger = Buffer.allocUnsafeSlow(Math.max(length, 2 * this.#bytes.length))
    this.#bytes.copy(larger, 0, 0, this.#length)
    this.#bytes = larger
  }
}

/** Groups records into blocks, by ascending id. */
export function accessBlocksOf(records: readonly AccessRecord[]): readonly AccessBlock[] {
  const blocks = new AccessBlocks()
  for (const record of records.toSorted((left, right) => (left.id < right.id ? -1 : 1))) blocks.add(record)
  return blocks.take()
}

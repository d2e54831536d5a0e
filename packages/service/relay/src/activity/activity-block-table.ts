import { promisify } from "node:util"
import { deflateRaw, inflateRaw } from "node:zlib"
import { MB } from "@sealway/kernel"
import { appPartition, type RecordKey, type Table } from "@sealway/ports"
import * as z from "zod"
import type { Activity } from "./activity.ts"
import { activityIdsFrom, timeOfActivity } from "./activity-id.ts"
import { activitySchema } from "./activity-schema.ts"

/** Requests of a relay that one process recorded, written once. */
export interface ActivityBlock {
  readonly appId: string
  readonly relayId: string
  /** At least one, by ascending id, within `BLOCK_SPAN_MS`. */
  readonly entries: readonly Activity[]
  /** How many requests of the same time were dropped and only counted. */
  readonly dropped: number
}

/** The key of a relay. */
export type RelayPlace = Pick<ActivityBlock, "appId" | "relayId">

/**
 * The longest time between the first and the last request of a block. Readers look no further back for overlapping
 * blocks.
 */
export const BLOCK_SPAN_MS = 10_000
export const ACTIVITY_KEPT_SECONDS = 7 * 24 * 60 * 60

const PREFIX = "activity#"
const BLOCKS_PER_READ = 10
/** Many times what an item can hold: blocks are far smaller. */
const MAX_TEXT_BYTES = 4 * MB

const itemSchema = z.object({ entries: z.instanceof(Uint8Array), dropped: z.number() })
const entriesSchema = z.array(activitySchema)

const partition = ({ appId, relayId }: RelayPlace) => `${appPartition(appId)}#activity#${relayId}`

/** Uses the id of the newest entry, which is unique, so writing it again gives the same item. */
function keyOf(block: ActivityBlock): RecordKey {
  const newest = block.entries.at(-1)
  if (newest === undefined) throw new TypeError("A block has no entries")
  return { pk: partition(block), sk: PREFIX + newest.id }
}

export async function putActivityBlock(table: Pick<Table, "put">, block: ActivityBlock): Promise<void> {
  const { entries, dropped } = block
  const { pk, sk } = keyOf(block)
  const newestMs = timeOfActivity(sk.slice(PREFIX.length)) ?? 0
  await table.put(
    { pk, sk },
    {
      entries: await promisify(deflateRaw)(JSON.stringify(entries)),
      dropped,
      expiresAt: Math.floor(newestMs / 1000) + ACTIVITY_KEPT_SECONDS,
    },
  )
}

export interface StoredBlock extends Pick<ActivityBlock, "entries" | "dropped"> {
  readonly newestId: string
}

/** Yields the blocks that can hold entries up to an id, by descending newest id. @param upToId null for all */
export async function* readActivityBlocks(
  table: Pick<Table, "page">,
  place: RelayPlace,
  upToId: string | null,
): AsyncGenerator<StoredBlock> {
  const timeMs = upToId === null ? null : timeOfActivity(upToId)
  if (upToId !== null && timeMs === null) return
  let after = timeMs === null ? undefined : PREFIX + activityIdsFrom(timeMs + BLOCK_SPAN_MS + 1)
  for (;;) {
    const page = await table.page(partition(place), PREFIX, { limit: BLOCKS_PER_READ, after })
    for (const item of page.items) {
      const { entries, dropped } = itemSchema.parse(item)
      const text = (await promisify(inflateRaw)(entries, { maxOutputLength: MAX_TEXT_BYTES })).toString()
      const newestId = String(item.sk).slice(PREFIX.length)
      yield { newestId, dropped, entries: entriesSchema.parse(JSON.parse(text)) }
    }
    if (!page.hasMore) return
    after = String(page.items.at(-1)?.sk)
  }
}

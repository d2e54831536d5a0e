import type { Log, Table } from "@sealway/ports"
import type { Relay } from "../relays/relay.ts"
import type { Activity } from "./activity.ts"
import {
  type ActivityBlock,
  BLOCK_SPAN_MS,
  putActivityBlock,
  type RelayPlace,
} from "./activity-block-table.ts"
import { timeOfActivity } from "./activity-id.ts"
import { type ActivityRank, ActivitySample } from "./activity-sample.ts"

/** Collects activity in memory and writes it from time to time. */
export interface ActivityRecorder {
  /** Never waits. @param activity called immediately, if it is kept */
  note(relay: Pick<Relay, "id" | "appId">, activity: () => Activity, rank: ActivityRank): void
  /** Resolves when the current write is done. */
  settle(): Promise<void>
  /** Writes everything that is kept. */
  flush(): Promise<void>
}

export interface ActivityRecorderOptions {
  readonly eventsTable: Pick<Table, "put">
  /** Receives how many requests were lost, and why writing failed. */
  readonly log: Pick<Log, "warn">
  /** A monotonic clock, in milliseconds. */
  readonly now: () => number
  /** The minimum time between two writes. Default: 5,000. */
  readonly writeEveryMs?: number
  /** Returns a number from 0 to less than 1. Default: `Math.random`. */
  readonly random?: () => number
}

const WRITE_EVERY_MS = 5_000
const WRITES_AT_ONCE = 10
const MAX_RELAYS = 10_000
/** The maximum number of entries of all relays between two writes. */
const MAX_KEPT = 20_000
/** The maximum number of blocks waiting for a retry. */
const MAX_UNWRITTEN = 200
/** The size of a block's entries as JSON before compression. */
const MAX_BLOCK_CHARACTERS = 300_000

interface KeptSample {
  readonly place: RelayPlace
  readonly sample: ActivitySample
}

/**
 * Creates a recorder. The first request of a process is written immediately, those that follow a few seconds later, as
 * one item per relay. A process that is frozen between requests writes its entries with its next one; one that ends
 * without `flush` loses the last seconds.
 */
export function createActivityRecorder({
  eventsTable,
  log,
  now,
  writeEveryMs = WRITE_EVERY_MS,
  random = Math.random,
}: ActivityRecorderOptions): ActivityRecorder {
  let samples = new Map<string, KeptSample>()
  let kept = 0
  let lost = 0
  let unwritten: ActivityBlock[] = []
  let writing: Promise<void> | null = null
  let writtenAtMs: number | null = null
  let timer: NodeJS.Timeout | null = null

  function sampleOf({ id: relayId, appId }: Pick<Relay, "id" | "appId">): ActivitySample | null {
    const known = samples.get(relayId)
    if (known !== undefined) return known.sample
    if (samples.size >= MAX_RELAYS) return null
    const sample = new ActivitySample(random)
    samples.set(relayId, { place: { appId, relayId }, sample })
    return sample
  }

  function takeBlocks({ place, sample }: KeptSample): readonly ActivityBlock[] {
    const { entries, dropped } = sample.take()
    if (entries.length === 0) lost += dropped
    return blocksOf(place, entries, dropped)
  }

  async function writeBlocks(blocks: readonly ActivityBlock[]): Promise<void> {
    for (const block of blocks) {
      try {
        await putActivityBlock(eventsTable, block)
      } catch (error) {
        unwritten.push(block)
        log.warn("could not write relay activity", { error })
      }
    }
  }

  async function writeAll(): Promise<void> {
    const [taken, again] = [samples, unwritten]
    samples = new Map()
    unwritten = []
    kept = 0
    const groups: (() => readonly ActivityBlock[])[] = [
      ...again.map((block) => () => [block]),
      ...[...taken.values()].map((each) => () => takeBlocks(each)),
    ]
    // Each block is built when its turn comes, so that no request waits for all of them.
    const writers = Array.from({ length: WRITES_AT_ONCE }, async () => {
      for (let group = groups.shift(); group !== undefined; group = groups.shift()) await writeBlocks(group())
    })
    await Promise.all(writers)
    for (const { entries, dropped } of unwritten.splice(0, unwritten.length - MAX_UNWRITTEN)) {
      lost += entries.length + dropped
    }
    if (lost > 0) log.warn(`${lost} requests are missing from the relays' activity`)
    lost = 0
  }

  function start(): Promise<void> {
    if (timer !== null) clearTimeout(timer)
    timer = null
    writtenAtMs = now()
    writing = writeAll().finally(() => {
      writing = null
      if (samples.size > 0 || unwritten.length > 0) schedule()
    })
    return writing
  }

  function schedule(): void {
    if (timer !== null || writing !== null) return
    const waitMs = writtenAtMs === null ? 0 : writtenAtMs + writeEveryMs - now()
    if (waitMs <= 0) {
      void start()
      return
    }
    timer = setTimeout(start, waitMs)
    timer.unref()
  }

  return {
    note(relay, activity, rank) {
      const sample = sampleOf(relay)
      if (sample === null) lost++
      else if (sample.add(activity, rank, kept < MAX_KEPT)) kept++
      // A process that was frozen wakes with a long overdue timer.
      if (timer !== null && writtenAtMs !== null && now() - writtenAtMs >= writeEveryMs) void start()
      else schedule()
    },
    async settle() {
      await writing
    },
    async flush() {
      await writing
      await start()
    },
  }
}

/** Splits entries into blocks of a limited time span and size. @param entries by ascending id */
function blocksOf(
  place: RelayPlace,
  entries: readonly Activity[],
  dropped: number,
): readonly ActivityBlock[] {
  const blocks: Activity[][] = []
  let firstMs = 0
  let characters = 0
  for (const entry of entries) {
    const timeMs = timeOfActivity(entry.id) ?? 0
    const length = JSON.stringify(entry).length
    const last = blocks.at(-1)
    if (
      last === undefined ||
      timeMs - firstMs > BLOCK_SPAN_MS ||
      characters + length > MAX_BLOCK_CHARACTERS
    ) {
      blocks.push([entry])
      firstMs = timeMs
      characters = length
    } else {
      last.push(entry)
      characters += length
    }
  }
  return blocks.map((each, index) => ({
    ...place,
    entries: each,
    dropped: index === blocks.length - 1 ? dropped : 0,
  }))
}

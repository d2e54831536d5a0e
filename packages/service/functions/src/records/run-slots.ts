import { randomInt } from "node:crypto"
import type { Invocation, Item, Log, RecordKey, Table } from "@sealway/ports"

/** The maximum numbers of concurrent runs. */
export interface RunLimits {
  /** For one app. */
  readonly perApp: number
  /** For all apps of the stage. */
  readonly perStage: number
}

/** A slot of a run in progress. */
export interface RunSlot {
  /** Calls the code. If it is unknown whether the code has ended, the slot stays taken until it must have. */
  during(call: () => Promise<Invocation>): Promise<Invocation>
  /** Releases the slot when the code has ended. Never throws: a slot that is not released expires. */
  release(): Promise<void>
}

export interface RunSlots {
  /**
   * Takes a slot of the app and one of the stage.
   *
   * @param timeoutSeconds the timeout of the function, after which the host stops it
   * @returns null when too many runs are in progress
   */
  take(appId: string, timeoutSeconds: number): Promise<RunSlot | null>
}

export interface RunSlotsDependencies {
  readonly runsTable: Pick<Table, "get" | "tally">
  readonly runLimits: RunLimits
  readonly log: Pick<Log, "warn">
  /** Epoch milliseconds. */
  readonly wallClock: () => number
}

/** One of the records that hold a count. */
interface Shard {
  readonly key: RecordKey
  readonly limit: number
}

/** A slot that was counted in a record. */
interface Lease {
  readonly key: RecordKey
  /** The counter of all leases that expire at the same time. */
  readonly counter: string
}

/** A function's time starts when its process has started, and its call when the host has the event. */
const START_MS = 15_000
/** Leases expire at whole minutes, so that a record has few counters. */
const STEP_MS = 60_000
const COUNTER = /^until-(?<minute>[0-9]+)$/
/**
 * How many runs one record counts. DynamoDB supports about 1,000 writes of a record per second, and each run writes it
 * twice: a single record would be too slow for a stage.
 */
const RUNS_OF_A_SHARD = 50
const PREFIX = "run-slots#"
/** A fixed number, so that all records can be found. */
const PARTITIONS = 16
/** How many records are tried before a run is refused. */
const MAX_TRIES = 3

/**
 * Counts concurrent runs, across all processes, in the runs table. A run costs four writes of less than 1 KB: one for
 * its app and one for the stage, before and after it.
 *
 * Each slot is a lease. A record has a counter for each minute at which leases expire, and their total, which always
 * equals their sum. Taking a slot adds 1 to the total, if it is below the limit, and to the counter of the minute in
 * which the code must have ended; releasing it subtracts both again, if the counter is still there. A process that dies
 * leaves its 1 behind, and whoever next finds a counter whose minute has passed subtracts it from the total. A write
 * whose answer is lost and that the SDK retries counts twice, until the same minute.
 */
export function createRunSlots(dependencies: RunSlotsDependencies): RunSlots {
  const { runsTable, runLimits, log, wallClock } = dependencies
  const { perApp, perStage } = runLimits

  /** Returns null when the records that were tried are full. */
  async function takeFrom(shards: readonly Shard[], counter: string): Promise<Lease | null> {
    const first = randomInt(shards.length)
    const tried = [...shards.slice(first), ...shards.slice(0, first)].slice(0, MAX_TRIES)
    for (const shard of tried) {
      if (await count(shard, counter)) return { key: shard.key, counter }
    }
    return null
  }

  async function count({ key, limit }: Shard, counter: string): Promise<boolean> {
    const lease = { add: { total: 1, [counter]: 1 }, when: { total: { max: limit - 1 } } }
    const counted = await runsTable.tally(key, lease)
    const found = counted ?? (await runsTable.get(key))
    const isCleared = found !== null && (await clear(runsTable, key, found, wallClock()))
    if (counted !== null) return true
    // Another process may have released a slot, or cleared the record, between the two calls.
    const hasRoom = isCleared || Number(found?.total) < limit
    return hasRoom && (await runsTable.tally(key, lease)) !== null
  }

  async function giveBack({ key, counter }: Lease): Promise<void> {
    try {
      await runsTable.tally(key, { add: { total: -1, [counter]: -1 }, when: { [counter]: { min: 1 } } })
    } catch (error) {
      log.warn("could not release a slot of the runs in progress", { error })
    }
  }

  return {
    async take(appId, timeoutSeconds) {
      const endMs = wallClock() + timeoutSeconds * 1000 + START_MS
      const counter = `until-${Math.ceil(endMs / STEP_MS)}`
      // The app's slot first: an app at its limit must not take slots of the stage, even for a moment.
      const ofApp = await takeFrom(shardsOf(`app#${appId}`, perApp), counter)
      if (ofApp === null) return null
      let ofStage: Lease | null = null
      try {
        ofStage = await takeFrom(shardsOf("stage", perStage), counter)
      } finally {
        if (ofStage === null) await giveBack(ofApp)
      }
      return ofStage === null ? null : slotOf([ofApp, ofStage], giveBack)
    },
  }
}

/** Resets all counts. Only for the start of a service that is the only one, and runs nothing yet. */
export async function forgetRunsInProgress(runsTable: Pick<Table, "list" | "tally">): Promise<void> {
  for (let partition = 0; partition < PARTITIONS; partition++) {
    const pk = PREFIX + partition
    for (const item of await runsTable.list(pk, "")) {
      await clear(runsTable, { pk, sk: String(item.sk) }, item, Number.POSITIVE_INFINITY)
    }
  }
}

/** Removes expired leases from a record. @returns false when there were none */
async function clear(
  runsTable: Pick<Table, "tally">,
  key: RecordKey,
  item: Item,
  nowMs: number,
): Promise<boolean> {
  const counts = Object.entries(item).flatMap(([name, leases]) => {
    const minute = COUNTER.exec(name)?.groups?.minute
    return minute !== undefined && Number(minute) * STEP_MS <= nowMs ? [[name, Number(leases)] as const] : []
  })
  if (counts.length === 0) return false
  await runsTable.tally(key, {
    add: { total: -counts.reduce((sum, [, leases]) => sum + leases, 0) },
    remove: counts.map(([name]) => name),
    // Another process may have been faster.
    when: Object.fromEntries(counts.map(([name, leases]) => [name, { min: leases, max: leases }])),
  })
  return true
}

function slotOf(leases: readonly Lease[], giveBack: (lease: Lease) => Promise<void>): RunSlot {
  let mayRun = false
  return {
    async during(call) {
      mayRun = true
      const invocation = await call()
      mayRun = invocation.kind === "timed-out" && !invocation.isStopped
      return invocation
    },
    async release() {
      if (!mayRun) await Promise.all(leases.map(giveBack))
    },
  }
}

/** Returns the records of a count. Their limits add up to the limit of the count. */
function shardsOf(name: string, limit: number): readonly Shard[] {
  const shards = Math.ceil(limit / RUNS_OF_A_SHARD)
  return Array.from({ length: shards }, (_, shard) => ({
    key: { pk: PREFIX + partitionOf(name, shard), sk: `${name}#${shard}` },
    limit: Math.floor(limit / shards) + (shard < limit % shards ? 1 : 0),
  }))
}

function partitionOf(name: string, shard: number): number {
  return ((name.codePointAt(name.length - 1) ?? 0) + shard) % PARTITIONS
}

import { randomInt } from "node:crypto"
import { type Clocks, createBoundedMap, createRandomIds } from "@sealway/kernel"
import type { Log, Table } from "@sealway/ports"
import {
  type Change,
  type Dimension,
  type Figures,
  GroupedFigures,
  type Groups,
  type PreparedChange,
  prepareChange,
} from "./figures.ts"
import { beginOf, INTERVAL_MS } from "./intervals.ts"
import { noteUnfolded, putMinute } from "./stats-table.ts"

/** Counts what an app's requests do, without a write for each. */
export interface Stats {
  /**
   * What this process has counted of all apps since it started, by endpoint and error code. Includes `countStranger`.
   */
  readonly process: GroupedFigures
  /** Counts a request whose app is not known, for this process only. Never waits and never throws. */
  countStranger(change: Change, groups?: Groups): void
  /** Adds a change to an app's figures and to those of its groups. Never waits and never throws. */
  count(appId: string, change: Change, groups?: Groups): void
  /** Adds a change to one group only, when the app's figures have it already. */
  countGroup(appId: string, dimension: Dimension, key: string, change: Change): void
  /**
   * Writes what was counted, if the process may be frozen after its answer and has written nothing for 10 seconds. Null:
   * there is nothing to wait for. Never rejects.
   */
  settle(): Promise<void> | null
  /** Writes what was counted. Call it before the process ends. Never rejects. */
  flush(): Promise<void>
}

export interface StatsOptions extends Clocks {
  readonly table: Pick<Table, "put">
  readonly log: Pick<Log, "warn">
  /** Whether the process is frozen between its requests, as in Lambda. Then `settle` writes; otherwise a timer does. */
  readonly isFrozenBetweenRequests: boolean
  /** Default: 10,000. */
  readonly writeEveryMs?: number
  /**
   * Called with what the process has counted since it started, when figures are written or could be: once in 10 seconds, if
   * anything was counted. Must not throw. Default: nothing is.
   */
  readonly tell?: ((process: Figures) => void) | null
  /** Minutes of apps that are kept while they cannot be written. The oldest beyond it are lost. Default: 2,000. */
  readonly maxMinutes?: number
}

export const WRITE_EVERY_MS = 10_000
const WRITES_AT_ONCE = 10
const MAX_MINUTES = 2_000
/** Of all apps, in all minutes that are in memory: about 20 MB. Beyond it changes count for their apps only. */
const MAX_GROUPS = 20_000
const MAX_NOTED_HOURS = 5_000
const WRITER_BYTES = 9
/** What the process counts by: no app can make more of them. */
const OF_PROCESS: readonly Dimension[] = ["endpoint", "code"]
const MAX_REVISION = 2 ** 47

/** What was counted of an app in a minute. */
interface CountedMinute {
  readonly appId: string
  /** The name of its row: no two have the same, even if a clock is set back. */
  readonly writer: string
  readonly startMs: number
  readonly figures: GroupedFigures
  /** How many changes it had, and how many of them have been written. */
  changes: number
  written: number
}

/**
 * Creates the counters of one process. What it counts of an app in a minute is one row of the table, whose name has the
 * process's own random part: it is written again each 10 seconds while it grows. A write that was repeated, or that was
 * thought to have failed, therefore counts nothing twice. A process that ends without `flush` loses at most its last 10
 * seconds.
 */
export function createStats({
  table,
  log,
  now,
  wallClock,
  isFrozenBetweenRequests,
  writeEveryMs = WRITE_EVERY_MS,
  maxMinutes = MAX_MINUTES,
  tell = null,
}: StatsOptions): Stats {
  const writer = createRandomIds(WRITER_BYTES)()
  /** The current minute of each app. */
  const current = new Map<string, CountedMinute>()
  /** Earlier minutes that are not written yet, or not completely. */
  const ended = new Set<CountedMinute>()
  const notedHours = createBoundedMap<true>(MAX_NOTED_HOURS)
  const ofProcess = new GroupedFigures()
  let minutes = 0
  let groups = 0
  let lost = 0
  let writing: Promise<void> | null = null
  let writtenAtMs: number | null = null
  let toldAtMs: number | null = null
  let isTold = true
  let timer: NodeJS.Timeout | null = null

  const admitGroup = () => {
    if (groups >= MAX_GROUPS) return false
    groups++
    return true
  }

  function drop(minute: CountedMinute): void {
    groups -= minute.figures.size
    ended.delete(minute)
  }

  /** Moves a minute away from `current`: nothing more is added to it. */
  function end(minute: CountedMinute): void {
    current.delete(minute.appId)
    ended.add(minute)
    if (!isUnwritten(minute)) drop(minute)
  }

  function minuteOf(appId: string): CountedMinute | null {
    const startMs = beginOf("minute", wallClock())
    const known = current.get(appId)
    if (known?.startMs === startMs) return known
    if (known !== undefined) end(known)
    if (current.size + ended.size >= maxMinutes) {
      const [oldest] = ended
      if (oldest === undefined) return null
      lost++
      drop(oldest)
    }
    minutes++
    const created = {
      appId,
      writer: `${writer}-${minutes}`,
      startMs,
      figures: new GroupedFigures(admitGroup),
      changes: 0,
      written: 0,
    }
    current.set(appId, created)
    return created
  }

  function change(appId: string, apply: (figures: GroupedFigures) => void): void {
    const minute = minuteOf(appId)
    if (minute === null) {
      lost++
    } else {
      apply(minute.figures)
      minute.changes++
    }
    if (!isFrozenBetweenRequests) schedule()
  }

  async function note(place: CountedMinute): Promise<void> {
    const startMs = beginOf("hour", place.startMs)
    await noteUnfolded(table, { appId: place.appId, startMs, revision: randomInt(MAX_REVISION) })
  }

  async function write(minute: CountedMinute): Promise<void> {
    const { appId, startMs, figures, changes } = minute
    const hourMs = beginOf("hour", startMs)
    const hour = `${hourMs}#${appId}`
    // Before the row, so that no row is forgotten when the process dies in between.
    if (notedHours.get(hour) === undefined) await note(minute)
    notedHours.set(hour, true)
    await putMinute(table, minute, minute.writer, figures)
    // After the row too, because the hour may have been folded without it.
    if (wallClock() >= hourMs + INTERVAL_MS.hour) await note(minute)
    minute.written = changes
    if (ended.has(minute) && !isUnwritten(minute)) drop(minute)
  }

  async function writeAll(): Promise<void> {
    const minuteMs = beginOf("minute", wallClock())
    for (const minute of current.values()) if (minute.startMs < minuteMs) end(minute)
    const unwritten = [...ended, ...current.values()].filter(isUnwritten)
    const errors: unknown[] = []
    const writers = Array.from({ length: WRITES_AT_ONCE }, async () => {
      for (let minute = unwritten.shift(); minute !== undefined; minute = unwritten.shift()) {
        try {
          await write(minute)
        } catch (error) {
          errors.push(error)
        }
      }
    })
    await Promise.all(writers)
    if (errors.length > 0) log.warn("could not write figures yet", { error: errors[0] })
    if (lost > 0) log.warn(`figures were lost ${lost} times: writing failed, or there are too many apps`)
    lost = 0
  }

  function start(): Promise<void> {
    if (timer !== null) clearTimeout(timer)
    timer = null
    writtenAtMs = now()
    tellCounted()
    writing ??= writeAll().finally(() => {
      writing = null
      if (!isFrozenBetweenRequests && hasUnwritten()) schedule()
    })
    return writing
  }

  function schedule(): void {
    if (timer !== null || writing !== null) return
    timer = setTimeout(() => void start(), writeEveryMs)
    timer.unref()
  }

  /** Counts for the process. */
  function countHere(change: PreparedChange, groups: Groups): void {
    ofProcess.add(change, groups, OF_PROCESS)
    if (tell === null) return
    isTold = false
    if (!isFrozenBetweenRequests) schedule()
  }

  function tellCounted(): void {
    if (isTold) return
    isTold = true
    toldAtMs = now()
    tell?.(ofProcess.total)
  }

  function isDue(lastMs: number | null): boolean {
    return lastMs === null || now() - lastMs >= writeEveryMs
  }

  function hasUnwritten(): boolean {
    return [...ended, ...current.values()].some(isUnwritten)
  }

  return {
    process: ofProcess,
    countStranger(by, groups = {}) {
      countHere(prepareChange(by), groups)
      // Nothing is written for strangers, and functions may have no other callers.
      if (isFrozenBetweenRequests && isDue(toldAtMs)) tellCounted()
    },
    count(appId, by, groups = {}) {
      const prepared = prepareChange(by)
      countHere(prepared, groups)
      change(appId, (figures) => figures.add(prepared, groups))
    },
    countGroup: (appId, dimension, key, by) =>
      change(appId, (figures) => figures.group(dimension, key)?.add(prepareChange(by))),
    settle() {
      if (!isFrozenBetweenRequests) return null
      return isDue(writtenAtMs) && hasUnwritten() ? start() : writing
    },
    async flush() {
      await writing
      await start()
    },
  }
}

function isUnwritten({ changes, written }: CountedMinute): boolean {
  return changes > written
}

import type { Table } from "@sealway/ports"
import { type Dimension, GroupedFigures } from "./figures.ts"
import { beginOf, INTERVAL_MS, type Interval } from "./intervals.ts"
import { type FiguresByTime, readStored, type StatsReading, type TimeRange } from "./stats-table.ts"

/** A fold comes within 15 minutes after an hour: before that, and if one fails, hours are added up from their minutes. */
const UNFOLDED_HOURS = 2
/** Days that may not be complete are added up from their hours. */
const UNFOLDED_DAYS = 1
/** More than a few seconds of reading. */
const MAX_ROWS = 20_000

export interface StatsOfRange {
  readonly figures: FiguresByTime
  /** False when there are more rows than are read at once; the oldest are missing. */
  readonly isComplete: boolean
}

export interface StatsReadOptions {
  /** Those whose groups are read. */
  readonly dimensions: readonly Dimension[]
  /** Default: 20,000. */
  readonly maxRows?: number
}

/**
 * Returns an app's figures of a range, by interval. Its bounds must be those of intervals.
 *
 * @param nowMs epoch milliseconds
 */
export async function readStats(
  table: Pick<Table, "page">,
  appId: string,
  interval: Interval,
  range: TimeRange,
  nowMs: number,
  { dimensions, maxRows = MAX_ROWS }: StatsReadOptions,
): Promise<StatsOfRange> {
  const reading = { rows: maxRows, dimensions }
  const figures = await READERS[interval](table, appId, range, nowMs, reading)
  return { figures, isComplete: reading.rows > 0 }
}

type Read = (
  table: Pick<Table, "page">,
  appId: string,
  range: TimeRange,
  nowMs: number,
  reading: StatsReading,
) => Promise<FiguresByTime>

const READERS: Readonly<Record<Interval, Read>> = {
  minute: (table, appId, range, _, reading) => readStored(table, appId, "minute", range, reading),
  hour: composed("hour", "minute", UNFOLDED_HOURS),
  day: composed("day", "hour", UNFOLDED_DAYS),
}

/** Reads the recent intervals from their parts, and those before from their own rows. */
function composed(interval: "hour" | "day", part: Interval, recent: number): Read {
  return async (table, appId, { fromMs, toMs }, nowMs, reading) => {
    const lengthMs = INTERVAL_MS[interval]
    const recentMs = Math.max(fromMs, beginOf(interval, nowMs) - recent * lengthMs)
    const found = new Map<number, GroupedFigures>()
    if (toMs > recentMs) {
      const range = { fromMs: recentMs, toMs }
      for (const [startMs, figures] of await READERS[part](table, appId, range, nowMs, reading)) {
        const whole = found.get(beginOf(interval, startMs)) ?? new GroupedFigures()
        found.set(beginOf(interval, startMs), whole)
        whole.merge(figures)
      }
    }
    if (fromMs < recentMs) {
      const range = { fromMs, toMs: Math.min(toMs, recentMs) }
      for (const [startMs, figures] of await readStored(table, appId, interval, range, reading)) {
        found.set(startMs, figures)
      }
    }
    return found
  }
}

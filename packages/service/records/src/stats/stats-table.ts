import { appPartition, type Item, pagesOf, type RecordKey, type Table } from "@sealway/ports"
import * as z from "zod"
import { addEncoded, encodeFigures } from "./encode-figures.ts"
import { type Dimension, GroupedFigures } from "./figures.ts"
import { type Interval, KEPT_SECONDS } from "./intervals.ts"

/** The app and the beginning of an interval, in epoch milliseconds. */
export interface StatsPlace {
  readonly appId: string
  readonly startMs: number
}

/** As many digits as any time has until the year 33658. */
const MS_DIGITS = 15
const ROWS_PER_READ = 200

const itemSchema = z.object({ figures: z.instanceof(Uint8Array) })

const partition = (appId: string) => `${appPartition(appId)}#stats`
const timeText = (timeMs: number) => String(timeMs).padStart(MS_DIGITS, "0")
const prefixOf = (interval: Interval) => `${interval}#`

/** @param writer the process that counted; empty for what was folded from all of them */
function keyOf(interval: Interval, { appId, startMs }: StatsPlace, writer = ""): RecordKey {
  return { pk: partition(appId), sk: `${prefixOf(interval)}${timeText(startMs)}#${writer}` }
}

function startOf(interval: Interval, { sk }: Item): number {
  const begin = prefixOf(interval).length
  return Number(String(sk).slice(begin, begin + MS_DIGITS))
}

async function putFigures(
  table: Pick<Table, "put">,
  interval: Interval,
  key: RecordKey,
  startMs: number,
  figures: GroupedFigures,
): Promise<void> {
  await table.put(key, {
    figures: await encodeFigures(figures),
    expiresAt: Math.floor(startMs / 1000) + KEPT_SECONDS[interval],
  })
}

/**
 * Writes what one process has counted in a minute so far, over what it wrote of the same minute before. These are totals
 * and not differences, so writing them again changes nothing.
 */
export function putMinute(
  table: Pick<Table, "put">,
  place: StatsPlace,
  writer: string,
  figures: GroupedFigures,
): Promise<void> {
  return putFigures(table, "minute", keyOf("minute", place, writer), place.startMs, figures)
}

/** Writes the figures of an hour or a day, of all processes, over earlier ones. */
export function putFolded(
  table: Pick<Table, "put">,
  interval: "hour" | "day",
  place: StatsPlace,
  figures: GroupedFigures,
): Promise<void> {
  return putFigures(table, interval, keyOf(interval, place), place.startMs, figures)
}

/** Figures by the beginning of their interval, in epoch milliseconds. Absent: nothing was counted. */
export type FiguresByTime = ReadonlyMap<number, GroupedFigures>

/** A range of time in epoch milliseconds: its begin is included, its end is not. */
export interface TimeRange {
  readonly fromMs: number
  readonly toMs: number
}

/** What is read of an app. */
export interface StatsReading {
  /** Rows that may still be read. It is counted down. */
  rows: number
  /** Those whose groups are read. */
  readonly dimensions: readonly Dimension[]
}

/** Reads the stored figures of a range, adding up those of all processes. Stops when no more rows may be read. */
export async function readStored(
  table: Pick<Table, "page">,
  appId: string,
  interval: Interval,
  { fromMs, toMs }: TimeRange,
  reading: StatsReading,
): Promise<FiguresByTime> {
  const found = new Map<number, GroupedFigures>()
  const prefix = prefixOf(interval)
  const after = prefix + timeText(toMs)
  for await (const items of pagesOf(table, partition(appId), prefix, { limit: ROWS_PER_READ, after })) {
    for (const item of items) {
      const startMs = startOf(interval, item)
      if (startMs < fromMs || reading.rows <= 0) return found
      reading.rows--
      const figures = found.get(startMs) ?? new GroupedFigures()
      found.set(startMs, figures)
      await addEncoded(figures, itemSchema.parse(item).figures, reading.dimensions)
    }
  }
  return found
}

const UNFOLDED = "stats-unfolded"
const unfoldedSchema = z.object({ revision: z.number() })

/** An hour of an app with figures that are not part of the hour's row yet. */
export interface UnfoldedHour extends StatsPlace {
  readonly revision: number
}

const unfoldedKey = ({ appId, startMs }: StatsPlace): RecordKey => ({
  pk: UNFOLDED,
  sk: `${timeText(startMs)}#${appId}`,
})

/**
 * Notes that an hour must be folded.
 *
 * @param revision differs from that of any other note of the hour, so that a fold does not remove a newer note
 */
export async function noteUnfolded(
  table: Pick<Table, "put">,
  { revision, ...place }: UnfoldedHour,
): Promise<void> {
  const expiresAt = Math.floor(place.startMs / 1000) + KEPT_SECONDS.minute
  await table.put(unfoldedKey(place), { revision, expiresAt })
}

/** Yields the hours that must be folded and began before an instant, the latest first. */
export async function* readUnfolded(
  table: Pick<Table, "page">,
  beforeMs: number,
): AsyncGenerator<UnfoldedHour> {
  const after = timeText(beforeMs)
  for await (const items of pagesOf(table, UNFOLDED, "", { limit: ROWS_PER_READ, after })) {
    for (const item of items) {
      const [time = "", appId = ""] = String(item.sk).split("#")
      yield { appId, startMs: Number(time), revision: unfoldedSchema.parse(item).revision }
    }
  }
}

/** Removes the note of an hour, unless a newer one replaced it. */
export async function removeUnfolded(
  table: Pick<Table, "remove">,
  { revision, ...place }: UnfoldedHour,
): Promise<void> {
  await table.remove(unfoldedKey(place), revision)
}

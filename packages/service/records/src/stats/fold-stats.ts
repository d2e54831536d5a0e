import type { Log, Table } from "@sealway/ports"
import { DIMENSIONS, GroupedFigures } from "./figures.ts"
import { beginOf, INTERVAL_MS } from "./intervals.ts"
import {
  type FiguresByTime,
  putFolded,
  readStored,
  readUnfolded,
  removeUnfolded,
  type UnfoldedHour,
} from "./stats-table.ts"

export interface FoldDependencies {
  readonly eventsTable: Pick<Table, "page" | "put" | "remove">
  readonly log: Pick<Log, "error">
  /** Epoch milliseconds. */
  readonly wallClock: () => number
}

/** More rows than the processes of an app write in an hour. Beyond it the figures are incomplete, and the log says so. */
const MAX_ROWS = 200_000

/**
 * Adds up the minutes of all processes to hours, and hours to days, for all apps with hours that have ended since the
 * last fold. It computes each sum from all its parts, so it may be interrupted and repeated. Must not run twice at the
 * same time: of two sums of a day, the older one could be written last.
 *
 * Figures that arrive after their hour was folded note the hour again, see `createStats`.
 *
 * @param signal stops before the next hour when it is aborted. Default: never
 * @returns how many hours were folded
 * @throws Error when some could not be, after all others were. The next fold tries them again
 */
export async function foldStats(
  dependencies: FoldDependencies,
  signal: AbortSignal = new AbortController().signal,
): Promise<number> {
  const { eventsTable, wallClock } = dependencies
  const failures: unknown[] = []
  let folded = 0
  for await (const hour of readUnfolded(eventsTable, beginOf("hour", wallClock()))) {
    if (signal.aborted) break
    try {
      await foldHour(dependencies, hour)
      folded++
    } catch (error) {
      // Its note stays for the next fold. Hours of other apps must not wait: their minutes expire.
      failures.push(error)
    }
  }
  if (failures.length > 0) {
    throw new Error(`The figures of ${failures.length} hours could not be added up.`, { cause: failures[0] })
  }
  return folded
}

async function foldHour({ eventsTable, log }: FoldDependencies, hour: UnfoldedHour): Promise<void> {
  const { appId, startMs } = hour
  const reading = { rows: MAX_ROWS, dimensions: DIMENSIONS }
  const hourRange = { fromMs: startMs, toMs: startMs + INTERVAL_MS.hour }
  const minutes = await readStored(eventsTable, appId, "minute", hourRange, reading)
  await putFolded(eventsTable, "hour", hour, sumOf(minutes))
  const dayMs = beginOf("day", startMs)
  const dayRange = { fromMs: dayMs, toMs: dayMs + INTERVAL_MS.day }
  const hours = await readStored(eventsTable, appId, "hour", dayRange, reading)
  await putFolded(eventsTable, "day", { appId, startMs: dayMs }, sumOf(hours))
  if (reading.rows <= 0) log.error("the figures of an hour are incomplete: too many processes wrote them")
  await removeUnfolded(eventsTable, hour)
}

function sumOf(parts: FiguresByTime): GroupedFigures {
  const sum = new GroupedFigures()
  for (const part of parts.values()) sum.merge(part)
  return sum
}

import type { App } from "@sealway/accounts"
import type { Table } from "@sealway/ports"
import {
  type COUNTERS,
  type Dimension,
  Figures,
  type GroupedFigures,
  INTERVAL_MS,
  type Interval,
  readStats,
  type TIMERS,
} from "@sealway/records"
import type { StatsRange } from "./stats-range.ts"

/** How many groups one answer lists. */
export const MAX_GROUPS = 10

/** The times of one timer. */
interface ShownLatency {
  readonly count: number
  readonly p50Ms: number
  readonly p95Ms: number
  readonly p99Ms: number
}

/** Figures as the API shows them. */
export type ShownFigures = Readonly<Record<(typeof COUNTERS)[number], number>> & {
  readonly latency: Readonly<Record<(typeof TIMERS)[number], ShownLatency | null>>
}

/** Figures by interval, and all together. */
interface ShownSeries {
  readonly total: ShownFigures
  /** Oldest first; one for each interval of the range. */
  readonly data: (ShownFigures & { readonly at: number })[]
}

export interface StatsPage extends ShownSeries {
  readonly groups: (ShownSeries & { readonly key: string })[]
  readonly isComplete: boolean
}

/** Returns an app's figures of a range, all together and for the largest groups of a dimension. */
export async function statsPage(
  table: Pick<Table, "page">,
  { id: appId }: App,
  interval: Interval,
  range: StatsRange,
  dimension: Dimension | null,
  nowMs: number,
): Promise<StatsPage> {
  const { figures, isComplete } = await readStats(table, appId, interval, range, nowMs, {
    dimensions: dimension === null ? [] : [dimension],
  })
  const lengthMs = INTERVAL_MS[interval]
  const starts = Array.from(
    { length: (range.toMs - range.fromMs) / lengthMs },
    (_, index) => range.fromMs + index * lengthMs,
  )
  const seriesOf = (pick: (grouped: GroupedFigures) => Figures | undefined): ShownSeries => {
    const total = new Figures()
    const data = starts.map((at) => {
      const found = figures.get(at)
      const picked = (found && pick(found)) ?? NONE
      total.merge(picked)
      return { at, ...show(picked) }
    })
    return { total: show(total), data }
  }
  const keys = dimension === null ? [] : largestGroups(figures.values(), dimension)
  return {
    ...seriesOf(({ total }) => total),
    groups: keys
      .slice(0, MAX_GROUPS)
      .map((key) => ({
        key,
        ...seriesOf((grouped) => (dimension === null ? undefined : grouped.by(dimension).get(key))),
      })),
    isComplete: isComplete && keys.length <= MAX_GROUPS,
  }
}

const NONE = new Figures()

/** Returns the keys of a dimension's groups, the one with the highest counts first. */
function largestGroups(all: Iterable<GroupedFigures>, dimension: Dimension): readonly string[] {
  const weights = new Map<string, number>()
  for (const grouped of all) {
    for (const [key, { weight }] of grouped.by(dimension)) weights.set(key, (weights.get(key) ?? 0) + weight)
  }
  return [...weights]
    .sort(([leftKey, left], [rightKey, right]) => right - left || (leftKey < rightKey ? -1 : 1))
    .map(([key]) => key)
}

function show(figures: Figures): ShownFigures {
  const latencyOf = (timer: (typeof TIMERS)[number]): ShownLatency | null => {
    const times = figures.times(timer)
    const [p50Ms, p95Ms, p99Ms] = [0.5, 0.95, 0.99].map((share) => times?.quantile(share) ?? null)
    if (times === null || p50Ms == null || p95Ms == null || p99Ms == null) return null
    return { count: times.count, p50Ms, p95Ms, p99Ms }
  }
  return {
    requests: figures.get("requests"),
    encrypted: figures.get("encrypted"),
    decrypted: figures.get("decrypted"),
    masked: figures.get("masked"),
    refusals: figures.get("refusals"),
    errors: figures.get("errors"),
    relayRequests: figures.get("relayRequests"),
    functionRuns: figures.get("functionRuns"),
    failedRuns: figures.get("failedRuns"),
    latency: {
      api: latencyOf("api"),
      relay: latencyOf("relay"),
      destination: latencyOf("destination"),
      function: latencyOf("function"),
    },
  }
}

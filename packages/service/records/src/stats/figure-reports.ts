import * as z from "zod"
import { COUNTERS, DIMENSIONS, type Figures, GroupedFigures, TIMERS } from "./figures.ts"

const countSchema = z.int().nonnegative()
const reportedSchema = z.object({
  counts: z.partialRecord(z.enum(COUNTERS), countSchema),
  times: z.partialRecord(
    z.enum(TIMERS),
    z.object({ buckets: z.array(z.tuple([z.int(), countSchema])), sumMs: z.number() }),
  ),
})
const reportSchema = z.object({
  total: reportedSchema,
  groups: z.array(z.tuple([z.enum(DIMENSIONS), z.string(), reportedSchema])),
})

type Reported = z.infer<typeof reportedSchema>
/** What a process has counted since its last report, for another one, as JSON. */
export type FigureReport = z.infer<typeof reportSchema>

/** Creates what reports the figures of a process: each call returns what was added since the last one. */
export function createFigureReports(figures: GroupedFigures): () => FigureReport {
  const told = new GroupedFigures()
  return () => {
    const added = new GroupedFigures()
    added.total.merge(figures.total.since(told.total))
    for (const dimension of DIMENSIONS) {
      for (const [key, group] of figures.by(dimension)) {
        const more = group.since(told.by(dimension).get(key) ?? null)
        if (more.weight > 0) added.group(dimension, key)?.merge(more)
      }
    }
    told.merge(added)
    return {
      total: reportedOf(added.total),
      groups: DIMENSIONS.flatMap((dimension) =>
        [...added.by(dimension)].map(([key, group]): FigureReport["groups"][number] => [
          dimension,
          key,
          reportedOf(group),
        ]),
      ),
    }
  }
}

/** Adds what another process reports. @throws Error when it is no report */
export function addReport(to: GroupedFigures, report: unknown): void {
  const { total, groups } = reportSchema.parse(report)
  addReported(to.total, total)
  for (const [dimension, key, reported] of groups) {
    const group = to.group(dimension, key)
    if (group !== null) addReported(group, reported)
  }
}

function reportedOf(figures: Figures): Reported {
  const counts: Reported["counts"] = {}
  for (const counter of COUNTERS) if (figures.get(counter) > 0) counts[counter] = figures.get(counter)
  const times: Reported["times"] = {}
  for (const timer of TIMERS) {
    const histogram = figures.times(timer)
    if (histogram === null) continue
    times[timer] = {
      buckets: histogram.buckets.map(([bucket, count]) => [bucket, count]),
      sumMs: histogram.sumMs,
    }
  }
  return { counts, times }
}

function addReported(to: Figures, { counts, times }: Reported): void {
  for (const counter of COUNTERS) to.addTo(counter, counts[counter] ?? 0)
  for (const timer of TIMERS) {
    const reported = times[timer]
    if (reported === undefined) continue
    for (const [bucket, count] of reported.buckets) to.timesOf(timer).addTo(bucket, count)
    to.timesOf(timer).addSum(reported.sumMs)
  }
}

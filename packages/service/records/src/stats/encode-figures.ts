import { promisify } from "node:util"
import { deflateRaw, inflateRaw } from "node:zlib"
import { MB } from "@sealway/kernel"
import * as z from "zod"
import { COUNTERS, DIMENSIONS, type Dimension, type Figures, type GroupedFigures, TIMERS } from "./figures.ts"

/** Far more than any: the groups of each dimension are bounded. */
const MAX_TEXT_BYTES = 4 * MB

const timesSchema = z.lazy(() =>
  z.partialRecord(z.enum(TIMERS), z.array(z.tuple([z.int(), z.int().nonnegative()]))),
)
const countsSchema = z.lazy(() => z.partialRecord(z.enum(COUNTERS), z.int().nonnegative()))
const figuresSchema = z.lazy(() => z.tuple([countsSchema, timesSchema]))
const storedSchema = z.lazy(() =>
  z.object({
    total: figuresSchema,
    /** The figures of each are checked only when they are wanted. */
    groups: z.array(z.tuple([z.enum(DIMENSIONS), z.string(), z.unknown()])),
  }),
)

type StoredFigures = z.infer<typeof figuresSchema>

/** Returns figures as they are stored: JSON, compressed. */
export function encodeFigures(figures: GroupedFigures): Promise<Uint8Array> {
  const groups = DIMENSIONS.flatMap((dimension) =>
    [...figures.by(dimension)].map(([key, each]) => [dimension, key, storedOf(each)] as const),
  )
  return promisify(deflateRaw)(JSON.stringify({ total: storedOf(figures.total), groups }))
}

/**
 * Adds stored figures to others.
 *
 * @param dimensions those whose groups are wanted: most of the memory and time is theirs
 * @throws Error when they are not what `encodeFigures` returns
 */
export async function addEncoded(
  to: GroupedFigures,
  bytes: Uint8Array,
  dimensions: readonly Dimension[],
): Promise<void> {
  const text = (await promisify(inflateRaw)(bytes, { maxOutputLength: MAX_TEXT_BYTES })).toString()
  const { total, groups } = storedSchema.parse(JSON.parse(text))
  addStored(to.total, total)
  for (const [dimension, key, stored] of groups) {
    const group = dimensions.includes(dimension) ? to.group(dimension, key) : null
    if (group !== null) addStored(group, figuresSchema.parse(stored))
  }
}

function storedOf(figures: Figures): StoredFigures {
  const counts: StoredFigures[0] = {}
  for (const counter of COUNTERS) if (figures.get(counter) > 0) counts[counter] = figures.get(counter)
  const times: StoredFigures[1] = {}
  for (const timer of TIMERS) {
    const histogram = figures.times(timer)
    if (histogram !== null) times[timer] = histogram.buckets.map(([bucket, count]) => [bucket, count])
  }
  return [counts, times]
}

function addStored(to: Figures, [counts, times]: StoredFigures): void {
  for (const counter of COUNTERS) {
    const count = counts[counter]
    if (count !== undefined) to.addTo(counter, count)
  }
  for (const timer of TIMERS) {
    for (const [bucket, count] of times[timer] ?? []) to.timesOf(timer).addTo(bucket, count)
  }
}

import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { LatencyHistogram } from "./latency-histogram.ts"

const of = (times: readonly number[]) => {
  const histogram = new LatencyHistogram()
  for (const time of times) histogram.add(time)
  return histogram
}

function exact(times: readonly number[], share: number): number {
  const sorted = times.toSorted((left, right) => left - right)
  return sorted[Math.max(1, Math.ceil(share * sorted.length)) - 1] ?? Number.NaN
}

const timesOf = fc.array(fc.double({ min: 0.07, max: 130_000, noNaN: true }), {
  minLength: 1,
  maxLength: 200,
})
const shares = [0.01, 0.5, 0.95, 0.99, 1]

describe("a histogram of latencies", () => {
  test("has percentiles within 9 % of the exact ones", () => {
    fc.assert(
      fc.property(timesOf, fc.constantFrom(...shares), (times, share) => {
        const found = of(times).quantile(share) ?? Number.NaN
        expect(Math.abs(found / exact(times, share) - 1)).toBeLessThanOrEqual(0.0951)
      }),
    )
  })

  test("gives the same percentiles when it was counted in parts and merged", () => {
    fc.assert(
      fc.property(timesOf, timesOf, (one, other) => {
        const merged = of(one)
        merged.merge(of(other))
        expect(merged.buckets).toEqual(of([...one, ...other]).buckets)
        expect(merged.count).toBe(one.length + other.length)
      }),
    )
  })

  test("has no percentile when nothing was measured", () => {
    expect(new LatencyHistogram().quantile(0.5)).toBeNull()
    expect(new LatencyHistogram().buckets).toEqual([])
  })

  test("counts times beyond its bounds in the first and the last bucket, and takes no more than 85 buckets", () => {
    const all = of([0, -1, Number.NaN, 1e-9, 1e9, Number.POSITIVE_INFINITY])
    expect(all.buckets).toEqual([
      [0, 4],
      [84, 2],
    ])
    const histogram = new LatencyHistogram()
    for (const bucket of [85, -1, 0.5]) histogram.addTo(bucket, 1)
    expect(histogram.count).toBe(0)
  })
})

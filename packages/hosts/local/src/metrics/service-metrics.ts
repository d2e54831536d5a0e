import { type Dimension, type Figures, type GroupedFigures, type Timer, upperBoundOf } from "@sealway/records"
import type { Metric, Sample } from "./exposition.ts"

/** What the operating system knows of the first process, and its workers. */
export interface ProcessUse {
  /** How many accept connections. */
  readonly workers: number
  /** Epoch seconds. */
  readonly startedAt: number
  readonly cpuSeconds: number
  readonly residentBytes: number
}

/** Every fourth bucket of a histogram: a doubling of the time. */
const BUCKETS_PER_BOUND = 4
const LAST_BUCKET = 84
const MS_PER_SECOND = 1_000

/**
 * Returns the metrics of a service from what its processes have counted since it started, and what the first of them uses.
 * No label names an app.
 */
export function serviceMetrics(
  figures: GroupedFigures,
  version: string,
  { workers, startedAt, cpuSeconds, residentBytes }: ProcessUse,
): readonly Metric[] {
  const { total } = figures
  const counter = (name: string, help: string, samples: readonly Sample[]): Metric => ({
    name: `sealway_${name}_total`,
    type: "counter",
    help,
    samples,
  })
  const gauge = (name: string, help: string, value: number): Metric => ({
    name,
    type: "gauge",
    help,
    samples: [{ value }],
  })
  const by = (dimension: Dimension, count: (figures: Figures) => number): readonly Sample[] =>
    [...figures.by(dimension)]
      .map(([key, each]) => ({ labels: { [dimension]: key }, value: count(each) }))
      .filter(({ value }) => value > 0)
  const succeeded = total.get("functionRuns") - total.get("failedRuns")
  return [
    counter(
      "requests",
      "Requests to the API, by endpoint.",
      by("endpoint", (each) => each.get("requests")),
    ),
    counter("values_encrypted", "Values encrypted.", [{ value: total.get("encrypted") }]),
    counter("values_decrypted", "Values decrypted.", [{ value: total.get("decrypted") }]),
    counter("values_masked", "Values of which a mask was returned.", [{ value: total.get("masked") }]),
    counter(
      "refusals",
      "Requests refused with a 4xx, by error code.",
      by("code", (each) => each.get("refusals")),
    ),
    counter(
      "errors",
      "Requests answered with a 5xx, by error code.",
      by("code", (each) => each.get("errors")),
    ),
    counter("relay_requests", "Requests through relays.", [{ value: total.get("relayRequests") }]),
    counter("function_runs", "Runs of functions that ended.", [
      { labels: { status: "success" }, value: succeeded },
      { labels: { status: "failure" }, value: total.get("failedRuns") },
    ]),
    histogram("request", "Time of requests to the API.", total, "api"),
    histogram("relay_request", "Time of requests through relays.", total, "relay"),
    histogram("relay_destination", "Time until relays' destinations answer.", total, "destination"),
    histogram("function_call", "Time of calls of functions.", total, "function"),
    {
      name: "sealway_build_info",
      type: "gauge",
      help: "The version of Sealway.",
      samples: [{ labels: { version }, value: 1 }],
    },
    gauge("sealway_workers", "Workers that accept connections.", workers),
    {
      name: "process_cpu_seconds_total",
      type: "counter",
      help: "Processor time of the process.",
      samples: [{ value: cpuSeconds }],
    },
    gauge("process_resident_memory_bytes", "Memory of the process.", residentBytes),
    gauge("process_start_time_seconds", "When the process was started, since the epoch.", startedAt),
  ]
}

function histogram(name: string, help: string, total: Figures, timer: Timer): Metric {
  const times = total.times(timer)
  const counts = new Map(times?.buckets)
  const samples: Sample[] = []
  let seen = 0
  for (let bucket = 0; bucket <= LAST_BUCKET; bucket++) {
    seen += counts.get(bucket) ?? 0
    // The last bucket also has all longer times, so that its bound is none.
    if (bucket % BUCKETS_PER_BOUND !== 0 || bucket === LAST_BUCKET) continue
    const le = String(upperBoundOf(bucket) / MS_PER_SECOND)
    samples.push({ suffix: "_bucket", labels: { le }, value: seen })
  }
  samples.push({ suffix: "_bucket", labels: { le: "+Inf" }, value: seen })
  samples.push({ suffix: "_sum", value: (times?.sumMs ?? 0) / MS_PER_SECOND })
  samples.push({ suffix: "_count", value: seen })
  return {
    name: `sealway_${name}_duration_seconds`,
    type: "histogram",
    help,
    samples: times === null ? [] : samples,
  }
}

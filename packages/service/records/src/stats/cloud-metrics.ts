import { Metrics, MetricUnit } from "@aws-lambda-powertools/metrics"
import { COUNTERS, type Counter, Figures, TIMERS, type Timer } from "./figures.ts"

/** The metrics of CloudWatch, by what they count. They have the dimension `service` only, so there are no more than these. */
export const COUNT_METRICS = {
  requests: "Requests",
  encrypted: "ValuesEncrypted",
  decrypted: "ValuesDecrypted",
  masked: "ValuesMasked",
  refusals: "Refusals",
  errors: "Errors",
  relayRequests: "RelayRequests",
  functionRuns: "FunctionRuns",
  failedRuns: "FailedFunctionRuns",
} as const satisfies Record<Counter, string>

/** The metrics of latencies in milliseconds, by whose they are. */
export const LATENCY_METRICS = {
  api: "ApiLatency",
  relay: "RelayLatency",
  destination: "DestinationLatency",
  function: "FunctionLatency",
} as const satisfies Record<Timer, string>

/** The value of the dimension `service`. */
export const METRICS_SERVICE = "sealway"

/**
 * Times of a timer in one line of the log. A line may have 100 of a metric, and each counts as one time, so these are
 * percentiles if there were more.
 */
const MAX_TIMES = 50

/** Returns the namespace of a stage's metrics. */
export function metricsNamespace(stage: string): string {
  return `Sealway/${stage}`
}

/**
 * Creates what tells CloudWatch what a process has counted, by lines of its log in the embedded metric format: no call of
 * AWS. Given the figures of the process, each call of the result writes one line with what was added since the last call,
 * if anything.
 */
export function createCloudMetrics(stage: string): (figures: Figures) => void {
  const metrics = new Metrics({ namespace: metricsNamespace(stage), serviceName: METRICS_SERVICE })
  const told = new Figures()
  return (figures) => {
    const added = figures.since(told)
    for (const counter of COUNTERS) {
      const count = added.get(counter)
      if (count > 0) metrics.addMetric(COUNT_METRICS[counter], MetricUnit.Count, count)
    }
    for (const timer of TIMERS) {
      for (const timeMs of added.times(timer)?.sample(MAX_TIMES) ?? []) {
        metrics.addMetric(LATENCY_METRICS[timer], MetricUnit.Milliseconds, timeMs)
      }
    }
    told.merge(added)
    if (metrics.hasStoredMetrics()) metrics.publishStoredMetrics()
  }
}

import { ASSUMPTIONS } from "./assumptions.ts"
import { callsOf, type OperationCounts } from "./count-operations.ts"
import type { Counts } from "./counted-service.ts"
import { PRICES } from "./prices.ts"
import { refreshedAfter } from "./told-limits.ts"

/** How requests arrive at an environment. */
export type Traffic = "busy" | "seldom" | "cold"

export interface OperationTimes {
  /** Processor time of a warm request, on one processor. */
  readonly handlerMs: number
  /** Until a new environment can answer. */
  readonly startMs: number
  readonly memoryMb: number
}

/** US dollars for a million requests. */
export interface RequestCost {
  readonly apiGateway: number
  readonly lambda: number
  readonly dynamodb: number
  readonly kms: number
  readonly logs: number
  readonly total: number
}

export const MILLION = 1_000_000
export const GIGABYTE = 2 ** 30
export const MB_PER_GIGABYTE = 1024
/** For requests that come once a minute: keys are opened for 5 minutes, and uses noted once an hour. */
const SELDOM = { reopenedShare: 1 / 5, notedShare: 1 / 60 }
/** Refreshes between two openings of an app's keys. */
const REFRESHES_PER_REOPENING = 30

/** Returns the AWS calls of one request, on average. */
export function callsPerRequest(counts: OperationCounts, traffic: Traffic): Counts {
  const { cold, warm, refreshed, reopened, noted } = counts
  if (traffic === "cold") return cold
  if (traffic === "seldom") {
    const { reopenedShare, notedShare } = SELDOM
    return mixCalls([
      [1 - reopenedShare - notedShare, refreshedAfter(1, counts)],
      [reopenedShare, reopened],
      [notedShare, noted],
    ])
  }
  const refreshShare = 1 / ASSUMPTIONS.busyRequestsPerRefresh
  const reopenShare = refreshShare / REFRESHES_PER_REOPENING
  return mixCalls([
    [1 - refreshShare, warm],
    [refreshShare - reopenShare, refreshed],
    [reopenShare, reopened],
  ])
}

/**
 * Returns how long a request occupies an environment: at work, and waiting for AWS as if for one call after the other.
 */
export function durationMs(calls: Counts, { handlerMs, memoryMb }: OperationTimes): number {
  const { memoryMbOfOneProcessor, runtimeMs, dynamodbMs, kmsMs } = ASSUMPTIONS
  const kms = callsOf(calls, "kms:")
  const waitMs = kms * kmsMs + (callsOf(calls) - kms) * dynamodbMs
  return (handlerMs + runtimeMs) * Math.max(1, memoryMbOfOneProcessor / memoryMb) + waitMs
}

export function costPerMillion(
  counts: OperationCounts,
  traffic: Traffic,
  times: OperationTimes,
): RequestCost {
  const calls = callsPerRequest(counts, traffic)
  // Charged by whole milliseconds.
  const chargedMs = Math.ceil(durationMs(calls, times) + (traffic === "cold" ? times.startMs : 0))
  const gigabyteSeconds = (chargedMs / 1000) * (times.memoryMb / MB_PER_GIGABYTE)
  const reads = callsOf(calls, "dynamodb:GetItem") + callsOf(calls, "dynamodb:Query")
  const writes = callsOf(calls, "dynamodb:") - reads
  const linesPerRequest = traffic === "busy" ? 1 / ASSUMPTIONS.busyRequestsPerRefresh : 1
  const logBytes = ASSUMPTIONS.logBytesPerRequest + linesPerRequest * ASSUMPTIONS.metricsLineBytes
  const parts = {
    apiGateway: PRICES.apiGatewayPerMillionRequests,
    lambda: PRICES.lambdaPerMillionRequests + gigabyteSeconds * MILLION * PRICES.lambdaPerGigabyteSecond,
    dynamodb: reads * PRICES.dynamodbPerMillionReads + writes * PRICES.dynamodbPerMillionWrites,
    kms: callsOf(calls, "kms:") * PRICES.kmsPerMillionRequests,
    logs: ((logBytes * MILLION) / GIGABYTE) * PRICES.logsPerGigabyte,
  }
  return { ...parts, total: Object.values(parts).reduce((sum, part) => sum + part, 0) }
}

/** Returns the calls of a mix of requests, by their shares. */
export function mixCalls(shares: readonly (readonly [number, Counts])[]): Counts {
  const mixed: Record<string, number> = {}
  for (const [share, counts] of shares) {
    for (const [name, count] of Object.entries(counts)) mixed[name] = (mixed[name] ?? 0) + share * count
  }
  return mixed
}

import type { FunctionRun } from "./run-table.ts"

/** How long runs and their outcomes can be read. */
export const RUN_KEPT_SECONDS = 7 * 24 * 60 * 60

/** How often a run is started, when each process that ran it died. */
export const MAX_ATTEMPTS = 6

/** How often a run may fail through a fault of the service. */
export const MAX_SETBACKS = 5

/** A run that cannot start for this long never will. */
export const MAX_WAIT_MS = 60 * 60_000

/** The longest that a worker waits for a function: Lambda gives the worker itself 15 minutes. */
const MAX_WORKER_RUN_MS = 885_000

/** The host counts a function's time; starting its process takes extra time. */
const START_MS = 15_000

/** Returns how long a worker waits for a function. */
export function workerLimitMs(timeoutSeconds: number): number {
  return Math.min(timeoutSeconds * 1000 + START_MS, MAX_WORKER_RUN_MS)
}

/** How long a claim outlives the time limit of its run. */
const CLAIM_MARGIN_MS = 60_000

export type RunStep =
  /** The run has ended. */
  | { readonly do: "finish" }
  /** Another attempt is in progress. */
  | { readonly do: "wait"; readonly waitMs: number }
  | { readonly do: "attempt" }
  /** The process of every attempt died. */
  | { readonly do: "give-up" }

/** Decides what a message about a run must do. The record decides; a message is only a wake-up call. */
export function nextRunStep({ status, claimedUntil, attempts }: FunctionRun, nowMs: number): RunStep {
  if (status !== "scheduled") return { do: "finish" }
  if (claimedUntil !== null && claimedUntil > nowMs) return { do: "wait", waitMs: claimedUntil - nowMs }
  return attempts >= MAX_ATTEMPTS ? { do: "give-up" } : { do: "attempt" }
}

/** Returns the run with a new attempt. @param limitMs how long the attempt may take */
export function beginRun(run: FunctionRun, limitMs: number, nowMs: number): FunctionRun {
  return { ...run, attempts: run.attempts + 1, claimedUntil: nowMs + limitMs + CLAIM_MARGIN_MS }
}

/** Returns the run after a failed attempt. @param isCalled whether the code may have been called */
export function releaseRun(run: FunctionRun, isCalled: boolean): FunctionRun {
  return { ...run, attempts: isCalled ? run.attempts : run.attempts - 1, claimedUntil: null }
}

export function endRun(
  run: FunctionRun,
  status: "success" | "failure",
  callbackUrl: string | null,
  nowMs: number,
): FunctionRun {
  return { ...run, status, callbackUrl, claimedUntil: null, completedAt: nowMs }
}

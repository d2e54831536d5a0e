import type { FunctionRun } from "./run-table.ts"

/** How long runs, and what they answered, can be read. */
export const RUN_KEPT_SECONDS = 7 * 24 * 60 * 60

/** A run is begun again when the process that ran it has died, so many times in all. */
export const MAX_ATTEMPTS = 6

/** Times that a run may go wrong on our side. */
export const MAX_SETBACKS = 5

/** A run that cannot begin for so long never will. */
export const MAX_WAIT_MS = 60 * 60_000

/** The longest that a worker waits for a function: Lambda gives the worker itself 15 minutes. */
const MAX_WORKER_RUN_MS = 885_000

/** The host counts a function's time; starting its process comes on top. */
const START_MS = 15_000

/** How long a worker waits for a function. */
export function workerLimitMs(timeoutSeconds: number): number {
  return Math.min(timeoutSeconds * 1000 + START_MS, MAX_WORKER_RUN_MS)
}

/** How long a claim outlives the time limit of its run. */
const CLAIM_MARGIN_MS = 60_000

export type RunStep =
  /** It is over. */
  | { readonly do: "finish" }
  /** Another attempt is under way. */
  | { readonly do: "wait"; readonly waitMs: number }
  | { readonly do: "attempt" }
  /** Each attempt's process died. */
  | { readonly do: "give-up" }

/** What a message about a run is to bring about. The record decides; messages merely wake. */
export function nextRunStep({ status, claimedUntil, attempts }: FunctionRun, nowMs: number): RunStep {
  if (status !== "scheduled") return { do: "finish" }
  if (claimedUntil !== null && claimedUntil > nowMs) return { do: "wait", waitMs: claimedUntil - nowMs }
  return attempts >= MAX_ATTEMPTS ? { do: "give-up" } : { do: "attempt" }
}

/** The run with an attempt begun. @param limitMs how long the attempt may take */
export function beginRun(run: FunctionRun, limitMs: number, nowMs: number): FunctionRun {
  return { ...run, attempts: run.attempts + 1, claimedUntil: nowMs + limitMs + CLAIM_MARGIN_MS }
}

/** The run after an attempt that came to nothing. @param isCalled whether the code may have been called */
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

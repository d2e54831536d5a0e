import { ASSUMPTIONS } from "./assumptions.ts"
import { callsOf, NOTE_MS, type OperationCounts, REFRESH_MS, REOPEN_MS } from "./count-operations.ts"
import type { Counts } from "./counted-service.ts"
import { durationMs, mixCalls, type OperationTimes } from "./request-cost.ts"
import { refreshedAfter } from "./told-limits.ts"

/** One function under load: its operation, and its share of all requests. */
export interface FunctionLoad {
  readonly counts: OperationCounts
  readonly times: OperationTimes
  readonly share: number
}

/** A function that answers requests of `activeApps` apps at a steady rate. */
export interface BusyFunction extends FunctionLoad {
  readonly requestsPerSecond: number
  /** The kinds of its requests, by the AWS calls that they make, with the share of each. */
  readonly kinds: readonly (readonly [share: number, calls: Counts])[]
  /** Environments at work, on average: Little's law. */
  readonly atWork: number
  /** Existing environments, each with its own caches. */
  readonly environments: number
}

/** Rounds until the number of environments no longer changes in its first six digits. */
const ROUNDS = 50

/**
 * Returns a function at a rate of its requests. More environments read their caches more often, which takes time, and so
 * needs more environments: what it has in the end is where the two agree.
 */
export function busyAt(load: FunctionLoad, requestsPerSecond: number): BusyFunction {
  let busy: BusyFunction = { ...load, requestsPerSecond, kinds: [], atWork: 0, environments: 1 }
  for (let round = 0; round < ROUNDS; round++) {
    const kinds = kindsOf(busy)
    const atWork = (requestsPerSecond * durationMs(mixCalls(kinds), load.times)) / 1000
    const environments = Math.max(1, atWork * ASSUMPTIONS.environmentsPerBusyOne)
    busy = { ...busy, kinds, atWork, environments }
  }
  return busy
}

/** Returns how many apps one environment sees in a time: no more than are active, nor than it has requests. */
export function appsSeen({ requestsPerSecond, environments }: BusyFunction, timeMs: number): number {
  const requests = (requestsPerSecond / environments) * (timeMs / 1000)
  return Math.min(ASSUMPTIONS.activeApps, Math.max(1, requests))
}

/** How often a second something happens that each environment does for each app that it sees, once in a time. */
export function timesPerSecond(busy: BusyFunction, timeMs: number): number {
  return (busy.environments * appsSeen(busy, timeMs)) / (timeMs / 1000)
}

function kindsOf(busy: BusyFunction): BusyFunction["kinds"] {
  const { counts, requestsPerSecond, environments } = busy
  const { warm, reopened, noted } = counts
  const ofEnvironment = (requestsPerSecond / environments) * (REFRESH_MS / 1000)
  const refreshed = refreshedAfter(ofEnvironment / appsSeen(busy, REFRESH_MS), counts)
  const share = (timeMs: number) => Math.min(1, timesPerSecond(busy, timeMs) / busy.requestsPerSecond)
  const [refreshing, reopening, noting] = [share(REFRESH_MS), share(REOPEN_MS), share(NOTE_MS)]
  return [
    [1 - refreshing, warm],
    [Math.max(0, refreshing - reopening - noting), refreshed],
    [reopening, reopened],
    [noting, noted],
  ]
}

/** Returns the reads of a table, or of both that requests read. */
export function readsPerSecond(
  { requestsPerSecond, kinds }: BusyFunction,
  tables: readonly ("config" | "keys")[] = ["config", "keys"],
): number {
  const calls = mixCalls(kinds)
  const readsOf = (table: string) =>
    callsOf(calls, `dynamodb:GetItem/${table}`) + callsOf(calls, `dynamodb:Query/${table}`)
  return requestsPerSecond * tables.reduce((total, table) => total + readsOf(table), 0)
}

/** Returns what is written into the events table, in units of 1 KB: decisions and figures are larger than other records. */
export function writeUnitsPerSecond(busy: BusyFunction): number {
  const { decisionItemKb, figuresItemKb } = ASSUMPTIONS
  const calls = mixCalls(busy.kinds)
  const writes = callsOf(calls, "dynamodb:PutItem/events") + callsOf(calls, "dynamodb:UpdateItem/events")
  const more = decisionsOfOneApp(busy) * (decisionItemKb - 1) + figuresOfOneApp(busy) * (figuresItemKb - 1)
  return busy.requestsPerSecond * writes + appsSeen(busy, REFRESH_MS) * more
}

/** The row of figures that an environment writes of each app, once between two refreshes. */
const FIGURES_WRITES = 1

/** Counts the writes for one app, a second: those now and then besides those of each request, and of figures. */
export function decisionsOfOneApp({ counts: { refreshed, warm }, environments }: BusyFunction): number {
  const writes = callsOf(refreshed, "dynamodb:PutItem/events") - callsOf(warm, "dynamodb:PutItem/events")
  return (environments * (writes - FIGURES_WRITES)) / (REFRESH_MS / 1000)
}

/** Counts the writes of one app's figures, a second. */
export function figuresOfOneApp({ environments }: BusyFunction): number {
  return (environments * FIGURES_WRITES) / (REFRESH_MS / 1000)
}

/** Returns the calls of KMS that open keys of apps. */
export function keysOpenedPerSecond(busy: BusyFunction): number {
  return timesPerSecond(busy, REOPEN_MS) * callsOf(busy.counts.reopened, "kms:")
}

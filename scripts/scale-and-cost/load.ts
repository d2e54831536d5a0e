import { ASSUMPTIONS } from "./assumptions.ts"
import { callsOf, NOTE_MS, type OperationCounts, REFRESH_MS, REOPEN_MS } from "./count-operations.ts"
import { QUOTAS } from "./quotas.ts"
import { callsPerRequest, durationMs, type OperationTimes } from "./request-cost.ts"

/** One function under load: its operation, and its share of all requests. */
export interface FunctionLoad {
  readonly counts: OperationCounts
  readonly times: OperationTimes
  readonly share: number
}

/** How much of something is used at a rate of requests, and how much there is. */
export interface Usage {
  readonly name: string
  readonly unit: string
  readonly quota: number
  readonly used: number
  /** `ask`: AWS raises it on request. `stage`: stacks/config.ts sets it. `no`: it cannot be raised. */
  readonly raised: "ask" | "stage" | "no"
}

export interface LoadOptions {
  readonly requestsPerSecond: number
  readonly functions: readonly FunctionLoad[]
  /** The limit of the stage itself. */
  readonly stageRequestsPerSecond: number
}

interface Busy extends FunctionLoad {
  readonly requestsPerSecond: number
  /** Environments at work, on average: Little's law. */
  readonly atWork: number
  /** Existing environments, each with its own caches. */
  readonly environments: number
}

/** Returns how much of each quota a rate of requests uses. */
export function usageAt({
  requestsPerSecond,
  functions,
  stageRequestsPerSecond,
}: LoadOptions): readonly Usage[] {
  const busy = functions.map((each) => busyAt(each, requestsPerSecond * each.share))
  const sum = (value: (each: Busy) => number) => busy.reduce((total, each) => total + value(each), 0)
  const { refusedShare, auditBlocksPerSecond, decisionItemKb, figuresItemKb } = ASSUMPTIONS
  const refused = requestsPerSecond * refusedShare
  const notes = sum((each) => each.environments * appsSeen(each, NOTE_MS)) / (NOTE_MS / 1000)
  return [
    row("the stage's own throttling", "requests/s", requestsPerSecond, stageRequestsPerSecond, "stage"),
    row(
      "API Gateway, requests of the account",
      "requests/s",
      requestsPerSecond,
      QUOTAS.apiGatewayRequestsPerSecond,
    ),
    row(
      "Lambda, concurrent executions",
      "environments",
      sum(({ atWork }) => atWork),
      QUOTAS.lambdaConcurrency,
    ),
    row(
      "Lambda, requests for each unit of concurrency",
      "requests/s",
      requestsPerSecond,
      QUOTAS.lambdaConcurrency * QUOTAS.lambdaRequestsPerConcurrency,
    ),
    row("KMS, steady", "requests/s", sum(keysOpenedPerSecond), QUOTAS.kmsRequestsPerSecond),
    row("KMS, while functions start", "requests/s", sum(keysOpenedAtStart), QUOTAS.kmsRequestsPerSecond),
    row(
      "DynamoDB, reads of the config table",
      "reads/s",
      sum(readsPerSecond),
      QUOTAS.dynamodbTableReadsPerSecond,
    ),
    row(
      "DynamoDB, reads of one app's records, were all requests its",
      "reads/s",
      sum(readsOfOneApp),
      QUOTAS.dynamodbPartitionReadsPerSecond,
      "no",
    ),
    row(
      "DynamoDB, writes to the events table",
      "writes/s",
      notes +
        sum((each) => decisionWrites(each) * appsSeen(each, REFRESH_MS)) * decisionItemKb +
        sum((each) => figuresWrites(each) * appsSeen(each, REFRESH_MS)) * figuresItemKb +
        refused,
      QUOTAS.dynamodbTableWritesPerSecond,
    ),
    row(
      "DynamoDB, decision records of one app, were all requests its",
      "writes/s",
      sum(decisionWrites) * decisionItemKb,
      QUOTAS.dynamodbPartitionWritesPerSecond,
      "no",
    ),
    row(
      "DynamoDB, figures of one app, were all requests its",
      "writes/s",
      sum(figuresWrites) * figuresItemKb,
      QUOTAS.dynamodbPartitionWritesPerSecond,
      "no",
    ),
    row(
      "audit log, refusals of one team, were all requests its",
      "records/s",
      refused,
      auditBlocksPerSecond,
      "no",
    ),
  ]
}

/** Returns what is used up first: the use that is the largest part of its quota. */
export function bindingOf(usages: readonly Usage[]): Usage | undefined {
  return usages.toSorted((left, right) => right.used / right.quota - left.used / left.quota)[0]
}

function row(
  name: string,
  unit: string,
  used: number,
  quota: number,
  raised: Usage["raised"] = "ask",
): Usage {
  return { name, unit, used, quota, raised }
}

function busyAt(load: FunctionLoad, requestsPerSecond: number): Busy {
  const seconds = durationMs(callsPerRequest(load.counts, "busy"), load.times) / 1000
  const atWork = requestsPerSecond * seconds
  return {
    ...load,
    requestsPerSecond,
    atWork,
    environments: Math.max(1, atWork * ASSUMPTIONS.environmentsPerBusyOne),
  }
}

/** Returns how many apps one environment sees in a time: no more than exist, nor than it has requests. */
function appsSeen({ requestsPerSecond, environments }: Busy, durationMs: number): number {
  const requests = (requestsPerSecond / environments) * (durationMs / 1000)
  return Math.min(ASSUMPTIONS.activeApps, Math.max(1, requests))
}

function readsPerSecond(busy: Busy): number {
  const reads = callsOf(busy.counts.refreshed, "dynamodb:GetItem/config") + configQueries(busy)
  return (busy.environments * appsSeen(busy, REFRESH_MS) * reads) / (REFRESH_MS / 1000)
}

/**
 * Counts the reads of one app: its record, key versions, roles and policies are one partition; its API keys each have
 * their own.
 */
function readsOfOneApp(busy: Busy): number {
  const reads = callsOf(busy.counts.refreshed, "dynamodb:GetItem/config") - 1 + configQueries(busy)
  return (busy.environments * reads) / (REFRESH_MS / 1000)
}

const configQueries = ({ counts }: Busy) => callsOf(counts.refreshed, "dynamodb:Query/config")

/** The row of figures that an environment writes of each app, once between two refreshes. */
const FIGURES_WRITES = 1

/** Counts the writes for one app, a second: those now and then besides those of each request, and of figures. */
function decisionWrites({ counts: { refreshed, warm }, environments }: Busy): number {
  const writes = callsOf(refreshed, "dynamodb:PutItem/events") - callsOf(warm, "dynamodb:PutItem/events")
  return (environments * (writes - FIGURES_WRITES)) / (REFRESH_MS / 1000)
}

/** Counts the writes of one app's figures, a second. */
function figuresWrites({ environments }: Busy): number {
  return (environments * FIGURES_WRITES) / (REFRESH_MS / 1000)
}

function keysOpenedPerSecond(busy: Busy): number {
  const opened = callsOf(busy.counts.reopened, "kms:")
  return (busy.environments * appsSeen(busy, REOPEN_MS) * opened) / (REOPEN_MS / 1000)
}

/** Counts the keys opened in the first second of a wave: every new environment opens the keys of the apps it meets. */
function keysOpenedAtStart(busy: Busy): number {
  const started = Math.min(busy.environments, QUOTAS.lambdaGrowthPerSecond)
  return started * appsSeen(busy, 1000) * callsOf(busy.counts.cold, "kms:")
}

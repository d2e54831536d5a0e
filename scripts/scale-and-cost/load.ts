import { ASSUMPTIONS } from "./assumptions.ts"
import {
  appsSeen,
  type BusyFunction,
  busyAt,
  decisionsOfOneApp,
  type FunctionLoad,
  figuresOfOneApp,
  keysOpenedPerSecond,
  readsPerSecond,
  writeUnitsPerSecond,
} from "./busy-function.ts"
import { callsOf, REFRESH_MS } from "./count-operations.ts"
import { QUOTAS } from "./quotas.ts"

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

/** Returns how much of each quota a rate of requests uses. */
export function usageAt({
  requestsPerSecond,
  functions,
  stageRequestsPerSecond,
}: LoadOptions): readonly Usage[] {
  const busy = functions.map((each) => busyAt(each, requestsPerSecond * each.share))
  const sum = (value: (each: BusyFunction) => number) => busy.reduce((total, each) => total + value(each), 0)
  const { refusedShare, auditRecordsPerSecond, decisionItemKb, figuresItemKb } = ASSUMPTIONS
  const refused = requestsPerSecond * refusedShare
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
      sum((busy) => readsPerSecond(busy, ["config"])),
      QUOTAS.dynamodbTableReadsPerSecond,
    ),
    row(
      "DynamoDB, reads of the keys table",
      "reads/s",
      sum((busy) => readsPerSecond(busy, ["keys"])),
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
      sum(writeUnitsPerSecond),
      QUOTAS.dynamodbTableWritesPerSecond,
    ),
    row(
      "DynamoDB, decision records of one app, were all requests its",
      "writes/s",
      sum(decisionsOfOneApp) * decisionItemKb,
      QUOTAS.dynamodbPartitionWritesPerSecond,
      "no",
    ),
    row(
      "DynamoDB, figures of one app, were all requests its",
      "writes/s",
      sum(figuresOfOneApp) * figuresItemKb,
      QUOTAS.dynamodbPartitionWritesPerSecond,
      "no",
    ),
    row(
      "audit log, refusals of one team, were all requests its",
      "records/s",
      refused,
      auditRecordsPerSecond,
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

/** Counts the reads of one app: its record, roles and policies are one partition. */
function readsOfOneApp(busy: BusyFunction): number {
  const reads = callsOf(busy.counts.refreshed, "dynamodb:GetItem/config") + configQueries(busy)
  return (busy.environments * reads) / (REFRESH_MS / 1000)
}

const configQueries = ({ counts }: BusyFunction) => callsOf(counts.refreshed, "dynamodb:Query/config")

/** Counts the keys opened in the first second of a wave: every new environment opens the keys of the apps it meets. */
function keysOpenedAtStart(busy: BusyFunction): number {
  const started = Math.min(busy.environments, QUOTAS.lambdaGrowthPerSecond)
  return started * appsSeen(busy, 1000) * callsOf(busy.counts.cold, "kms:")
}

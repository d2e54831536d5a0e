import { CONTAINER_SIZE } from "../../stacks/constructs/relay-container.ts"
import { HEALTH_INTERVAL } from "../../stacks/egress.ts"
import { FUNCTION_MEMORY_MB } from "../../stacks/relay.ts"
import { ASSUMPTIONS } from "./assumptions.ts"
import { callsOf, type OperationCounts } from "./count-operations.ts"
import { dollars, figure, markdownTable } from "./markdown-table.ts"
import { PRICES } from "./prices.ts"
import { costPerMillion, GIGABYTE } from "./request-cost.ts"

const HOURS_PER_MONTH = 730
const MIB_PER_GIGABYTE = 1024
const SECONDS_PER_HOUR = 3_600
const CONTAINERS = 2
/** Of the load balancer, each with its own health checks: both proxies, and what CloudFront calls. */
const TARGET_GROUPS = 3
const ZONES = 2

/** Renders the AWS calls of one request through a relay, by the state of the function's caches. */
export function relayCallsTable({ name, cold, warm, refreshed, reopened, noted }: OperationCounts): string {
  const row = [name, ...[cold, warm, refreshed, reopened, noted].map((counts) => figure(callsOf(counts)))]
  return markdownTable(["operation", "first", "warm", "after 10 s", "after 5 min", "after 1 h"], [row])
}

/** Renders US dollars for a million requests through CloudFront. */
export function relayCostTable(relayed: OperationCounts): string {
  const { destinationMs, relayHandlerMs, relayStartMs } = ASSUMPTIONS
  const edge = PRICES.cloudFrontPerMillionRequests + PRICES.cloudFrontFunctionsPerMillion
  // The destination's time is waiting, whatever share of a processor there is: there is one.
  const times = {
    handlerMs: relayHandlerMs + destinationMs,
    startMs: relayStartMs,
    memoryMb: FUNCTION_MEMORY_MB,
  }
  const rows = (["busy", "seldom", "cold"] as const).map((traffic) => {
    const { lambda, dynamodb, kms, logs } = costPerMillion(relayed, traffic, times)
    return [
      traffic,
      ...[edge, lambda, dynamodb, kms, logs, edge + lambda + dynamodb + kms + logs].map(dollars),
    ]
  })
  return markdownTable(["traffic", "CloudFront", "Lambda", "DynamoDB", "KMS", "logs", "total"], rows)
}

/** Renders US dollars a month, before the first request. */
export function relayFixedTable(): string {
  const { processors, memoryMib } = CONTAINER_SIZE
  const container =
    processors * PRICES.fargatePerProcessorHour +
    (memoryMib / MIB_PER_GIGABYTE) * PRICES.fargatePerGigabyteHour
  const monthly: readonly (readonly [string, number])[] = [
    [
      `${CONTAINERS} containers of ${processors} vCPU and ${memoryMib / MIB_PER_GIGABYTE} GB`,
      CONTAINERS * container * HOURS_PER_MONTH,
    ],
    [`${ZONES} NAT gateways`, ZONES * PRICES.natGatewayPerHour * HOURS_PER_MONTH],
    ["the network load balancer", PRICES.loadBalancerPerHour * HOURS_PER_MONTH],
    [`${2 * ZONES} public addresses, of both`, 2 * ZONES * PRICES.publicAddressPerHour * HOURS_PER_MONTH],
    ["flow logs of health checks", flowLogsOfHealthChecks()],
    [`${ASSUMPTIONS.insightsMetrics} metrics of Container Insights, with their logs`, containerInsights()],
    ["the origin secret", PRICES.secretPerMonth],
  ]
  const total = monthly.reduce((sum, [, price]) => sum + price, 0)
  const rows = [...monthly, ["total", total] as const].map(([what, price]) => [what, dollars(price)])
  return markdownTable(["what", "a month"], rows)
}

/** The load balancer checks each container from each zone, by a connection of its own each time. */
function flowLogsOfHealthChecks(): number {
  const { flowRecordsOfHealthCheck, flowRecordBytes } = ASSUMPTIONS
  const checksPerSecond = (TARGET_GROUPS * ZONES * CONTAINERS) / HEALTH_INTERVAL.toSeconds()
  const bytesPerSecond = checksPerSecond * flowRecordsOfHealthCheck * flowRecordBytes
  return logsOfMonth(bytesPerSecond)
}

function containerInsights(): number {
  const { insightsMetrics, insightsLineBytes } = ASSUMPTIONS
  return insightsMetrics * PRICES.metricPerMonth + logsOfMonth((insightsMetrics * insightsLineBytes) / 60)
}

function logsOfMonth(bytesPerSecond: number): number {
  return ((bytesPerSecond * SECONDS_PER_HOUR * HOURS_PER_MONTH) / GIGABYTE) * PRICES.logsPerGigabyte
}

import { resolveStage } from "../../stacks/config.ts"
import { ASSUMPTIONS } from "./assumptions.ts"
import { billTable } from "./bill-table.ts"
import type { FunctionLoad } from "./busy-function.ts"
import { callsOf, type OperationCounts } from "./count-operations.ts"
import type { Counts } from "./counted-service.ts"
import { bindingOf, type Usage, usageAt } from "./load.ts"
import { dollars, figure, markdownTable } from "./markdown-table.ts"
import type { Measurements } from "./measured.ts"
import { OPERATIONS } from "./operations.ts"
import { callsPerRequest, costPerMillion, durationMs, type OperationTimes } from "./request-cost.ts"

/** The model is of this stage, as in stacks/config.ts. */
const STAGE = "production"
/** The rates in the tables. */
const RATES = [100, 10_000, 100_000, 1_000_000]
/** The shares of the load. */
const MIX = [
  { name: "encrypt", share: 0.5 },
  { name: "decrypt, a role with a policy", share: 0.5 },
]

/** Renders the AWS calls of one request, by the state of its environment's caches. */
export function callsTable(counted: readonly OperationCounts[]): string {
  const rows = counted.map(({ name, cold, warm, refreshed, reopened, noted }) => [
    name,
    ...[cold, warm, refreshed, reopened, noted].map((counts) => figure(callsOf(counts))),
    spellOut(cold),
  ])
  const titles = [
    "operation",
    "first",
    "warm",
    "after 10 s",
    "after 5 min",
    "after 1 h",
    "the first one's calls",
  ]
  return markdownTable(titles, rows, new Set([0, 6]))
}

/** Renders US dollars for a million requests, by how they arrive. */
export function costTable(counted: readonly OperationCounts[], measured: Measurements): string {
  const rows = counted.map((counts) => {
    const times = timesOf(counts.name, measured)
    const totals = (["busy", "seldom", "cold"] as const).map(
      (traffic) => costPerMillion(counts, traffic, times).total,
    )
    return [
      counts.name,
      figure(times.memoryMb),
      figure(durationMs(callsPerRequest(counts, "busy"), times)),
      figure(times.startMs),
      ...totals.map(dollars),
    ]
  })
  return markdownTable(["operation", "MB", "ms, warm", "ms to start", "busy", "seldom", "all cold"], rows)
}

/** Returns US dollars for a million requests of a busy environment. @throws Error when the operation was not counted */
export function busyCost(
  operation: string,
  counted: readonly OperationCounts[],
  measured: Measurements,
): number {
  return costPerMillion(find(counted, operation), "busy", timesOf(operation, measured)).total
}

/** Renders what the dollars are spent on, for the two most frequent operations. */
export function partsTable(counted: readonly OperationCounts[], measured: Measurements): string {
  const rows = MIX.flatMap(({ name }) =>
    (["busy", "seldom", "cold"] as const).map((traffic) => {
      const cost = costPerMillion(find(counted, name), traffic, timesOf(name, measured))
      const { apiGateway, lambda, dynamodb, kms, logs, total } = cost
      return [name, traffic, ...[apiGateway, lambda, dynamodb, kms, logs, total].map(dollars)]
    }),
  )
  const titles = ["operation", "traffic", "API Gateway", "Lambda", "DynamoDB", "KMS", "logs", "total"]
  return markdownTable(titles, rows, new Set([0, 1]))
}

/** Renders how much of each quota is used at each rate, and what is used up first. */
export function quotaTable(counted: readonly OperationCounts[], measured: Measurements): string {
  const usages = usagesOf(counted, measured)
  const names = usages[0]?.map(({ name }) => name) ?? []
  const rows = names.map((name) => {
    const each = usages.flatMap((usage) => usage.find((found) => found.name === name) ?? [])
    const { quota = 0, unit = "", raised = "no" } = each[0] ?? {}
    const used = each.map((usage) => `${figure(usage.used)} (${percentOf(usage)})`)
    return [name, `${figure(quota)} ${unit}`, ...used, RAISED[raised]]
  })
  const titles = ["what", "there is", ...RATES.map((rate) => `at ${figure(rate)}/s`), "more of it"]
  return markdownTable(titles, rows, new Set([0, titles.length - 1]))
}

/** Renders what limits each rate first, a line each. */
export function bindingLines(counted: readonly OperationCounts[], measured: Measurements): string {
  return usagesOf(counted, measured)
    .map((usage, index) => {
      const rate = `- **${figure(RATES[index] ?? 0)} requests/s:** `
      const over = usage.filter(({ used, quota }) => used >= quota)
      const first = bindingOf(usage)
      if (first === undefined) return rate
      if (over.length === 0)
        return `${rate}nothing is used up. Nearest is ${first.name}, at ${percentOf(first)}.`
      const rest = over
        .filter(({ name }) => name !== first.name)
        .toSorted((left, right) => right.used / right.quota - left.used / left.quota)
      const others = rest.map((each) => `${each.name} (${percentOf(each)})`).join("; ")
      return `${rate}first ${first.name}, at ${percentOf(first)} of what there is${others === "" ? "" : `; then ${others}`}.`
    })
    .join("\n")
}

/** Renders US dollars for a month of each rate, at list prices, by what they are spent on. */
export function monthsTable(counted: readonly OperationCounts[], measured: Measurements): string {
  return billTable(RATES, functionsOf(counted, measured))
}

/** Renders the assumptions of the tables. */
export function assumptionsTable(): string {
  const rows = Object.entries(ASSUMPTIONS).map(([name, value]) => [`\`${name}\``, figure(value)])
  return markdownTable(["assumption", "value"], rows)
}

const RAISED = { ask: "ask AWS", stage: "`throttling` in stacks/config.ts", no: "cannot be raised" } as const

function usagesOf(
  counted: readonly OperationCounts[],
  measured: Measurements,
): readonly (readonly Usage[])[] {
  const stageRequestsPerSecond = resolveStage(STAGE).throttling.requestsPerSecond
  const functions = functionsOf(counted, measured)
  return RATES.map((requestsPerSecond) => usageAt({ requestsPerSecond, functions, stageRequestsPerSecond }))
}

function functionsOf(counted: readonly OperationCounts[], measured: Measurements): readonly FunctionLoad[] {
  return MIX.map(({ name, share }) => ({
    counts: find(counted, name),
    times: timesOf(name, measured),
    share,
  }))
}

/** @throws Error when the operation or its endpoint was not measured */
function timesOf(name: string, { handlerMs, startMs }: Measurements): OperationTimes {
  const endpointId = OPERATIONS.find((each) => each.name === name)?.endpointId ?? ""
  const { memoryMb, memoryMbOf } = resolveStage(STAGE)
  const times = { handlerMs: handlerMs[name], startMs: startMs[endpointId] }
  if (times.handlerMs === undefined || times.startMs === undefined)
    throw new Error(`${name} was not measured`)
  return { handlerMs: times.handlerMs, startMs: times.startMs, memoryMb: memoryMbOf[endpointId] ?? memoryMb }
}

function find(counted: readonly OperationCounts[], name: string): OperationCounts {
  const found = counted.find((each) => each.name === name)
  if (found === undefined) throw new Error(`${name} was not counted`)
  return found
}

function percentOf({ used, quota }: Usage): string {
  return `${figure((used / quota) * 100)} %`
}

/** Writes `2 GetItem config, 1 Decrypt`. */
function spellOut(counts: Counts): string {
  return Object.entries(counts)
    .toSorted()
    .map(([name, count]) => {
      const [, operation = "", table = ""] = /^[a-z]+:([^/]+)(?:\/(.+))?$/.exec(name) ?? []
      return `${count} ${operation}${table === "" ? "" : ` ${table}`}`
    })
    .join(", ")
}

import { ASSUMPTIONS } from "./assumptions.ts"
import {
  type BusyFunction,
  busyAt,
  type FunctionLoad,
  keysOpenedPerSecond,
  readsPerSecond,
  writeUnitsPerSecond,
} from "./busy-function.ts"
import { REFRESH_MS } from "./count-operations.ts"
import { figure, markdownTable } from "./markdown-table.ts"
import { PRICES } from "./prices.ts"
import { durationMs, GIGABYTE, MB_PER_GIGABYTE, MILLION } from "./request-cost.ts"

/** A month of 30 days. */
const SECONDS_PER_MONTH = 30 * 86_400

/** US dollars, of a second or a month. */
export interface Bill {
  readonly apiGateway: number
  readonly lambda: number
  readonly dynamodb: number
  readonly kms: number
  readonly logs: number
}

/** Returns US dollars for a month of a steady rate, at list prices: what `usageAt` says is used. */
export function billAt(requestsPerSecond: number, functions: readonly FunctionLoad[]): Bill {
  const parts = functions.map((each) => billOfSecond(busyAt(each, requestsPerSecond * each.share)))
  const month = (part: keyof Bill) => parts.reduce((sum, each) => sum + each[part], 0) * SECONDS_PER_MONTH
  // The audit log of the month, besides what functions write.
  const refusals = (requestsPerSecond * ASSUMPTIONS.refusedShare * SECONDS_PER_MONTH) / MILLION
  return {
    apiGateway: month("apiGateway"),
    lambda: month("lambda"),
    dynamodb: month("dynamodb") + refusals * PRICES.dynamodbPerMillionWrites,
    kms: month("kms"),
    logs: month("logs"),
  }
}

function billOfSecond(busy: BusyFunction): Bill {
  const { requestsPerSecond, kinds, times, environments } = busy
  const millions = requestsPerSecond / MILLION
  // Charged by whole milliseconds.
  const chargedMs = kinds.reduce(
    (sum, [share, calls]) => sum + share * Math.ceil(durationMs(calls, times)),
    0,
  )
  const gigabyteSeconds = (requestsPerSecond * chargedMs * (times.memoryMb / MB_PER_GIGABYTE)) / 1000
  const { logBytesPerRequest, metricsLineBytes } = ASSUMPTIONS
  const logBytes =
    requestsPerSecond * logBytesPerRequest + (environments / (REFRESH_MS / 1000)) * metricsLineBytes
  return {
    apiGateway: millions * PRICES.apiGatewayPerMillionRequests,
    lambda: millions * PRICES.lambdaPerMillionRequests + gigabyteSeconds * PRICES.lambdaPerGigabyteSecond,
    dynamodb:
      (readsPerSecond(busy) * PRICES.dynamodbPerMillionReads +
        writeUnitsPerSecond(busy) * PRICES.dynamodbPerMillionWrites) /
      MILLION,
    kms: (keysOpenedPerSecond(busy) * PRICES.kmsPerMillionRequests) / MILLION,
    logs: (logBytes / GIGABYTE) * PRICES.logsPerGigabyte,
  }
}

/** Renders the bills of several rates. */
export function billTable(rates: readonly number[], functions: readonly FunctionLoad[]): string {
  const rows = rates.map((rate) => {
    const { apiGateway, lambda, dynamodb, kms, logs } = billAt(rate, functions)
    const parts = [apiGateway, lambda, dynamodb, kms, logs]
    const total = parts.reduce((sum, part) => sum + part, 0)
    const millions = (rate * SECONDS_PER_MONTH) / MILLION
    return [
      `${figure(rate)}/s`,
      figure(millions),
      ...[...parts, total].map((part) => figure(Math.round(part))),
    ]
  })
  const titles = ["rate", "million requests", "API Gateway", "Lambda", "DynamoDB", "KMS", "logs", "total"]
  return markdownTable(titles, rows)
}

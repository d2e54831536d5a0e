import { COUNT_METRICS, LATENCY_METRICS } from "@sealway/records"
import { dollars, markdownTable } from "./markdown-table.ts"
import { PRICES } from "./prices.ts"

/** Of errors of KMS, which CloudWatch counts in logs. */
const OTHER_METRICS = 1

/** Renders US dollars a month for what watches a stage, besides alarms. */
export function monitoringFixedTable(): string {
  const metrics = Object.keys(COUNT_METRICS).length + Object.keys(LATENCY_METRICS).length + OTHER_METRICS
  const monthly: readonly (readonly [string, number])[] = [
    [`${metrics} metrics`, metrics * PRICES.metricPerMonth],
    ["the dashboard of CloudWatch", PRICES.cloudWatchDashboardPerMonth],
    ["the origin secret of the service's own dashboard, if the stage has one", PRICES.secretPerMonth],
  ]
  return markdownTable(
    ["what", "a month"],
    monthly.map(([what, price]) => [what, dollars(price)]),
  )
}

import * as z from "zod"
import { dollars, figure, markdownTable } from "../scale-and-cost/markdown-table.ts"
import { PRICES } from "../scale-and-cost/prices.ts"
import { STAGE_QUOTAS } from "./quotas.ts"
import type { TemplateResource } from "./read-templates.ts"

/** The resources of stages, by what they have. */
export type Stages = ReadonlyMap<string, readonly TemplateResource[]>

/** Renders how much of each quota stages take. */
export function stageQuotasTable(stages: Stages): string {
  const rows = STAGE_QUOTAS.map(({ name, default: quota, taken }) => [
    name,
    figure(quota),
    ...[...stages.values()].map((resources) => figure(taken(resources))),
  ])
  return markdownTable(["quota", "default", ...stages.keys()], rows)
}

/** Renders US dollars a month for stages without any request. */
export function stageCostTable(stages: Stages): string {
  const priced: readonly (readonly [string, (resources: readonly TemplateResource[]) => number])[] = [
    ["KMS keys", (all) => countOf(all, "AWS::KMS::Key") * PRICES.kmsPerKeyMonth],
    ["metrics of alarms", (all) => alarmMetrics(all) * PRICES.alarmPerMetricMonth],
    [
      "alarms of areas",
      (all) => countOf(all, "AWS::CloudWatch::CompositeAlarm") * PRICES.compositeAlarmMonth,
    ],
    [
      "CloudWatch dashboard",
      (all) => countOf(all, "AWS::CloudWatch::Dashboard") * PRICES.cloudWatchDashboardPerMonth,
    ],
    ["secrets", (all) => countOf(all, "AWS::SecretsManager::Secret") * PRICES.secretPerMonth],
  ]
  const all = [...stages.values()]
  const rows = priced.map(([what, price]) => [what, ...all.map((resources) => dollars(price(resources)))])
  const totals = all.map((resources) => dollars(priced.reduce((sum, [, price]) => sum + price(resources), 0)))
  return markdownTable(["what", ...stages.keys()], [...rows, ["total", ...totals]])
}

function countOf(resources: readonly TemplateResource[], wanted: string): number {
  return resources.filter(({ type }) => type === wanted).length
}

const metricsSchema = z.array(z.object({ MetricStat: z.unknown().optional() })).default([])

/** Counts the metrics of alarms, without the expressions that join some. */
function alarmMetrics(resources: readonly TemplateResource[]): number {
  const alarms = resources.filter(({ type }) => type === "AWS::CloudWatch::Alarm")
  return alarms.reduce((sum, { properties }) => {
    const joined = metricsSchema
      .parse(properties.Metrics)
      .filter(({ MetricStat }) => MetricStat !== undefined)
    return sum + Math.max(1, joined.length)
  }, 0)
}

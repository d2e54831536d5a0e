import { METRICS_SERVICE, metricsNamespace } from "@sealway/records"
import { Duration } from "aws-cdk-lib"
import { MathExpression, Metric, Stats } from "aws-cdk-lib/aws-cloudwatch"
import type { StageConfig } from "./config.ts"
import type { StageTable } from "./stage-resources.ts"
import type { StageApis } from "./wings.ts"

/** How much time one point of a metric stands for. */
export const METRICS_PERIOD = Duration.minutes(5)

/** Returns a sum that API Gateway counts, over all APIs of a stage: `5xx`. */
export function apiCount(apis: StageApis, metricName: string): MathExpression {
  const counts = [...apis].map(([name, apiId]) => [`${name}${metricName}`, apiId] as const)
  return new MathExpression({
    expression: `SUM([${counts.map(([variable]) => variable).join(", ")}])`,
    label: metricName,
    period: METRICS_PERIOD,
    usingMetrics: Object.fromEntries(
      counts.map(([variable, apiId]) => [variable, apiMetric(apiId, metricName, Stats.SUM)]),
    ),
  })
}

/** Returns the latency of each API of a stage, in milliseconds: percentiles have no sum. */
export function apiLatencies(apis: StageApis, statistic: string): readonly Metric[] {
  return [...apis].map(([name, apiId]) =>
    apiMetric(apiId, "Latency", statistic).with({ label: `${name} ${statistic}` }),
  )
}

function apiMetric(apiId: string, metricName: string, statistic: string): Metric {
  return new Metric({
    namespace: "AWS/ApiGateway",
    metricName,
    dimensionsMap: { ApiId: apiId },
    statistic,
    period: METRICS_PERIOD,
  })
}

/** Returns a metric of what the service itself counts, in all of a stage's processes. @param name see `COUNT_METRICS` */
export function serviceMetric({ stage }: StageConfig, name: string, statistic: string): Metric {
  return new Metric({
    namespace: metricsNamespace(stage),
    metricName: name,
    dimensionsMap: { service: METRICS_SERVICE },
    statistic,
    period: METRICS_PERIOD,
    label: statistic === Stats.SUM ? name : `${name} ${statistic}`,
  })
}

/** Returns how often DynamoDB refused to read or write a table. @param name of the table, as grants name it */
export function tableThrottles(name: string, table: StageTable): MathExpression {
  const events = (metricName: string) =>
    table.metric(metricName, { statistic: Stats.SUM, period: METRICS_PERIOD })
  return new MathExpression({
    expression: `${name}Reads + ${name}Writes`,
    label: name,
    period: METRICS_PERIOD,
    usingMetrics: {
      [`${name}Reads`]: events("ReadThrottleEvents"),
      [`${name}Writes`]: events("WriteThrottleEvents"),
    },
  })
}

import { QUEUES } from "@sealway/ports"
import { COUNT_METRICS, LATENCY_METRICS } from "@sealway/records"
import {
  Dashboard,
  GraphWidget,
  type IMetric,
  type IWidget,
  MathExpression,
  Metric,
  Stats,
} from "aws-cdk-lib/aws-cloudwatch"
import type { Construct } from "constructs"
import { CLOUDFRONT_METRICS_REGION } from "./cloudfront.ts"
import type { StageConfig } from "./config.ts"
import { kmsErrors } from "./kms-errors.ts"
import { stackName } from "./names.ts"
import { apiCount, apiLatencies, METRICS_PERIOD, serviceMetric, tableThrottles } from "./service-metrics.ts"
import { find, type RelayEdge, type StageResources } from "./stage-resources.ts"
import type { StageApis } from "./wings.ts"

/** Two side by side. */
const WIDTH = 12
const P50 = Stats.p(50)
const P99 = Stats.p(99)

/** Draws the dashboard to look at when an alarm goes off: what the service counts, and what AWS does. */
export function drawDashboard(
  scope: Construct,
  dashboardName: string,
  resources: StageResources,
  apis: StageApis,
): void {
  const { stage, tables, queues, relayEdge } = resources
  const counted = (name: keyof typeof COUNT_METRICS) => serviceMetric(stage, COUNT_METRICS[name], Stats.SUM)
  const latency = (name: keyof typeof LATENCY_METRICS, statistic: string) =>
    serviceMetric(stage, LATENCY_METRICS[name], statistic)
  new Dashboard(scope, "Dashboard", {
    dashboardName,
    widgets: [
      [
        graph(
          "Requests",
          ["Count", "4xx", "5xx"].map((metric) => apiCount(apis, metric)),
        ),
        graph("Latency (ms)", [...apiLatencies(apis, P50), ...apiLatencies(apis, P99)]),
      ],
      [
        graph("Values", [counted("encrypted"), counted("decrypted"), counted("masked")]),
        graph("Refusals and errors", [counted("refusals"), counted("errors")]),
      ],
      [
        graph("Latency of handlers (ms)", [latency("api", P50), latency("api", P99)]),
        graph(
          "Runs of functions",
          [counted("functionRuns"), counted("failedRuns")],
          [latency("function", P99)],
        ),
      ],
      ...(relayEdge === null
        ? []
        : [
            [
              graph("Requests through relays", [counted("relayRequests")], edgeErrors(resources, relayEdge)),
              graph("Latency of relays (ms)", [
                ...[latency("relay", P50), latency("relay", P99)],
                ...[latency("destination", P50), latency("destination", P99)],
              ]),
            ],
          ]),
      [
        graph(
          "Oldest message (s)",
          QUEUES.map(({ name }) =>
            find(queues, "queue", name).metricApproximateAgeOfOldestMessage({ label: name }),
          ),
        ),
        graph(
          "Dead letters",
          QUEUES.map(({ name }) =>
            find(queues, "queue", `${name}-dead-letters`).metricApproximateNumberOfMessagesVisible({
              label: name,
            }),
          ),
        ),
      ],
      [
        graph(
          "Table throttles",
          [...tables].map(([name, table]) => tableThrottles(name, table)),
        ),
        graph(
          "Lambda, all of the region",
          [lambdaMetric("ConcurrentExecutions", Stats.MAXIMUM)],
          [lambdaMetric("Throttles", Stats.SUM)],
        ),
      ],
      [graph("KMS errors", [kmsErrors(stage)]), graph("Errors of functions", [functionErrors(stage)])],
    ],
  })
}

/** @param right those with a scale of their own. Default: none */
function graph(title: string, left: IMetric[], right: IMetric[] = []): IWidget {
  return new GraphWidget({ title, left, right, width: WIDTH })
}

/** Returns the errors of each function that has some: CloudWatch finds them by the beginning of their names. */
function functionErrors(stage: StageConfig): MathExpression {
  const wanted = `{AWS/Lambda,FunctionName} MetricName="Errors" FunctionName="${stackName(stage, "")}"`
  return new MathExpression({
    expression: `SEARCH('${wanted}', 'Sum', ${METRICS_PERIOD.toSeconds()})`,
    label: "",
    period: METRICS_PERIOD,
    usingMetrics: {},
  })
}

/** Functions share the concurrency of their account and region, so it is shown for all of them. */
function lambdaMetric(metricName: string, statistic: string): Metric {
  return new Metric({ namespace: "AWS/Lambda", metricName, statistic, period: METRICS_PERIOD })
}

function edgeErrors({ stage }: StageResources, { distributionId }: RelayEdge): IMetric[] {
  if (stage.region !== CLOUDFRONT_METRICS_REGION) return []
  return [
    new Metric({
      namespace: "AWS/CloudFront",
      metricName: "5xxErrorRate",
      dimensionsMap: { DistributionId: distributionId, Region: "Global" },
      statistic: Stats.AVERAGE,
      period: METRICS_PERIOD,
      label: "5xx (%)",
    }),
  ]
}

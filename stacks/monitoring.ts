import { QUEUES } from "@sealway/ports"
import { Duration, Stack, type StackProps } from "aws-cdk-lib"
import { MathExpression, Stats } from "aws-cdk-lib/aws-cloudwatch"
import { Construct } from "constructs"
import { notifyOfAlarms, raiseAlarm } from "./constructs/alarm.ts"
import { kmsErrors } from "./kms-errors.ts"
import { drawDashboard } from "./monitoring-dashboard.ts"
import { stackName } from "./names.ts"
import { apiCount, METRICS_PERIOD, tableThrottles } from "./service-metrics.ts"
import { find, type StageResources } from "./stage-resources.ts"
import { watchChanges } from "./watched-changes.ts"
import type { StageApis } from "./wings.ts"

/** A message waits this long only when its worker is hours behind: SQS delays it by 15 minutes at most. */
const OLD_MESSAGE = Duration.hours(1)
/** A dead letter is deleted after 14 days. */
const OLD_DEAD_LETTER = Duration.days(10)

export interface MonitoringStackProps extends StackProps {
  readonly resources: StageResources
  readonly apis: StageApis
  /** Name of the bucket that the audit log is exported to; null: it is not. */
  readonly auditExportBucket: string | null
}

/** Of all requests, so many may be answered with a 5xx: 99.9 % are answered. */
const BUDGET_PERCENT = 0.1
/** Burns the budget of a month in two days. */
const FAST_BURN = { percent: 14.4 * BUDGET_PERCENT, reached: 2, periods: 3 }
/** Something that is called seldom, and fails: a 5xx in three hours of a day. */
const SLOW_BURN = { period: Duration.hours(1), reached: 3, periods: 24 }

/**
 * Alarms about the service as a whole, one for each area, and the dashboard to look at when one goes off. Workers have their
 * own alarms. What should never happen unnoticed is watched too.
 */
export class MonitoringStack extends Stack {
  readonly #resources: StageResources
  readonly #apis: StageApis

  constructor(
    scope: Construct,
    id: string,
    { resources, apis, auditExportBucket, ...props }: MonitoringStackProps,
  ) {
    super(scope, id, props)
    this.#resources = resources
    this.#apis = apis
    this.#watchArea("api", "Callers get answers with a 5xx", (area) => this.#watchApi(area))
    this.#watchArea("queues", "Messages wait or are lost", (area) => this.#watchQueues(area))
    this.#watchArea("storage", "Tables or the stage's key cannot be used", (area) => this.#watchStorage(area))
    watchChanges(this, resources, auditExportBucket)
    drawDashboard(this, id, resources, apis)
  }

  #watchArea(name: string, description: string, watch: (area: Construct) => void): void {
    const area = new Construct(this, name)
    watch(area)
    const { stage, alarmTopic } = this.#resources
    notifyOfAlarms(area, { name: stackName(stage, name), description, topic: alarmTopic })
  }

  #watchApi(area: Construct): void {
    const errors = apiCount(this.#apis, "5xx")
    raiseAlarm(area, "FastBurn", {
      metric: new MathExpression({
        expression: "IF(requests > 0, 100 * errors / requests, 0)",
        label: "5xx (%)",
        period: METRICS_PERIOD,
        usingMetrics: { errors, requests: apiCount(this.#apis, "Count") },
      }),
      description: "Many answers of the API are a 5xx",
      threshold: FAST_BURN.percent,
      budget: FAST_BURN,
    })
    raiseAlarm(area, "SlowBurn", {
      metric: errors.with({ period: SLOW_BURN.period }),
      description: "The API answers with a 5xx now and then",
      budget: SLOW_BURN,
    })
  }

  #watchQueues(area: Construct): void {
    for (const { name } of QUEUES) {
      const queue = find(this.#resources.queues, "queue", name)
      const deadLetters = find(this.#resources.queues, "queue", `${name}-dead-letters`)
      const age = { statistic: Stats.MAXIMUM, period: METRICS_PERIOD }
      raiseAlarm(area, `Age ${name}`, {
        metric: queue.metricApproximateAgeOfOldestMessage(age),
        description: `A message waits in the queue ${name}: its worker is behind or fails`,
        threshold: OLD_MESSAGE.toSeconds(),
      })
      raiseAlarm(area, `DeadLetters ${name}`, {
        metric: deadLetters.metricApproximateNumberOfMessagesVisible(age),
        description: `There are dead letters of the queue ${name}`,
      })
      raiseAlarm(area, `DeadLetterAge ${name}`, {
        metric: deadLetters.metricApproximateAgeOfOldestMessage(age),
        description: `A dead letter of the queue ${name} will be gone in four days`,
        threshold: OLD_DEAD_LETTER.toSeconds(),
      })
    }
  }

  #watchStorage(area: Construct): void {
    for (const [name, table] of this.#resources.tables) {
      raiseAlarm(area, `Throttles ${name}`, {
        metric: tableThrottles(name, table),
        description: `DynamoDB throttles the table ${name}`,
      })
    }
    raiseAlarm(area, "KmsErrors", {
      metric: kmsErrors(this.#resources.stage),
      description: "The stage's key could not be used",
    })
  }
}

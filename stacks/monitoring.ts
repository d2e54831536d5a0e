import { QUEUES } from "@sealway/platform"
import { Duration, Stack, type StackProps } from "aws-cdk-lib"
import { type IMetric, Stats } from "aws-cdk-lib/aws-cloudwatch"
import type { Construct } from "constructs"
import { raiseAlarm } from "./constructs/alarm.ts"
import { kmsErrors } from "./kms-errors.ts"
import { drawDashboard } from "./monitoring-dashboard.ts"
import { apiMetric, METRICS_PERIOD, tableThrottles } from "./service-metrics.ts"
import { find, type StageResources } from "./stage-resources.ts"

/** A message waits this long only when its worker is hours behind: SQS delays it by 15 minutes at most. */
const OLD_MESSAGE = Duration.hours(1)
/** A dead letter is deleted after 14 days. */
const OLD_DEAD_LETTER = Duration.days(10)

export interface MonitoringStackProps extends StackProps {
  readonly resources: StageResources
  readonly apiId: string
}

/**
 * Alarms about the service as a whole, and the dashboard to look at when one goes off. Functions have their own alarms.
 */
export class MonitoringStack extends Stack {
  readonly #resources: StageResources
  readonly #apiId: string

  constructor(scope: Construct, id: string, { resources, apiId, ...props }: MonitoringStackProps) {
    super(scope, id, props)
    this.#resources = resources
    this.#apiId = apiId
    this.#watchApi()
    this.#watchQueues()
    this.#watchTables()
    this.#raise("KmsErrors", kmsErrors(resources.stage), "The stage's key could not be used")
    drawDashboard(this, id, resources, apiId)
  }

  #watchApi(): void {
    this.#raise("ServerErrors", apiMetric(this.#apiId, "5xx", Stats.SUM), "The API answered with a 5xx")
  }

  #watchQueues(): void {
    for (const { name } of QUEUES) {
      const queue = find(this.#resources.queues, "queue", name)
      const deadLetters = find(this.#resources.queues, "queue", `${name}-dead-letters`)
      const age = { statistic: Stats.MAXIMUM, period: METRICS_PERIOD }
      this.#raise(
        `Age ${name}`,
        queue.metricApproximateAgeOfOldestMessage(age),
        `A message waits in the queue ${name}: its worker is behind or fails`,
        OLD_MESSAGE.toSeconds(),
      )
      this.#raise(
        `DeadLetters ${name}`,
        deadLetters.metricApproximateNumberOfMessagesVisible(age),
        `There are dead letters of the queue ${name}`,
      )
      this.#raise(
        `DeadLetterAge ${name}`,
        deadLetters.metricApproximateAgeOfOldestMessage(age),
        `A dead letter of the queue ${name} will be gone in four days`,
        OLD_DEAD_LETTER.toSeconds(),
      )
    }
  }

  #watchTables(): void {
    for (const [name, table] of this.#resources.tables) {
      this.#raise(`Throttles ${name}`, tableThrottles(name, table), `DynamoDB throttles the table ${name}`)
    }
  }

  #raise(id: string, metric: IMetric, description: string, threshold = 1): void {
    raiseAlarm(this, id, { metric, description, threshold, topic: this.#resources.alarmTopic })
  }
}

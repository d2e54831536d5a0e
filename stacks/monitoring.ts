import { QUEUES } from "@sealway/platform"
import { Duration, Stack, type StackProps } from "aws-cdk-lib"
import {
  Dashboard,
  GraphWidget,
  type IMetric,
  MathExpression,
  Metric,
  Stats,
} from "aws-cdk-lib/aws-cloudwatch"
import type { Construct } from "constructs"
import { raiseAlarm } from "./constructs/alarm.ts"
import { kmsErrors } from "./kms-errors.ts"
import { find, type StageResources } from "./stage-resources.ts"

/** A message waits this long only when its worker is hours behind: SQS delays it by 15 minutes at most. */
const OLD_MESSAGE = Duration.hours(1)
/** A dead letter is deleted after 14 days. */
const OLD_DEAD_LETTER = Duration.days(10)
const PERIOD = Duration.minutes(5)

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
    this.#draw(id)
  }

  #watchApi(): void {
    this.#raise("ServerErrors", this.#ofApi("5xx", Stats.SUM), "The API answered with a 5xx")
  }

  #watchQueues(): void {
    for (const { name } of QUEUES) {
      const queue = find(this.#resources.queues, "queue", name)
      const deadLetters = find(this.#resources.queues, "queue", `${name}-dead-letters`)
      const age = { statistic: Stats.MAXIMUM, period: PERIOD }
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
    for (const [name] of this.#resources.tables) {
      this.#raise(`Throttles ${name}`, this.#tableThrottles(name), `DynamoDB throttles the table ${name}`)
    }
  }

  #draw(name: string): void {
    const { tables, queues, stage } = this.#resources
    const graph = (title: string, left: IMetric[]) => new GraphWidget({ title, left, width: 12 })
    const deadLetters = QUEUES.map((queue) =>
      find(queues, "queue", `${queue.name}-dead-letters`).metricApproximateNumberOfMessagesVisible({
        label: queue.name,
      }),
    )
    new Dashboard(this, "Dashboard", {
      dashboardName: name,
      widgets: [
        [
          graph(
            "Requests",
            ["Count", "4xx", "5xx"].map((metric) => this.#ofApi(metric, Stats.SUM)),
          ),
          graph("Latency (ms)", [this.#ofApi("Latency", Stats.p(50)), this.#ofApi("Latency", Stats.p(99))]),
        ],
        [
          graph("Dead letters", deadLetters),
          graph("Oldest event (s)", [
            find(queues, "queue", "events").metricApproximateAgeOfOldestMessage({ label: "events" }),
          ]),
        ],
        [
          graph(
            "Table throttles",
            [...tables.keys()].map((table) => this.#tableThrottles(table)),
          ),
          graph("KMS errors", [kmsErrors(stage)]),
        ],
      ],
    })
  }

  #raise(id: string, metric: IMetric, description: string, threshold = 1): void {
    raiseAlarm(this, id, { metric, description, threshold, topic: this.#resources.alarmTopic })
  }

  #ofApi(metricName: string, statistic: string): Metric {
    return new Metric({
      namespace: "AWS/ApiGateway",
      metricName,
      dimensionsMap: { ApiId: this.#apiId },
      statistic,
      period: PERIOD,
    })
  }

  #tableThrottles(name: string): MathExpression {
    const table = find(this.#resources.tables, "table", name)
    const events = (metricName: string) => table.metric(metricName, { statistic: Stats.SUM, period: PERIOD })
    return new MathExpression({
      expression: `${name}Reads + ${name}Writes`,
      label: name,
      period: PERIOD,
      usingMetrics: {
        [`${name}Reads`]: events("ReadThrottleEvents"),
        [`${name}Writes`]: events("WriteThrottleEvents"),
      },
    })
  }
}

import type { Duration } from "aws-cdk-lib"
import {
  Alarm,
  AlarmRule,
  ComparisonOperator,
  CompositeAlarm,
  type IMetric,
  TreatMissingData,
} from "aws-cdk-lib/aws-cloudwatch"
import { SnsAction } from "aws-cdk-lib/aws-cloudwatch-actions"
import type { ITopic } from "aws-cdk-lib/aws-sns"
import type { Construct } from "constructs"

/** How often something may happen before it is an alarm. */
export interface ErrorBudget {
  readonly period: Duration
  /** How many of the last `periods` must reach the threshold. */
  readonly reached: number
  readonly periods: number
}

export interface RaiseAlarmOptions {
  readonly metric: IMetric
  /** What has happened, for whoever gets it. */
  readonly description: string
  /** The lowest value that counts. Default: 1. */
  readonly threshold?: number
  /** Default: one period. The period itself is the metric's. */
  readonly budget?: Pick<ErrorBudget, "reached" | "periods">
}

/** Creates an alarm about a metric. It notifies nobody by itself, see `notifyOfAlarms`. */
export function raiseAlarm(
  scope: Construct,
  id: string,
  { metric, description, threshold = 1, budget = { reached: 1, periods: 1 } }: RaiseAlarmOptions,
): Alarm {
  return new Alarm(scope, id, {
    metric,
    alarmDescription: description,
    comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
    threshold,
    datapointsToAlarm: budget.reached,
    evaluationPeriods: budget.periods,
    treatMissingData: TreatMissingData.NOT_BREACHING,
  })
}

export interface NotifyOptions {
  /** Of the alarm that notifies: `sealway-dev-webhooks`. */
  readonly name: string
  /** What the alarms are about. */
  readonly description: string
  readonly topic: ITopic
}

/**
 * Creates one alarm for an area: it is on while any alarm below the scope is, and notifies the topic when it goes on and when
 * it is over. Call it after the last alarm of the scope.
 */
export function notifyOfAlarms(scope: Construct, { name, description, topic }: NotifyOptions): void {
  const alarms = scope.node.findAll().filter((each) => each instanceof Alarm)
  const composite = new CompositeAlarm(scope, "Area", {
    compositeAlarmName: name,
    alarmDescription: description,
    alarmRule: AlarmRule.anyOf(...alarms),
  })
  composite.addAlarmAction(new SnsAction(topic))
  composite.addOkAction(new SnsAction(topic))
}

import { Alarm, ComparisonOperator, type IMetric, TreatMissingData } from "aws-cdk-lib/aws-cloudwatch"
import { SnsAction } from "aws-cdk-lib/aws-cloudwatch-actions"
import type { ITopic } from "aws-cdk-lib/aws-sns"
import type { Construct } from "constructs"

export interface RaiseAlarmOptions {
  readonly metric: IMetric
  /** What has happened, for whoever gets it. */
  readonly description: string
  /** The lowest value that is an alarm. Default: 1. */
  readonly threshold?: number
  readonly topic: ITopic
}

/** Creates an alarm that notifies the topic as soon as a metric reaches a value in one of its periods. */
export function raiseAlarm(
  scope: Construct,
  id: string,
  { metric, description, threshold = 1, topic }: RaiseAlarmOptions,
): Alarm {
  const alarm = new Alarm(scope, id, {
    metric,
    alarmDescription: description,
    comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
    threshold,
    evaluationPeriods: 1,
    treatMissingData: TreatMissingData.NOT_BREACHING,
  })
  alarm.addAlarmAction(new SnsAction(topic))
  return alarm
}

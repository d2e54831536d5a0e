import { Duration } from "aws-cdk-lib"
import { Metric, Stats } from "aws-cdk-lib/aws-cloudwatch"
import { FilterPattern, type ILogGroup, MetricFilter } from "aws-cdk-lib/aws-logs"
import type { Construct } from "constructs"
import type { StageConfig } from "./config.ts"

const METRIC_NAME = "KmsErrors"
const namespaceOf = ({ stage }: StageConfig) => `Sealway/${stage}`

/**
 * Names of what KMS answers when a key cannot be used, as the log tells them (`error.name`). DynamoDB has some of them
 * too; a function that is refused by that is no less of an alarm.
 */
const KMS_ERROR_NAMES = [
  "KMS*",
  "AccessDeniedException",
  "DependencyTimeoutException",
  "DisabledException",
  "IncorrectKeyException",
  "InvalidCiphertextException",
  "InvalidKeyUsageException",
  "KeyUnavailableException",
  "NotFoundException",
  "ThrottlingException",
]

/** Counts, in a function's log, the errors of KMS. KMS itself has no metric of them. */
export function countKmsErrors(scope: Construct, logGroup: ILogGroup, stage: StageConfig): void {
  new MetricFilter(scope, METRIC_NAME, {
    logGroup,
    filterPattern: FilterPattern.any(
      ...KMS_ERROR_NAMES.map((name) => FilterPattern.stringValue("$.error.name", "=", name)),
    ),
    metricNamespace: namespaceOf(stage),
    metricName: METRIC_NAME,
  })
}

/** What `countKmsErrors` counts, of all functions of a stage. */
export function kmsErrors(stage: StageConfig): Metric {
  return new Metric({
    namespace: namespaceOf(stage),
    metricName: METRIC_NAME,
    statistic: Stats.SUM,
    period: Duration.minutes(5),
  })
}

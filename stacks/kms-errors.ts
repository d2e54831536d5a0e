import { metricsNamespace } from "@sealway/records"
import { Duration } from "aws-cdk-lib"
import { Metric, Stats } from "aws-cdk-lib/aws-cloudwatch"
import { FilterPattern, type ILogGroup, MetricFilter } from "aws-cdk-lib/aws-logs"
import type { Construct } from "constructs"
import type { StageConfig } from "./config.ts"

const METRIC_NAME = "KmsErrors"

/**
 * Names of KMS's errors when a key cannot be used, as in the log (`error.name`). DynamoDB has some of them too; they
 * deserve an alarm just as much.
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

/** Counts the errors of KMS in a function's log. KMS itself has no metric of them. */
export function countKmsErrors(scope: Construct, logGroup: ILogGroup, stage: StageConfig): void {
  new MetricFilter(scope, METRIC_NAME, {
    logGroup,
    filterPattern: FilterPattern.any(
      ...KMS_ERROR_NAMES.map((name) => FilterPattern.stringValue("$.error.name", "=", name)),
    ),
    metricNamespace: metricsNamespace(stage.stage),
    metricName: METRIC_NAME,
  })
}

/** Returns the sum of what `countKmsErrors` counts, for all functions of a stage. */
export function kmsErrors(stage: StageConfig): Metric {
  return new Metric({
    namespace: metricsNamespace(stage.stage),
    metricName: METRIC_NAME,
    statistic: Stats.SUM,
    period: Duration.minutes(5),
  })
}

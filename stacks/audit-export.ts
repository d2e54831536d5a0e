import type { Grant } from "@sealway/ports"
import { CfnOutput, Duration, RemovalPolicy, Stack, type StackProps, Tags } from "aws-cdk-lib"
import { Metric, Stats } from "aws-cdk-lib/aws-cloudwatch"
import { AnyPrincipal, Effect, PolicyStatement } from "aws-cdk-lib/aws-iam"
import { CfnEventSourceMapping } from "aws-cdk-lib/aws-lambda"
import {
  BlockPublicAccess,
  Bucket,
  BucketEncryption,
  ObjectLockRetention,
  ObjectOwnership,
} from "aws-cdk-lib/aws-s3"
import { Queue, QueueEncryption } from "aws-cdk-lib/aws-sqs"
import type { Construct } from "constructs"
import type { StageAuditExport } from "./config.ts"
import { notifyOfAlarms, raiseAlarm } from "./constructs/alarm.ts"
import { ServiceFunction } from "./constructs/service-function.ts"
import { exportForGood } from "./exports.ts"
import { functionEnvironment } from "./function-environment.ts"
import { AUDIT_EXPORT_TAG, AUDIT_EXPORTER, roleName } from "./names.ts"
import { METRICS_PERIOD } from "./service-metrics.ts"
import { find, type StageResources } from "./stage-resources.ts"

/** Permissions to copy the audit log, besides those on its stream and on the bucket: it reads the table. */
export const AUDIT_EXPORTER_GRANTS: readonly Grant[] = ["dynamodb:Query/audit"]

/** The maximum of Lambda: the first export of a stage may have a long log before it. */
const TIMEOUT = Duration.minutes(15)
/** Lambda calls again. */
const ERROR_BUDGET = { period: Duration.minutes(15), reached: 2, periods: 3 }
/** A batch has as many teams at most, whose logs are exported at the same time. */
const BATCH = 50
/** Then Lambda gives up, and the next record of the team makes good for it. The stream keeps its records for 24 hours. */
const MAX_EVENT_AGE = Duration.hours(6)
const LATE = Duration.hours(1)
const MESSAGE_RETENTION = Duration.days(14)

export interface AuditExportStackProps extends StackProps {
  readonly auditExport: StageAuditExport
  readonly resources: StageResources
  readonly auditStreamArn: string
}

/**
 * Copies each record of the audit log to a bucket with Object Lock, moments after it was written. The bucket stays when the
 * stack goes: nobody can empty it.
 */
export class AuditExportStack extends Stack {
  readonly bucketName: string

  constructor(scope: Construct, id: string, props: AuditExportStackProps) {
    const { auditExport, resources, auditStreamArn, ...others } = props
    super(scope, id, others)
    const bucket = this.#createBucket(auditExport, resources)
    this.bucketName = bucket.bucketName
    exportForGood(this, bucket.bucketName)
    const deadLetters = new Queue(this, "DeadLetters", {
      encryption: QueueEncryption.KMS,
      encryptionMasterKey: resources.storageKey,
      enforceSSL: true,
      retentionPeriod: MESSAGE_RETENTION,
    })
    const { function: exporter } = new ServiceFunction(this, "Exporter", {
      resources,
      functionName: AUDIT_EXPORTER,
      description: "Copy the audit log to a bucket where nobody can change it",
      grants: AUDIT_EXPORTER_GRANTS,
      statements: this.#statements(bucket, deadLetters, auditStreamArn, resources),
      environment: {
        ...functionEnvironment(AUDIT_EXPORTER_GRANTS, resources),
        SEALWAY_AUDIT_EXPORT_BUCKET: bucket.bucketName,
      },
      timeout: TIMEOUT,
      errorBudget: ERROR_BUDGET,
    })
    new CfnEventSourceMapping(this, "Changes", {
      functionName: exporter.functionArn,
      eventSourceArn: auditStreamArn,
      startingPosition: "TRIM_HORIZON",
      batchSize: BATCH,
      // One call at a time for each shard, in which all records of a team are: blocks must follow each other.
      parallelizationFactor: 1,
      maximumRetryAttempts: -1,
      maximumRecordAgeInSeconds: MAX_EVENT_AGE.toSeconds(),
      // Of the teams of a batch, those that can be exported do not wait for the one that cannot.
      bisectBatchOnFunctionError: true,
      destinationConfig: { onFailure: { destination: deadLetters.queueArn } },
    })
    const period = { period: METRICS_PERIOD, statistic: Stats.MAXIMUM }
    raiseAlarm(this, "DeadLettersAlarm", {
      metric: deadLetters.metricApproximateNumberOfMessagesVisible(period),
      description: "Audit records could not be exported for six hours",
    })
    raiseAlarm(this, "LateAlarm", {
      metric: new Metric({
        namespace: "AWS/Lambda",
        metricName: "IteratorAge",
        dimensionsMap: { FunctionName: exporter.functionName },
        ...period,
      }),
      description: "Audit records wait for their export",
      threshold: LATE.toMilliseconds(),
    })
    notifyOfAlarms(this, {
      name: this.stackName,
      description: "The audit log is not exported",
      topic: resources.alarmTopic,
    })
    const tell = (name: string, value: string, description: string) =>
      new CfnOutput(this, name, { value, description })
    tell("AuditExportBucket", bucket.bucketName, "Name of the bucket that the audit log is exported to")
    tell("AuditExporter", exporter.functionName, "Name of the function that exports the audit log")
  }

  #createBucket({ mode, retentionDays }: StageAuditExport, { stage, storageKey }: StageResources): Bucket {
    const days = Duration.days(retentionDays)
    const bucket = new Bucket(this, "Records", {
      encryption: BucketEncryption.KMS,
      encryptionKey: storageKey,
      bucketKeyEnabled: true,
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      objectOwnership: ObjectOwnership.BUCKET_OWNER_ENFORCED,
      enforceSSL: true,
      minimumTLSVersion: 1.2,
      versioned: true,
      objectLockEnabled: true,
      // Of the bucket, and not of each object: so the exporter cannot choose a shorter one.
      objectLockDefaultRetention:
        mode === "COMPLIANCE" ? ObjectLockRetention.compliance(days) : ObjectLockRetention.governance(days),
      removalPolicy: RemovalPolicy.RETAIN,
    })
    Tags.of(bucket).add(AUDIT_EXPORT_TAG, "true")
    const resourceName = roleName(stage, AUDIT_EXPORTER)
    const exporter = this.formatArn({ service: "iam", region: "", resource: "role", resourceName })
    const deny = (sid: string, actions: readonly string[], conditions: Record<string, object> = {}) =>
      bucket.addToResourcePolicy(
        new PolicyStatement({
          sid,
          effect: Effect.DENY,
          principals: [new AnyPrincipal()],
          actions: [...actions],
          resources: [bucket.arnForObjects("*")],
          conditions,
        }),
      )
    deny("OnlyTheExporterAddsRecords", ["s3:PutObject"], { ArnNotEquals: { "aws:PrincipalArn": exporter } })
    deny("NobodyAddsVersions", ["s3:PutObject"], { Null: { "s3:if-none-match": "true" } })
    deny("NobodyDeletesOrUnlocks", [
      "s3:BypassGovernanceRetention",
      "s3:DeleteObject",
      "s3:DeleteObjectVersion",
      "s3:PutObjectLegalHold",
      "s3:PutObjectRetention",
    ])
    return bucket
  }

  #statements(
    bucket: Bucket,
    deadLetters: Queue,
    auditStreamArn: string,
    { storageKey, tables }: StageResources,
  ): PolicyStatement[] {
    const allow = (actions: readonly string[], resource: string, conditions: Record<string, object> = {}) =>
      new PolicyStatement({ actions: [...actions], resources: [resource], conditions })
    const via = ["s3", "sqs"].map((service) => `${service}.${this.region}.amazonaws.com`)
    return [
      // What Lambda does in the function's name.
      allow(["dynamodb:DescribeStream", "dynamodb:GetRecords", "dynamodb:GetShardIterator"], auditStreamArn),
      allow(["dynamodb:ListStreams"], `${find(tables, "table", "audit").tableArn}/stream/*`),
      allow(["sqs:SendMessage"], deadLetters.queueArn),
      allow(["s3:PutObject"], bucket.arnForObjects("*")),
      allow(["s3:ListBucket"], bucket.bucketArn),
      allow(["kms:Decrypt", "kms:GenerateDataKey"], storageKey.keyArn, {
        StringEquals: { "kms:ViaService": via },
      }),
    ]
  }
}

import { type Grant, LOG_OWNER_TAG, OPENING_GRANTS, STAGE_TAG, TEAM_AUDIT_GRANTS } from "@sealway/ports"
import { Duration, Stack, type StackProps, Tags } from "aws-cdk-lib"
import { ManagedPolicy, PolicyStatement, Role, ServicePrincipal } from "aws-cdk-lib/aws-iam"
import { BlockPublicAccess, Bucket, BucketEncryption, ObjectOwnership } from "aws-cdk-lib/aws-s3"
import type { Construct } from "constructs"
import { type AccessLogSource, accessLogOf } from "./access-log-source.ts"
import type { StageConfig } from "./config.ts"
import { notifyOfAlarms } from "./constructs/alarm.ts"
import { QueueWorker } from "./constructs/queue-worker.ts"
import { Sweeper } from "./constructs/sweeper.ts"
import { exportForGood } from "./exports.ts"
import { functionEnvironment, hostingEnvironment } from "./function-environment.ts"
import { functionLogArns, hostedFunctionArns, writeOwnLogs } from "./hosted-functions.ts"
import { FUNCTION_RUN_WORKER, FUNCTION_SWEEPER, functionPrefix } from "./names.ts"
import { removalPolicyOf } from "./removal.ts"
import { taggedAs } from "./run-time-tags.ts"
import type { BaseResources, FunctionHosting, StageResources } from "./stage-resources.ts"

/**
 * Permissions to run what is scheduled, and to deploy and delete programs: it follows the records of functions and
 * runs, opens payloads as far as policies permit, spends budgets, records refusals, and publishes the results.
 */
export const FUNCTION_RUN_WORKER_GRANTS: readonly Grant[] = [
  "dynamodb:PutItem/config",
  "dynamodb:DeleteItem/config",
  "dynamodb:GetItem/runs",
  "dynamodb:PutItem/runs",
  "dynamodb:UpdateItem/runs",
  "dynamodb:DeleteItem/runs",
  "dynamodb:Query/config",
  "dynamodb:PutItem/events",
  "dynamodb:UpdateItem/events",
  ...TEAM_AUDIT_GRANTS,
  "sqs:SendMessage/function-runs",
  "sqs:SendMessage/function-runs-dead-letters",
  "sqs:SendMessage/events",
  ...OPENING_GRANTS,
  "lambda:InvokeFunction",
  "s3:DeleteObject",
]

/** Permissions to look for accepted work that was lost: it reads what is pending, and requests it again. */
export const FUNCTION_SWEEPER_GRANTS: readonly Grant[] = [
  "dynamodb:GetItem/runs",
  "dynamodb:Query/runs",
  "sqs:SendMessage/function-runs",
]

/** A worker waits for one function at a time: another message of a batch would wait for the slower of the two. */
const RUN_BATCH = 1
/** It mostly waits. */
const WORKER_MEMORY_MB = 512
/** Code that was deleted by mistake can be restored for so long. */
const REMOVED_CODE_RETENTION = Duration.days(30)
const UPLOAD_LIMIT = Duration.days(1)

export interface FunctionsStackProps extends StackProps {
  readonly resources: BaseResources
}

/**
 * Where customers' functions are deployed, and the functions that run them in the background.
 *
 * The Lambda functions that run customers' code are created by the worker and are in no stack: CloudFormation deletes
 * neither them nor their logs, nor a bucket that is not empty. `npm run empty-stage` does, before a stage is deleted. A
 * protected stage keeps its bucket.
 */
export class FunctionsStack extends Stack {
  readonly hosting: FunctionHosting
  readonly accessLog: AccessLogSource

  constructor(scope: Construct, id: string, { resources: base, ...props }: FunctionsStackProps) {
    super(scope, id, props)
    const prefix = functionPrefix(base.stage)
    this.hosting = { prefix, role: this.#createRole(prefix), codeBucket: this.#createBucket(base) }
    const { role, codeBucket } = this.hosting
    exportForGood(this, role.roleArn, codeBucket.bucketArn, codeBucket.bucketName)

    const resources: StageResources = {
      ...base,
      functionHosting: this.hosting,
      dashboard: null,
      relayEdge: null,
    }
    const { logGroup } = new QueueWorker(this, "RunWorker", {
      resources,
      functionName: FUNCTION_RUN_WORKER,
      description: "Run scheduled functions, and deploy them",
      grants: FUNCTION_RUN_WORKER_GRANTS,
      statements: [...this.#deploy(base.stage), ...readCode(codeBucket)],
      environment: {
        ...functionEnvironment(FUNCTION_RUN_WORKER_GRANTS, resources),
        ...hostingEnvironment(resources),
      },
      memoryMb: WORKER_MEMORY_MB,
      queue: "function-runs",
      batchSize: RUN_BATCH,
      maximumConcurrency: base.stage.functionRunConcurrency,
    })
    this.accessLog = accessLogOf(this, FUNCTION_RUN_WORKER, logGroup)
    new Sweeper(this, "Sweeper", {
      resources,
      functionName: FUNCTION_SWEEPER,
      description: "Queue again runs and deployments that were accepted and got lost",
      grants: FUNCTION_SWEEPER_GRANTS,
    })
    notifyOfAlarms(this, {
      name: this.stackName,
      description: "Customers' functions are not deployed, or do not run in the background",
      topic: base.alarmTopic,
    })
  }

  /** Creates the role of customers' code. The code has these credentials, so they only permit its own logs. */
  #createRole(prefix: string): Role {
    const role = new Role(this, "FunctionRole", {
      description: "Role of customers' functions",
      assumedBy: new ServicePrincipal("lambda.amazonaws.com", {
        conditions: { StringEquals: { "aws:SourceAccount": this.account } },
      }),
    })
    new ManagedPolicy(this, "FunctionPolicy", {
      description: "What customers' functions may do",
      roles: [role],
      statements: [writeOwnLogs(this, prefix)],
    })
    return role
  }

  #createBucket({ stage, storageKey }: BaseResources): Bucket {
    const bucket = new Bucket(this, "Code", {
      encryption: BucketEncryption.KMS,
      encryptionKey: storageKey,
      bucketKeyEnabled: true,
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      objectOwnership: ObjectOwnership.BUCKET_OWNER_ENFORCED,
      enforceSSL: true,
      minimumTLSVersion: 1.2,
      versioned: true,
      lifecycleRules: [
        {
          noncurrentVersionExpiration: REMOVED_CODE_RETENTION,
          expiredObjectDeleteMarker: true,
          abortIncompleteMultipartUploadAfter: UPLOAD_LIMIT,
        },
      ],
      removalPolicy: removalPolicyOf(stage),
    })
    // A tag of its own, besides what CloudFormation makes of the stack's: the bucket is found by it and emptied.
    Tags.of(bucket).add(STAGE_TAG, stage.stage)
    return bucket
  }

  #deploy(stage: StageConfig): PolicyStatement[] {
    const { prefix, role } = this.hosting
    const [functions, logs] = [hostedFunctionArns(this, prefix), functionLogArns(this, prefix)]
    return [
      // TagResource: both are created with their tags.
      new PolicyStatement({
        actions: ["lambda:CreateFunction", "lambda:TagResource"],
        resources: [functions],
        conditions: taggedAs(stage),
      }),
      new PolicyStatement({
        actions: ["lambda:GetFunctionConfiguration", "lambda:DeleteFunction"],
        resources: [functions],
      }),
      new PolicyStatement({
        actions: ["logs:CreateLogGroup", "logs:TagResource"],
        resources: [logs],
        conditions: taggedAs(stage, LOG_OWNER_TAG),
      }),
      new PolicyStatement({ actions: ["logs:PutRetentionPolicy", "logs:DeleteLogGroup"], resources: [logs] }),
      new PolicyStatement({
        actions: ["iam:PassRole"],
        resources: [role.roleArn],
        conditions: { StringEquals: { "iam:PassedToService": "lambda.amazonaws.com" } },
      }),
    ]
  }
}

function readCode(bucket: Bucket): PolicyStatement[] {
  return [
    new PolicyStatement({ actions: ["s3:GetObject"], resources: [bucket.arnForObjects("*")] }),
    // Without it S3 does not distinguish missing code from code that may not be read.
    new PolicyStatement({ actions: ["s3:ListBucket"], resources: [bucket.bucketArn] }),
  ]
}

import { AUDIT_TABLE, QUEUES, STAGE_TAG, TABLES, type TableDefinition } from "@sealway/ports"
import { CfnOutput, Duration, Stack, type StackProps, Tags } from "aws-cdk-lib"
import {
  AttributeType,
  BillingMode,
  StreamViewType,
  Table,
  TableEncryption,
  type TableProps,
} from "aws-cdk-lib/aws-dynamodb"
import { AnyPrincipal, Effect, PolicyDocument, PolicyStatement } from "aws-cdk-lib/aws-iam"
import type { IKey } from "aws-cdk-lib/aws-kms"
import { BlockPublicAccess, Bucket, BucketEncryption, HttpMethods, ObjectOwnership } from "aws-cdk-lib/aws-s3"
import { type IQueue, Queue, QueueEncryption, type QueueProps } from "aws-cdk-lib/aws-sqs"
import { Construct } from "constructs"
import type { StageConfig } from "./config.ts"
import { exportForGood } from "./exports.ts"
import { AUDIT_WRITER, roleName } from "./names.ts"
import { removalPolicyOf } from "./removal.ts"
import type { StageTable } from "./stage-resources.ts"

/** A day after uploads end. */
const UPLOAD_LIMIT = Duration.days(8)

/** A file that was deleted or overwritten by mistake can be restored for so long. */
const REMOVED_FILE_RETENTION = Duration.days(30)

/** The maximum of SQS. */
const MESSAGE_RETENTION = Duration.days(14)

/**
 * SQS uses one data key for so long before it asks KMS for the next. Five minutes, its default, cost twelve times as
 * much.
 */
const DATA_KEY_REUSE = Duration.hours(1)

export interface DataStackProps extends StackProps {
  readonly stage: StageConfig
  /** The key that encrypts tables, queues and files. */
  readonly storageKey: IKey
}

/** The tables and queues of a stage, and the bucket of sealed files. */
export class DataStack extends Stack {
  /** Those in use, by name, as grants name them. */
  readonly tables: ReadonlyMap<string, StageTable>
  /** By name, dead-letter queues included. */
  readonly queues: ReadonlyMap<string, IQueue>
  readonly fileBucket: Bucket
  /** Tells of new items of the audit log's own table, by their keys. */
  readonly auditStreamArn: string

  constructor(scope: Construct, id: string, { stage, storageKey, ...props }: DataStackProps) {
    super(scope, id, props)
    const tables = new Map<string, StageTable>()
    const tablesScope = new Construct(this, "Tables")
    const streams: string[] = []
    for (const definition of TABLES) {
      const { name } = definition
      const more = name === AUDIT_TABLE.name ? auditLogProps(this, stage) : {}
      const own = createTable(tablesScope, definition, stage, storageKey, more)
      exportForGood(this, own.tableArn, own.tableName)
      if (own.tableStreamArn !== undefined) streams.push(own.tableStreamArn)
      const restored = stage.restoredTables[name]
      tables.set(name, restored === undefined ? own : Table.fromTableName(this, `Restored ${name}`, restored))
    }
    const queues = new Map<string, IQueue>()
    const queuesScope = new Construct(this, "Queues")
    for (const { name, visibilityTimeoutSeconds, maxReceiveCount } of QUEUES) {
      const shared: QueueProps = {
        encryption: QueueEncryption.KMS,
        encryptionMasterKey: storageKey,
        dataKeyReuse: DATA_KEY_REUSE,
        enforceSSL: true,
        retentionPeriod: MESSAGE_RETENTION,
        visibilityTimeout: Duration.seconds(visibilityTimeoutSeconds),
        removalPolicy: removalPolicyOf(stage),
      }
      const deadLetters = new Queue(queuesScope, `${name}-dead-letters`, shared)
      queues.set(`${name}-dead-letters`, deadLetters)
      queues.set(
        name,
        new Queue(queuesScope, name, { ...shared, deadLetterQueue: { queue: deadLetters, maxReceiveCount } }),
      )
    }
    const [auditStreamArn] = streams
    if (auditStreamArn === undefined) throw new Error("The table of the audit log has no stream")
    this.auditStreamArn = auditStreamArn
    exportForGood(this, auditStreamArn)
    this.tables = tables
    this.queues = queues
    this.fileBucket = createFileBucket(this, stage, storageKey)
    exportForGood(this, this.fileBucket.bucketArn, this.fileBucket.bucketName)
    for (const { queueArn, queueName, queueUrl } of queues.values()) {
      exportForGood(this, queueArn, queueName, queueUrl)
    }
    this.#tell()
  }

  #tell(): void {
    const tell = (name: string, value: string | undefined, description: string) => {
      if (value !== undefined) new CfnOutput(this, name, { value, description })
    }
    tell("ConfigTable", this.tables.get("config")?.tableName, "Name of the table of the configuration")
    tell("KeysTable", this.tables.get("keys")?.tableName, "Name of the table of keys")
    tell("AuditTable", this.tables.get("audit")?.tableName, "Name of the table of the audit log")
    tell("EventsTable", this.tables.get("events")?.tableName, "Name of the table of events")
    tell("EventsQueueUrl", this.queues.get("events")?.queueUrl, "URL of the queue of events")
    tell(
      "EventsDeadLettersQueueUrl",
      this.queues.get("events-dead-letters")?.queueUrl,
      "URL of the dead-letter queue of events",
    )
  }
}

function createTable(
  scope: Construct,
  { name, partitionKey, sortKey, timeToLiveAttribute }: TableDefinition,
  stage: StageConfig,
  encryptionKey: IKey,
  more: Pick<TableProps, "resourcePolicy" | "stream">,
): Table {
  return new Table(scope, name, {
    partitionKey: { name: partitionKey, type: AttributeType.STRING },
    sortKey: { name: sortKey, type: AttributeType.STRING },
    billingMode: BillingMode.PAY_PER_REQUEST,
    encryption: TableEncryption.CUSTOMER_MANAGED,
    encryptionKey,
    pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
    deletionProtection: stage.isProtected,
    removalPolicy: removalPolicyOf(stage),
    ...(timeToLiveAttribute !== null && { timeToLiveAttribute }),
    ...more,
  })
}

/**
 * Returns what only the table of the audit log has. Its stream is there in every stage, and costs nothing unread: so a stage
 * can begin and end its export by a setting, without an export of a stack that comes and goes.
 */
function auditLogProps(stack: Stack, stage: StageConfig): Pick<TableProps, "resourcePolicy" | "stream"> {
  return { resourcePolicy: keepAuditLog(stack, stage), stream: StreamViewType.KEYS_ONLY }
}

/** What adds an item, also within a transaction: the only way in which the log's writer does. */
const ADDING = ["dynamodb:PutItem"]
/** What changes or deletes one, and what else writes any. */
const OTHER_WRITING = [
  "dynamodb:UpdateItem",
  "dynamodb:DeleteItem",
  // With this permission alone, a batch deletes too.
  "dynamodb:BatchWriteItem",
  "dynamodb:PartiQLInsert",
  "dynamodb:PartiQLUpdate",
  "dynamodb:PartiQLDelete",
]

/**
 * Denies everybody changes and deletions of audit records, and everybody but its writer adding some: whatever their own
 * policies permit, those of operators too. Who may change this policy, which is watched, can still undo that.
 */
function keepAuditLog(stack: Stack, stage: StageConfig): PolicyDocument {
  const deny = (sid: string, actions: readonly string[], conditions: Record<string, object> = {}) =>
    new PolicyStatement({
      sid,
      effect: Effect.DENY,
      principals: [new AnyPrincipal()],
      actions: [...actions],
      // The table itself, which has no name yet.
      resources: ["*"],
      conditions,
    })
  const resourceName = roleName(stage, AUDIT_WRITER)
  const writer = stack.formatArn({ service: "iam", region: "", resource: "role", resourceName })
  return new PolicyDocument({
    statements: [
      deny("NobodyChangesRecords", OTHER_WRITING),
      deny("OnlyItsWriterAddsRecords", ADDING, { ArnNotEquals: { "aws:PrincipalArn": writer } }),
    ],
  })
}

/**
 * Creates the bucket of sealed files. What is deleted stays as an older version for a while, which no function can read or
 * delete. Any page may send parts to it and read from it, since only presigned URLs permit that.
 */
function createFileBucket(scope: Construct, stage: StageConfig, storageKey: IKey): Bucket {
  const bucket = new Bucket(scope, "Files", {
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
        noncurrentVersionExpiration: REMOVED_FILE_RETENTION,
        expiredObjectDeleteMarker: true,
        abortIncompleteMultipartUploadAfter: UPLOAD_LIMIT,
      },
    ],
    cors: [
      {
        allowedOrigins: ["*"],
        allowedMethods: [HttpMethods.GET, HttpMethods.HEAD, HttpMethods.PUT],
        allowedHeaders: ["content-type", "range"],
        exposedHeaders: ["content-range", "etag"],
        maxAge: 600,
      },
    ],
    removalPolicy: removalPolicyOf(stage),
  })
  // A tag of its own, besides what CloudFormation makes of the stack's: the bucket is found by it and emptied.
  Tags.of(bucket).add(STAGE_TAG, stage.stage)
  return bucket
}

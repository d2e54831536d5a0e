import { beforeAll, describe, expect, test } from "vitest"
import { AUDIT_EXPORTER_GRANTS } from "../../../stacks/audit-export.ts"
import { permissionsOf, statementsOf } from "../iam-policy.ts"
import {
  configuredStage,
  type StageResource,
  type SynthesizedStage,
  stageLike,
  synthesizedFullStage,
  synthesizeStage,
} from "../synthesize-stage.ts"

const BUCKET = "audit-export/Records"
const STREAM = "data/Tablesaudit.StreamArn"

let stage: SynthesizedStage
beforeAll(() => {
  stage = synthesizedFullStage()
})

function resource(id: string, from = stage): StageResource {
  const found = from.resources.find((each) => each.id === id)
  if (found === undefined) throw new Error(`There is no ${id}`)
  return found
}

describe("the export of the audit log", () => {
  test("goes to a bucket that locks every object, and stays when its stack goes", () => {
    const bucket = resource(BUCKET)
    expect([bucket.deletionPolicy, bucket.updateReplacePolicy]).toEqual(["Retain", "Retain"])
    expect(bucket.properties).toMatchObject({
      ObjectLockEnabled: true,
      ObjectLockConfiguration: {
        ObjectLockEnabled: "Enabled",
        Rule: { DefaultRetention: { Mode: "COMPLIANCE", Days: 400 } },
      },
      VersioningConfiguration: { Status: "Enabled" },
      BucketEncryption: {
        ServerSideEncryptionConfiguration: [
          {
            ServerSideEncryptionByDefault: { SSEAlgorithm: "aws:kms", KMSMasterKeyID: "keys/StorageKey.Arn" },
          },
        ],
      },
      PublicAccessBlockConfiguration: { BlockPublicPolicy: true, RestrictPublicBuckets: true },
      Tags: expect.arrayContaining([{ Key: "sealway:audit-export", Value: "true" }]),
    })
    expect(bucket.properties).not.toHaveProperty("LifecycleConfiguration")
    const governed = synthesizeStage(
      stageLike("ada", { isProtected: true, auditExport: { mode: "GOVERNANCE", retentionDays: 30 } }),
      { endpoints: [] },
    )
    expect(resource(BUCKET, governed).properties.ObjectLockConfiguration).toMatchObject({
      Rule: { DefaultRetention: { Mode: "GOVERNANCE", Days: 30 } },
    })
  })

  test("takes objects with TLS from its function only, never twice, and lets nobody delete or unlock one", () => {
    const statements = statementsOf(resource("audit-export/RecordsPolicy"))
    expect(statements.map(({ Effect, Principal }) => [Effect, Principal])).toEqual(
      statements.map(() => ["Deny", { AWS: ["*"] }]),
    )
    const denied = (sid: string) => {
      const { Action, Condition, Resource } = statements.find(({ Sid }) => Sid === sid) ?? {}
      return { Action, Condition, Resource }
    }
    const Resource = [`${BUCKET}.Arn/*`]
    expect(denied("OnlyTheExporterAddsRecords")).toEqual({
      Action: ["s3:PutObject"],
      Condition: {
        ArnNotEquals: {
          "aws:PrincipalArn": ["arn:aws:iam::<AWS::AccountId>:role/sealway-production-audit-exporter"],
        },
      },
      Resource,
    })
    expect(resource("audit-export/ExporterRole").properties.RoleName).toBe(
      "sealway-production-audit-exporter",
    )
    expect(denied("NobodyAddsVersions")).toEqual({
      Action: ["s3:PutObject"],
      Condition: { Null: { "s3:if-none-match": ["true"] } },
      Resource,
    })
    expect(denied("NobodyDeletesOrUnlocks")).toEqual({
      Action: expect.arrayContaining(["s3:BypassGovernanceRetention", "s3:DeleteObjectVersion"]),
      Condition: {},
      Resource,
    })
    const insecure = statements.filter(
      ({ Condition }) => Condition.Bool?.["aws:SecureTransport"] !== undefined,
    )
    expect(insecure.map(({ Action }) => Action)).toEqual([["s3:*"]])
  })

  test("is made by a function that reads the log, adds objects, and may do nothing else", () => {
    const [statement] = AUDIT_EXPORTER_GRANTS
    expect(statement).toBe("dynamodb:Query/audit")
    const allowed = permissionsOf(statementsOf(resource("audit-export/ExporterPolicy")))
    expect(allowed).toEqual(
      [
        "dynamodb:Query on data/Tablesaudit.Arn",
        ...["DescribeStream", "GetRecords", "GetShardIterator"].map(
          (name) => `dynamodb:${name} on ${STREAM}`,
        ),
        "dynamodb:ListStreams on data/Tablesaudit.Arn/stream/*",
        "sqs:SendMessage on audit-export/DeadLetters.Arn",
        `s3:PutObject on ${BUCKET}.Arn/*`,
        `s3:ListBucket on ${BUCKET}.Arn`,
        // Through DynamoDB; through S3 and SQS.
        ...["Decrypt", "DescribeKey"].map((name) => `kms:${name} on keys/StorageKey.Arn`),
        ...["Decrypt", "GenerateDataKey"].map((name) => `kms:${name} on keys/StorageKey.Arn`),
        ...["CreateLogStream", "PutLogEvents"].map((name) => `logs:${name} on audit-export/ExporterLogs.Arn`),
        ...["PutTelemetryRecords", "PutTraceSegments"].map((name) => `xray:${name} on *`),
      ].sort(),
    )
  })

  test("follows the table's stream in order, retries for hours, and then keeps what it gave up and tells", () => {
    expect(resource("audit-export/Changes").properties).toMatchObject({
      EventSourceArn: STREAM,
      FunctionName: "audit-export/ExporterFunction.Arn",
      StartingPosition: "TRIM_HORIZON",
      ParallelizationFactor: 1,
      MaximumRetryAttempts: -1,
      MaximumRecordAgeInSeconds: 21_600,
      BisectBatchOnFunctionError: true,
      DestinationConfig: { OnFailure: { Destination: "audit-export/DeadLetters.Arn" } },
    })
    const alarms = stage.ofType("AWS::CloudWatch::Alarm").filter((each) => each.stack === "audit-export")
    expect(alarms.map(({ properties }) => properties.AlarmDescription).sort()).toEqual([
      "Audit records could not be exported for six hours",
      "Audit records wait for their export",
      "The function audit-exporter failed or was throttled",
    ])
    const [area] = stage
      .ofType("AWS::CloudWatch::CompositeAlarm")
      .filter((each) => each.stack === "audit-export")
    expect(area?.properties.AlarmActions).toEqual(["alarms/Alarms"])
  })

  test("is watched: changes of its bucket are told", () => {
    expect(resource("monitoring/AuditExportChanges").properties.EventPattern).toMatchObject({
      source: ["aws.s3"],
      detail: {
        eventName: expect.arrayContaining(["DeleteBucketPolicy", "PutBucketObjectLockConfiguration"]),
        requestParameters: { bucketName: [BUCKET] },
      },
    })
  })

  test("is absent from a stage without the setting, whose table has the stream all the same", () => {
    for (const name of ["ada", "production"]) {
      const plain = configuredStage(name)
      expect([...plain.templates.keys()]).not.toContain("audit-export")
      expect(plain.resources.some(({ id }) => id === "monitoring/AuditExportChanges")).toBe(false)
      const streams = plain.ofType("AWS::DynamoDB::Table").flatMap(({ id, properties }) => {
        const { StreamSpecification } = properties
        return StreamSpecification === undefined ? [] : [[id, StreamSpecification]]
      })
      expect(streams).toEqual([["data/Tablesaudit", { StreamViewType: "KEYS_ONLY" }]])
    }
  })
})

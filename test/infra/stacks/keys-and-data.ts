import { serviceEndpoints } from "@sealway/api"
import { grantsOf } from "@sealway/http"
import { type KeyPart, PARTS_WITHIN, QUEUES, TABLES } from "@sealway/ports"
import { relayEndpoints } from "@sealway/relay"
import { beforeAll, describe, expect, test } from "vitest"
import { type Statement, statementsOf } from "../iam-policy.ts"
import { configuredStage, type SynthesizedStage } from "../synthesize-stage.ts"

/** A stage that serves no relays has none of their endpoints. */
const SERVED = serviceEndpoints.filter(({ id }) => relayEndpoints.every((each) => each.id !== id))
const ROOT = { AWS: ["arn:aws:iam::<AWS::AccountId>:root"] }
const KEPT = [
  "AWS::KMS::Key",
  "AWS::DynamoDB::Table",
  "AWS::SQS::Queue",
  "AWS::Logs::LogGroup",
  "AWS::S3::Bucket",
]

let personal: SynthesizedStage
let production: SynthesizedStage

beforeAll(() => {
  personal = configuredStage("ada")
  production = configuredStage("production")
})

function keyPolicy(stage: SynthesizedStage, id: string): ReadonlyMap<string, Statement> {
  const key = stage.ofType("AWS::KMS::Key").find((each) => each.id === id)
  if (key === undefined) throw new Error(`There is no key ${id}`)
  return new Map(statementsOf(key, "KeyPolicy").map((statement) => [statement.Sid ?? "", statement]))
}

/** Returns the roles of the functions that open no larger part of key versions. */
function openingRoles(stage: string, part: KeyPart): string[] {
  const others = {
    public: [],
    value: [],
    secret: ["webhook-worker", "slow-webhook-worker"],
    private: ["function-run-worker", "enrolment-worker"],
  }[part]
  const endpoints = SERVED.filter((each) => grantsOf(each).includes(`kms:Decrypt/${part}`))
  return [...endpoints.map(({ id }) => id), ...others]
    .map((name) => `arn:aws:iam::<AWS::AccountId>:role/sealway-${stage}-${name}`)
    .sort()
}

describe("the stage's key", () => {
  test("opens each part of key versions for the roles that need it, and seals them for those that IAM permits, all with their context", () => {
    for (const [stage, name] of [[personal, "ada"] as const, [production, "production"] as const]) {
      const policy = keyPolicy(stage, "keys/StageKey")
      expect([...policy.keys()]).toEqual([
        "Administer",
        "OpenPublicParts",
        "OpenValueParts",
        "OpenSecretParts",
        "OpenKeyVersions",
        "SealKeyVersions",
      ])
      const context = {
        "ForAllValues:StringEquals": { "kms:EncryptionContextKeys": ["team", "app", "version", "part"] },
        Null: {
          "kms:EncryptionContext:team": ["false"],
          "kms:EncryptionContext:app": ["false"],
          "kms:EncryptionContext:version": ["false"],
        },
      }
      const allowed = { Effect: "Allow", Principal: ROOT, Resource: ["*"] }
      const parts = {
        OpenPublicParts: "public",
        OpenValueParts: "value",
        OpenSecretParts: "secret",
        OpenKeyVersions: "private",
      } as const
      for (const [sid, part] of Object.entries(parts)) {
        expect(policy.get(sid)).toEqual({
          ...allowed,
          Sid: sid,
          Action: ["kms:Decrypt"],
          Condition: {
            ...context,
            ...(part !== "private" && {
              StringEquals: { "kms:EncryptionContext:part": [...PARTS_WITHIN[part]] },
            }),
            ArnEquals: { "aws:PrincipalArn": openingRoles(name, part) },
          },
        })
      }
      expect(policy.get("SealKeyVersions")).toEqual({
        ...allowed,
        Sid: "SealKeyVersions",
        Action: ["kms:Encrypt"],
        // Also for operators, who create the first team and app from outside.
        Condition: context,
      })
    }
  })
})

describe("a key", () => {
  test("lets the account administer it, but not use it nor pass on its use", () => {
    for (const id of ["keys/StageKey", "keys/StorageKey"]) {
      const statement = keyPolicy(personal, id).get("Administer")
      expect(statement?.Principal).toEqual(ROOT)
      const actions = statement?.Action ?? []
      expect(actions).toContain("kms:PutKeyPolicy")
      expect(actions).toContain("kms:ScheduleKeyDeletion")
      expect(
        actions.filter((action) =>
          /\*|crypt|GenerateDataKey|Sign|CreateGrant|DeriveSharedSecret/.test(action),
        ),
      ).toEqual([])
    }
  })

  test("names no principal but the account and AWS services", () => {
    for (const id of ["keys/StageKey", "keys/StorageKey"]) {
      for (const { Principal = {}, Effect } of keyPolicy(personal, id).values()) {
        expect(Effect).toBe("Allow")
        const [[kind, names] = ["", []]] = Object.entries(Principal)
        expect(kind === "AWS" ? names : names.map((name) => name.endsWith(".amazonaws.com"))).toEqual(
          kind === "AWS" ? ROOT.AWS : [true],
        )
      }
    }
  })

  test("is rotated every year, and has a name that contains the stage's", () => {
    for (const { properties } of production.ofType("AWS::KMS::Key"))
      expect(properties.EnableKeyRotation).toBe(true)
    const aliases = production.ofType("AWS::KMS::Alias").map(({ properties }) => properties)
    expect(aliases).toEqual([
      { AliasName: "alias/sealway-production", TargetKeyId: "keys/StageKey.Arn" },
      { AliasName: "alias/sealway-production-storage", TargetKeyId: "keys/StorageKey.Arn" },
    ])
  })
})

describe("the storage key", () => {
  test("is used through DynamoDB, S3 and SQS, by logs of this stage, by alarms of this account and by rules for its topic", () => {
    const policy = keyPolicy(personal, "keys/StorageKey")
    expect([...policy.keys()]).toEqual([
      "Administer",
      "UseThroughStores",
      "EncryptLogs",
      "SendAlarms",
      "SendChanges",
    ])
    expect(policy.get("UseThroughStores")?.Condition).toEqual({
      StringEquals: {
        "kms:ViaService": ["dynamodb", "s3", "sqs"].map((service) => `${service}.us-east-1.amazonaws.com`),
      },
    })
    expect(policy.get("EncryptLogs")).toMatchObject({
      Principal: { Service: ["logs.us-east-1.amazonaws.com"] },
      Condition: {
        ArnLike: {
          "kms:EncryptionContext:aws:logs:arn": [
            "arn:aws:logs:us-east-1:<AWS::AccountId>:log-group:sealway-ada-*",
            "arn:aws:logs:us-east-1:<AWS::AccountId>:log-group:/aws/lambda/sealway-ada-fn-func_*",
          ],
        },
      },
    })
    expect(policy.get("SendAlarms")).toMatchObject({
      Principal: { Service: ["cloudwatch.amazonaws.com"] },
      Condition: { StringEquals: { "aws:SourceAccount": ["<AWS::AccountId>"] } },
    })
    expect(policy.get("SendChanges")).toMatchObject({
      Principal: { Service: ["events.amazonaws.com"] },
      Condition: {
        ArnLike: {
          "kms:EncryptionContext:aws:sns:topicArn": ["arn:aws:sns:us-east-1:<AWS::AccountId>:sealway-ada-*"],
        },
      },
    })
  })
})

describe("a table", () => {
  test("is keyed, encrypted, billed on demand and restorable to any second, and deletes what expires", () => {
    for (const { name, partitionKey, sortKey, timeToLiveAttribute } of TABLES) {
      const table = personal.ofType("AWS::DynamoDB::Table").find(({ id }) => id === `data/Tables${name}`)
      expect(table?.properties).toEqual({
        AttributeDefinitions: [
          { AttributeName: partitionKey, AttributeType: "S" },
          { AttributeName: sortKey, AttributeType: "S" },
        ],
        KeySchema: [
          { AttributeName: partitionKey, KeyType: "HASH" },
          { AttributeName: sortKey, KeyType: "RANGE" },
        ],
        BillingMode: "PAY_PER_REQUEST",
        DeletionProtectionEnabled: false,
        PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
        SSESpecification: { SSEEnabled: true, SSEType: "KMS", KMSMasterKeyId: "keys/StorageKey.Arn" },
        // See tables.ts and audit-export.ts.
        ...(name === "audit" && {
          ResourcePolicy: expect.any(Object),
          StreamSpecification: { StreamViewType: "KEYS_ONLY" },
        }),
        ...(timeToLiveAttribute !== null && {
          TimeToLiveSpecification: { AttributeName: timeToLiveAttribute, Enabled: true },
        }),
      })
    }
    expect(personal.ofType("AWS::DynamoDB::Table").length).toBe(TABLES.length)
  })

  test("exists for everything that the architecture names", () => {
    expect(TABLES.map(({ name }) => name).sort()).toEqual([
      "audit",
      "config",
      "events",
      "keys",
      "payments",
      "runs",
    ])
  })
})

describe("a queue", () => {
  const queues = () => personal.ofType("AWS::SQS::Queue")
  const logicalId = (name: string) => `data/Queues${name.replaceAll("-", "")}`

  test("is encrypted, and has a dead-letter queue that keeps messages as long as SQS can", () => {
    for (const { name, visibilityTimeoutSeconds, maxReceiveCount } of QUEUES) {
      const common = {
        KmsMasterKeyId: "keys/StorageKey.Arn",
        KmsDataKeyReusePeriodSeconds: 3600,
        MessageRetentionPeriod: 14 * 86_400,
        VisibilityTimeout: visibilityTimeoutSeconds,
      }
      const found = (id: string) => queues().find((each) => each.id === id)?.properties
      const deadLetters = logicalId(`${name}-dead-letters`)
      expect(found(deadLetters)).toEqual(common)
      expect(found(logicalId(name))).toEqual({
        ...common,
        RedrivePolicy: { deadLetterTargetArn: `${deadLetters}.Arn`, maxReceiveCount },
      })
    }
    expect(queues().length).toBe(QUEUES.length * 2)
  })

  test("requires TLS", () => {
    const policies = personal.ofType("AWS::SQS::QueuePolicy")
    for (const { id } of queues()) {
      const policy = policies.find(({ properties }) => JSON.stringify(properties.Queues) === `["${id}"]`)
      expect(policy && statementsOf(policy)).toEqual([
        {
          Effect: "Deny",
          Principal: { AWS: ["*"] },
          Action: ["sqs:*"],
          Resource: [`${id}.Arn`],
          Condition: { Bool: { "aws:SecureTransport": ["false"] } },
        },
      ])
    }
  })
})

describe("a log group", () => {
  test("is encrypted, and deletes lines after the days that the stage says", () => {
    for (const [stage, days] of [[personal, 14] as const, [production, 400] as const]) {
      const groups = stage.ofType("AWS::Logs::LogGroup")
      expect(groups.length).toBeGreaterThan(SERVED.length)
      for (const { properties } of groups) {
        expect(properties).toEqual({ KmsKeyId: "keys/StorageKey.Arn", RetentionInDays: days })
      }
    }
  })
})

describe("a protected stage", () => {
  test("keeps its keys, tables, queues, code and logs when they leave their stack, and its tables refuse deletion", () => {
    for (const { id, type, deletionPolicy, updateReplacePolicy } of production.resources) {
      if (!KEPT.includes(type)) continue
      expect({ id, deletionPolicy, updateReplacePolicy }).toEqual({
        id,
        deletionPolicy: "Retain",
        updateReplacePolicy: "Retain",
      })
    }
    for (const { properties } of production.ofType("AWS::DynamoDB::Table")) {
      expect(properties.DeletionProtectionEnabled).toBe(true)
    }
  })
})

describe("a personal stage", () => {
  test("is deleted as a whole", () => {
    const kept = personal.resources.filter(
      ({ deletionPolicy = "Delete", updateReplacePolicy = "Delete" }) =>
        deletionPolicy !== "Delete" || updateReplacePolicy !== "Delete",
    )
    expect(kept).toEqual([])
    for (const { properties } of personal.ofType("AWS::DynamoDB::Table")) {
      expect(properties.DeletionProtectionEnabled).toBe(false)
    }
    for (const { properties } of personal.ofType("AWS::KMS::Key"))
      expect(properties.PendingWindowInDays).toBe(7)
  })

  test("differs from a protected one in none of its resources", () => {
    // The CDK puts the stage's name into the id of a schedule's permission.
    const idOf = (id: string) => id.replace(/(AllowEventRule).*/, "$1")
    const kinds = (stage: SynthesizedStage) =>
      stage.resources.map(({ id, type }) => `${type} ${idOf(id)}`).sort()
    expect(kinds(personal)).toEqual(kinds(production))
  })
})

describe("the outputs", () => {
  test("are names and addresses, and no secret", () => {
    expect(Object.fromEntries(personal.outputs)).toEqual({
      Url: "api/Api.ApiEndpoint",
      KmsKey: "keys/StageKey.Arn",
      ConfigTable: "data/Tablesconfig",
      KeysTable: "data/Tableskeys",
      AuditTable: "data/Tablesaudit",
      EventsTable: "data/Tablesevents",
      AuditWriter: "audit/WriterFunction",
      EventsQueueUrl: "data/Queuesevents",
      EventsDeadLettersQueueUrl: "data/Queueseventsdeadletters",
    })
  })

  test("exist for other stacks whether or not one imports them at the moment", () => {
    const exported = (stack: string) =>
      Object.values(personal.templates.get(stack)?.Outputs ?? {}).filter(({ Export }) => Export !== undefined)
        .length
    const counts = {
      keys: exported("keys"),
      data: exported("data"),
      alarms: exported("alarms"),
      audit: exported("audit"),
      functions: exported("functions"),
      api: exported("api"),
    }
    expect(counts).toEqual({
      keys: 2,
      // And the bucket of files, and the stream of the audit log.
      data: TABLES.length * 2 + QUEUES.length * 2 * 3 + 3,
      alarms: 1,
      audit: 2,
      // Including the log of the worker, which access records are carried from.
      functions: 5,
      api: 1,
    })
  })
})

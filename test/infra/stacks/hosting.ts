import { beforeAll, describe, expect, test } from "vitest"
import { functionNames, functionPrefix } from "../../../stacks/names.ts"
import { statementsOf } from "../iam-policy.ts"
import { configuredStage, type StageResource, type SynthesizedStage } from "../synthesize-stage.ts"

const LOGS = "arn:aws:logs:us-east-1:<AWS::AccountId>:log-group:/aws/lambda/sealway-ada-fn-func_*"

let personal: SynthesizedStage
let production: SynthesizedStage

beforeAll(() => {
  personal = configuredStage("ada")
  production = configuredStage("production")
})

function resource(stage: SynthesizedStage, id: string): StageResource {
  const found = stage.resources.find((each) => each.id === id)
  if (found === undefined) throw new Error(`There is no ${id}`)
  return found
}

describe("the role of customers' code", () => {
  test("is assumed by Lambda for this account only, writes to the log group that names the calling function as its owner, and may do nothing else", () => {
    const role = resource(personal, "functions/FunctionRole")
    expect(role.properties.AssumeRolePolicyDocument).toEqual({
      Version: "2012-10-17",
      Statement: [
        {
          Effect: "Allow",
          Principal: { Service: "lambda.amazonaws.com" },
          Action: "sts:AssumeRole",
          Condition: { StringEquals: { "aws:SourceAccount": "<AWS::AccountId>" } },
        },
      ],
    })
    expect(Object.keys(role.properties).sort()).toEqual(["AssumeRolePolicyDocument", "Description"])
    const policies = personal
      .ofType("AWS::IAM::ManagedPolicy")
      .filter(({ properties }) => JSON.stringify(properties.Roles).includes(role.id))
    expect(policies.map(({ id }) => id)).toEqual(["functions/FunctionPolicy"])
    expect(policies.flatMap((policy) => statementsOf(policy))).toEqual([
      {
        Effect: "Allow",
        Action: ["logs:CreateLogStream", "logs:PutLogEvents"],
        Resource: [LOGS],
        // biome-ignore lint/suspicious/noTemplateCurlyInString: a variable of IAM
        Condition: { StringEquals: { "aws:ResourceTag/sealway:function": ["${lambda:SourceFunctionArn}"] } },
      },
    ])
  })

  test("is created with the stage's tags, as are its logs, and with no others but the one of the logs' owner", () => {
    const [policy] = personal
      .ofType("AWS::IAM::ManagedPolicy")
      .filter(({ id }) => id === "functions/RunWorkerPolicy")
    const making = (policy === undefined ? [] : statementsOf(policy)).filter(({ Action }) =>
      Action.some((action) => /:(Create(Function|LogGroup)|TagResource)$/.test(action)),
    )
    const tags = { "aws:RequestTag/sealway:stage": ["ada"], "aws:RequestTag/sealway:made-by": ["service"] }
    const keys = ["sealway:stage", "sealway:made-by"]
    expect(making.map(({ Action, Condition }) => [Action, Condition])).toEqual([
      [
        ["lambda:CreateFunction", "lambda:TagResource"],
        { StringEquals: tags, "ForAllValues:StringEquals": { "aws:TagKeys": keys } },
      ],
      [
        ["logs:CreateLogGroup", "logs:TagResource"],
        { StringEquals: tags, "ForAllValues:StringEquals": { "aws:TagKeys": [...keys, "sealway:function"] } },
      ],
    ])
  })

  test("is passed by the worker to Lambda only, and by nothing else", () => {
    const passing = personal
      .ofType("AWS::IAM::ManagedPolicy")
      .flatMap((policy) => statementsOf(policy).map((statement) => ({ id: policy.id, ...statement })))
      .filter(({ Action }) => Action.some((action) => action.startsWith("iam:")))
    expect(passing).toEqual([
      {
        id: "functions/RunWorkerPolicy",
        Effect: "Allow",
        Action: ["iam:PassRole"],
        Resource: ["functions/FunctionRole.Arn"],
        Condition: { StringEquals: { "iam:PassedToService": ["lambda.amazonaws.com"] } },
      },
    ])
  })
})

describe("the bucket of customers' code", () => {
  test("is private, encrypted with the stage's storage key, and keeps what was deleted for 30 days", () => {
    expect(resource(personal, "functions/Code").properties).toEqual({
      BucketEncryption: {
        ServerSideEncryptionConfiguration: [
          {
            BucketKeyEnabled: true,
            ServerSideEncryptionByDefault: { SSEAlgorithm: "aws:kms", KMSMasterKeyID: "keys/StorageKey.Arn" },
          },
        ],
      },
      LifecycleConfiguration: {
        Rules: [
          {
            AbortIncompleteMultipartUpload: { DaysAfterInitiation: 1 },
            ExpiredObjectDeleteMarker: true,
            NoncurrentVersionExpiration: { NoncurrentDays: 30 },
            Status: "Enabled",
          },
        ],
      },
      OwnershipControls: { Rules: [{ ObjectOwnership: "BucketOwnerEnforced" }] },
      PublicAccessBlockConfiguration: {
        BlockPublicAcls: true,
        BlockPublicPolicy: true,
        IgnorePublicAcls: true,
        RestrictPublicBuckets: true,
      },
      VersioningConfiguration: { Status: "Enabled" },
      Tags: [{ Key: "sealway:stage", Value: "ada" }],
    })
  })

  test("requires TLS 1.2 at least, and admits nobody by itself", () => {
    const statements = statementsOf(resource(personal, "functions/CodePolicy"))
    expect(statements.map(({ Effect, Condition }) => [Effect, Condition])).toEqual([
      ["Deny", { Bool: { "aws:SecureTransport": ["false"] } }],
      ["Deny", { NumericLessThan: { "s3:TlsVersion": ["1.2"] } }],
    ])
  })
})

describe("the worker of function runs", () => {
  test("receives one message at a time, and runs no more instances than the stage says", () => {
    const mappingOf = (stage: SynthesizedStage) => resource(stage, "functions/RunWorkerMessages").properties
    expect(mappingOf(personal)).toEqual({
      EventSourceArn: "data/Queuesfunctionruns.Arn",
      FunctionName: "functions/RunWorkerFunction.Arn",
      BatchSize: 1,
      ScalingConfig: { MaximumConcurrency: 10 },
      FunctionResponseTypes: ["ReportBatchItemFailures"],
    })
    expect(mappingOf(production).ScalingConfig).toEqual({ MaximumConcurrency: 100 })
  })

  test("may take as long as Lambda allows, with the memory that waiting needs", () => {
    expect(resource(personal, "functions/RunWorkerFunction").properties).toMatchObject({
      Timeout: 900,
      MemorySize: 512,
    })
  })
})

describe("the sweeper of function runs", () => {
  test("runs every quarter of an hour", () => {
    expect(resource(personal, "functions/SweeperSchedule").properties).toMatchObject({
      ScheduleExpression: "rate(15 minutes)",
      State: "ENABLED",
      Targets: [{ Arn: "functions/SweeperFunction.Arn" }],
    })
  })
})

describe("the prefix of customers' functions", () => {
  const stages = ["a", "production", "a".repeat(12), "a".repeat(13), "feature-payment-a", "feature-payment-b"]

  test("leaves room for a function's id and the number of a deployment", () => {
    for (const stage of stages) {
      const name = `${functionPrefix({ stage })}func_${"0".repeat(26)}-99999999`
      expect({ stage, fits: name.length <= 64 }).toEqual({ stage, fits: true })
    }
  })

  test("contains the stage's name, or the beginning of a longer name with a digest of it", () => {
    expect(functionPrefix({ stage: "production" })).toBe("sealway-production-fn-")
    expect(functionPrefix({ stage: "a".repeat(12) })).toBe("sealway-aaaaaaaaaaaa-fn-")
    expect(functionPrefix({ stage: "feature-payment-a" })).toMatch(/^sealway-featu-[0-9a-f]{6}-fn-$/)
  })

  test("differs for each stage, and never lets one stage's permissions reach another's functions", () => {
    const all = [...stages, "ada", "ada-fn", "ada-fn-func"]
    for (const stage of all) {
      const pattern = functionNames(functionPrefix({ stage })).slice(0, -1)
      const reached = all.filter((other) => `${functionPrefix({ stage: other })}func_0-1`.startsWith(pattern))
      expect(reached).toEqual([stage])
    }
  })
})

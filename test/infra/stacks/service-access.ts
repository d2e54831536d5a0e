import { beforeAll, describe, expect, test } from "vitest"
import * as z from "zod"
import { type Statement, statementsOf } from "../iam-policy.ts"
import { admits } from "../resource-policy.ts"
import {
  configuredStage,
  relayedStage,
  type StageResource,
  type SynthesizedStage,
} from "../synthesize-stage.ts"

const ACCOUNT = "<AWS::AccountId>"
/** Every request of an AWS service to another uses TLS, and is in the name of an account. */
const SAFE = { "aws:SecureTransport": "true", "aws:SourceAccount": ACCOUNT }

/** The types that decide who may use a resource. They are the only way to admit an AWS service. */
const RESOURCE_POLICIES = [
  "AWS::KMS::Key",
  "AWS::Lambda::Permission",
  "AWS::S3::BucketPolicy",
  "AWS::SNS::TopicPolicy",
  "AWS::SQS::QueuePolicy",
]
/** Policies of roles and of scaling, which admit nobody to a resource. */
const OTHER_POLICIES = ["AWS::ApplicationAutoScaling::ScalingPolicy", "AWS::IAM::ManagedPolicy"]

describe.each([
  ["a personal stage", () => configuredStage("ada")],
  ["a stage with relays", relayedStage],
] as const)("in %s AWS services may use what they are configured to use:", (_name, synthesized) => {
  let stage: SynthesizedStage
  beforeAll(() => {
    stage = synthesized()
  })

  const keyPolicy = (keyArn: unknown): readonly Statement[] => {
    const key = stage.ofType("AWS::KMS::Key").find(({ id }) => `${id}.Arn` === keyArn)
    if (key === undefined) throw new Error(`There is no key ${keyArn}`)
    return statementsOf(key, "KeyPolicy")
  }

  /** Returns who may invoke a function, as `<service> for <source>`. */
  const callersOf = (functionArn: unknown): string[] =>
    stage
      .ofType("AWS::Lambda::Permission")
      .map(({ properties }) => properties)
      .filter(
        ({ Action, FunctionName }) => Action === "lambda:InvokeFunction" && FunctionName === functionArn,
      )
      .map(({ Principal, SourceArn }) => `${Principal} for ${SourceArn}`)

  test("alarms publish to their topic, encrypted with its key", () => {
    const policies = stage.ofType("AWS::SNS::TopicPolicy")
    const topics = stage.ofType("AWS::SNS::Topic")
    const told = new Set(
      stage
        .ofType("AWS::CloudWatch::CompositeAlarm")
        .flatMap(({ properties }) => stringsOf(properties.AlarmActions)),
    )
    expect([...told]).toEqual(topics.map(({ id }) => id))
    const service = "cloudwatch.amazonaws.com"
    for (const { id, properties } of topics) {
      const policy = policies.find((each) => stringsOf(each.properties.Topics).includes(id))
      const statements = policy === undefined ? [] : statementsOf(policy)
      const publish = { service, action: "sns:Publish" }
      expect(admits(statements, { ...publish, context: SAFE })).toBe(true)
      const elsewhere = { ...SAFE, "aws:SourceAccount": "444455556666" }
      expect(admits(statements, { ...publish, context: elsewhere })).toBe(false)
      expect(admits(statements, { ...publish, context: { ...SAFE, "aws:SecureTransport": "false" } })).toBe(
        false,
      )
      for (const action of ["kms:Decrypt", "kms:GenerateDataKey"]) {
        expect(admits(keyPolicy(properties.KmsMasterKeyId), { service, action, context: SAFE })).toBe(true)
      }
    }
  })

  test("CloudWatch Logs encrypts each log group with its key", () => {
    const service = "logs.us-east-1.amazonaws.com"
    for (const { id, properties } of stage.ofType("AWS::Logs::LogGroup")) {
      // CloudFormation names a group by its stack.
      const name = properties.LogGroupName ?? `sealway-ada-${id.replace("/", "-")}-1A2B3C`
      const context = {
        ...SAFE,
        "kms:EncryptionContext:aws:logs:arn": `arn:aws:logs:us-east-1:${ACCOUNT}:log-group:${name}`,
      }
      for (const action of ["kms:Encrypt", "kms:Decrypt", "kms:GenerateDataKey", "kms:DescribeKey"]) {
        const admitted = admits(keyPolicy(properties.KmsKeyId), { service, action, context })
        expect({ id, action, admitted }).toEqual({ id, action, admitted: true })
      }
    }
  })

  /** Returns whether a rule of the stage, and none of another, may publish to a topic that is encrypted with a key. */
  const rulesAreAdmitted = (topicId: string): boolean => {
    const service = "events.amazonaws.com"
    const policy = stage
      .ofType("AWS::SNS::TopicPolicy")
      .find(({ properties }) => stringsOf(properties.Topics).includes(topicId))
    const topic = stage.ofType("AWS::SNS::Topic").find(({ id }) => id === topicId)
    const mayPublish = (name: string) =>
      admits(policy === undefined ? [] : statementsOf(policy), {
        service,
        action: "sns:Publish",
        context: {
          "aws:SecureTransport": "true",
          "aws:SourceArn": `arn:aws:events:us-east-1:${ACCOUNT}:rule/${name}`,
        },
      })
    const mayEncrypt = (name: string) =>
      admits(keyPolicy(topic?.properties.KmsMasterKeyId), {
        service,
        action: "kms:GenerateDataKey",
        context: { "kms:EncryptionContext:aws:sns:topicArn": `arn:aws:sns:us-east-1:${ACCOUNT}:${name}` },
      })
    const [ours, theirs] = ["sealway-ada-monitoring-1A2B3C", "sealway-bob-monitoring-1A2B3C"]
    return mayPublish(ours) && mayEncrypt(ours) && !mayPublish(theirs) && !mayEncrypt(theirs)
  }

  test("logs, schedules and routes invoke the functions that they name, and watched changes reach their topic", () => {
    const topicIds = new Set(stage.ofType("AWS::SNS::Topic").map(({ id }) => id))
    for (const { properties } of stage.ofType("AWS::Logs::SubscriptionFilter")) {
      const { DestinationArn, LogGroupName } = properties
      expect(callersOf(DestinationArn)).toContain(`logs.amazonaws.com for ${LogGroupName}.Arn`)
    }
    for (const { id, properties } of stage.ofType("AWS::Events::Rule")) {
      const targets = z.array(z.object({ Arn: z.string() })).parse(properties.Targets)
      expect(targets.length).toBeGreaterThan(0)
      for (const { Arn } of targets) {
        if (topicIds.has(Arn)) expect(rulesAreAdmitted(Arn)).toBe(true)
        else expect(callersOf(Arn)).toContain(`events.amazonaws.com for ${id}.Arn`)
      }
    }
    for (const { properties } of stage.ofType("AWS::ApiGatewayV2::Integration")) {
      const callers = callersOf(properties.IntegrationUri).join()
      expect(callers).toContain("apigateway.amazonaws.com for arn:aws:execute-api:")
    }
  })

  test("only roles of the account write to its queues and buckets, whose policies admit no service", () => {
    const closed = [...stage.ofType("AWS::SQS::QueuePolicy"), ...stage.ofType("AWS::S3::BucketPolicy")]
    for (const policy of closed) {
      expect(statementsOf(policy).map(({ Effect }) => Effect)).not.toContain("Allow")
    }
    // These would write to a queue or a bucket as a service, not as a role: each then needs a statement there.
    const writing = stage.resources.filter(isServiceWriter).map(({ id }) => id)
    expect(writing).toEqual([])
  })

  test("this test knows every kind of resource policy", () => {
    const found = new Set(
      stage.resources.map(({ type }) => type).filter((type) => /Polic|Permission/.test(type)),
    )
    expect([...found].filter((type) => ![...RESOURCE_POLICIES, ...OTHER_POLICIES].includes(type))).toEqual([])
  })
})

/** Returns whether an AWS service would put messages or objects somewhere in its own name, because of this resource. */
function isServiceWriter({ type, properties }: StageResource): boolean {
  const text = JSON.stringify(properties)
  switch (type) {
    case "AWS::S3::Bucket":
      return "NotificationConfiguration" in properties || "LoggingConfiguration" in properties
    case "AWS::CloudFront::Distribution":
      return text.includes('"Logging"')
    case "AWS::ElasticLoadBalancingV2::LoadBalancer":
      return /access_logs\.s3\.enabled","Value":"true"/.test(text)
    case "AWS::EC2::FlowLog":
      return properties.LogDestinationType !== "cloud-watch-logs"
    case "AWS::Events::Rule":
      return text.includes("DeadLetterConfig")
    case "AWS::SNS::Subscription":
      return properties.Protocol === "sqs" || "RedrivePolicy" in properties
    default:
      return false
  }
}

function stringsOf(value: unknown): string[] {
  return z.array(z.string()).parse(value)
}

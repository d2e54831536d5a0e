import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import type { AssemblyStack, CloudAssembly } from "../../infra/assembly.ts"
import type { DeployedStacks, WantedStack } from "../../infra/stage/deployed-stacks.ts"
import { diffStage } from "../../infra/stage/diff-stage.ts"
import { COLOURS, NO_COLOURS, renderDiff } from "../../infra/stage/render-diff.ts"
import type { ResourceChange } from "../../infra/stage/resource-change.ts"
import { parseTemplate, policyChanges } from "../../infra/stage/template-policies.ts"

type Resources = Readonly<Record<string, object>>

const queue = (name: string) => ({ Type: "AWS::SQS::Queue", Properties: { QueueName: name } })
const textOf = (resources: Resources) =>
  JSON.stringify({ Parameters: { AssetsBucket: { Type: "String" } }, Resources: resources })

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "sealway-stage-diff-"))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

/** Writes the templates of an assembly. */
async function assemblyOf(stacks: Readonly<Record<string, Resources>>): Promise<CloudAssembly> {
  const found = Object.keys(stacks).map(
    (id): AssemblyStack => ({
      id,
      stackName: id,
      templateKey: `${id}.json`,
      region: null,
      outputs: [],
      dependencies: [],
      parameters: new Map([["AssetsBucket", { isOptional: false }]]),
      tags: { "sealway:stage": "dev" },
    }),
  )
  const assets = await Promise.all(
    Object.entries(stacks).map(async ([id, resources]) => {
      const path = join(folder, `${id}.json`)
      await writeFile(path, textOf(resources))
      return { key: `${id}.json`, path, packaging: "file" as const }
    }),
  )
  return { stacks: found, uploads: [], assets }
}

/** An account with stacks. @param answer what CloudFormation says of each that changes */
function accountWith(
  stacks: Readonly<Record<string, Resources>>,
  answer: readonly ResourceChange[] | string = [],
) {
  const asked: WantedStack[] = []
  const deployed: DeployedStacks = {
    list: async () =>
      Object.keys(stacks).map((stackName) => ({
        stackName,
        parameters: new Map([["AssetsBucket", "assets-1"]]),
      })),
    templateOf: async (stackName) => textOf(stacks[stackName] ?? {}),
    changesOf: async (wanted) => {
      asked.push(wanted)
      return answer
    },
  }
  return { deployed, asked }
}

describe("the difference between a stage and what is deployed", () => {
  test("is nothing, and CloudFormation is not asked, when all templates are the same", async () => {
    const { deployed, asked } = accountWith({ a: { Queue: queue("a") } })
    const changes = await diffStage("dev", await assemblyOf({ a: { Queue: queue("a") } }), deployed)
    expect(changes).toEqual([])
    expect(asked).toEqual([])
    expect(renderDiff(changes, NO_COLOURS)).toBe("Nothing changes.\n")
  })

  test("is what CloudFormation says of each stack that changes, in red what is replaced or removed", async () => {
    const { deployed, asked } = accountWith({ a: { Queue: queue("a") } }, [
      { action: "modify", logicalId: "Queue", type: "AWS::SQS::Queue", isReplaced: true },
      { action: "modify", logicalId: "Table", type: "AWS::DynamoDB::Table", isReplaced: "unknown" },
      { action: "remove", logicalId: "Old", type: "AWS::SNS::Topic", isReplaced: false },
      { action: "add", logicalId: "New", type: "AWS::SNS::Topic", isReplaced: false },
    ])
    const changes = await diffStage("dev", await assemblyOf({ a: { Queue: queue("b") } }), deployed)
    expect(asked).toEqual([
      {
        stackName: "a",
        template: textOf({ Queue: queue("b") }),
        tags: { "sealway:stage": "dev" },
        parameters: { AssetsBucket: "assets-1" },
      },
    ])
    expect(renderDiff(changes, COLOURS).split("\n")).toEqual([
      "~ a",
      "\u001b[31m  ~ AWS::SQS::Queue Queue: replaced\u001b[0m",
      "\u001b[33m  ~ AWS::DynamoDB::Table Table: perhaps replaced\u001b[0m",
      "\u001b[31m  - AWS::SNS::Topic Old\u001b[0m",
      "  + AWS::SNS::Topic New",
      "Resources: 1 added, 0 changed, 1 replaced, 1 perhaps replaced, 1 removed.",
      "",
    ])
  })

  test("is that of the templates, with the reason, where CloudFormation cannot tell", async () => {
    const { deployed } = accountWith(
      { a: { Queue: queue("a"), Old: queue("o") } },
      "No export named x found.",
    )
    const changes = await diffStage(
      "dev",
      await assemblyOf({ a: { Queue: queue("b"), New: queue("n") } }),
      deployed,
    )
    expect(renderDiff(changes, NO_COLOURS).split("\n").slice(0, 5)).toEqual([
      "~ a",
      "  ! CloudFormation cannot say which resources are replaced: No export named x found.",
      "  ~ AWS::SQS::Queue Queue: perhaps replaced",
      "  - AWS::SQS::Queue Old",
      "  + AWS::SQS::Queue New",
    ])
  })

  test("has the stacks that are new, and in red those that are no longer of the stage", async () => {
    const { deployed, asked } = accountWith({ old: { Queue: queue("a") } })
    const changes = await diffStage("dev", await assemblyOf({ new: { Queue: queue("a") } }), deployed)
    expect(asked).toEqual([])
    expect(renderDiff(changes, COLOURS).split("\n").slice(0, 2)).toEqual([
      "+ new: a new stack, resources: 1",
      "\u001b[31m- old: the stack is removed, resources: 1\u001b[0m",
    ])
  })
})

describe("changes of what is allowed", () => {
  const role = (statement: object) => ({
    Role: { Type: "AWS::IAM::ManagedPolicy", Properties: { PolicyDocument: { Statement: [statement] } } },
  })
  const told = (before: Resources, after: Resources) =>
    policyChanges(parseTemplate(textOf(before)), parseTemplate(textOf(after))).map(
      ({ isAdded, logicalId, statement }) => `${isAdded ? "+" : "-"} ${logicalId}: ${statement}`,
    )

  test("are the statements that one template has and the other has not, with references by name", () => {
    const before = role({
      Effect: "Allow",
      Action: "sqs:SendMessage",
      Resource: { "Fn::GetAtt": ["Queue", "Arn"] },
    })
    const after = role({
      Effect: "Deny",
      Action: ["kms:Decrypt", "kms:Encrypt"],
      Principal: { AWS: "*" },
      Resource: { "Fn::Join": ["", ["arn:", { Ref: "Key" }]] },
      Condition: { Bool: { "aws:SecureTransport": "false" } },
    })
    expect(told(before, after)).toEqual([
      "- Role: Allow sqs:SendMessage on Queue.Arn",
      '+ Role: Deny kms:Decrypt, kms:Encrypt to {"AWS":"*"} on arn:Key if {"Bool":{"aws:SecureTransport":"false"}}',
    ])
    expect(told(before, before)).toEqual([])
  })

  test("are of permissions to call a function, of who may take a role, and of attached policies too", () => {
    const permission = (SourceArn: string) => ({
      Permission: {
        Type: "AWS::Lambda::Permission",
        Properties: {
          Action: "lambda:InvokeFunction",
          Principal: "sns.amazonaws.com",
          FunctionName: "f",
          SourceArn,
        },
      },
    })
    expect(told(permission("a"), permission("b"))).toEqual([
      "- Permission: Allow lambda:InvokeFunction to sns.amazonaws.com on f if SourceArn a",
      "+ Permission: Allow lambda:InvokeFunction to sns.amazonaws.com on f if SourceArn b",
    ])
    const trusting = (Service: string, ManagedPolicyArns: readonly string[]) => ({
      Role: {
        Type: "AWS::IAM::Role",
        Properties: {
          AssumeRolePolicyDocument: {
            Statement: { Effect: "Allow", Action: "sts:AssumeRole", Principal: { Service } },
          },
          ManagedPolicyArns,
        },
      },
    })
    expect(told(trusting("a", []), trusting("b", ["arn:admin"]))).toEqual([
      '- Role: Allow sts:AssumeRole to {"Service":"a"}',
      '+ Role: Allow sts:AssumeRole to {"Service":"b"}',
      "+ Role: Attached arn:admin",
    ])
  })
})

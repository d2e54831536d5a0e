import assert from "node:assert/strict"
import {
  CloudFormationClient,
  CreateStackCommand,
  DeleteStackCommand,
  waitUntilStackCreateComplete,
} from "@aws-sdk/client-cloudformation"
import { connectStacks } from "../../infra/stage/deployed-stacks.ts"
import { EMULATOR_BUCKET, type EmulatorConfig } from "./deploy-assembly.ts"

const STAGE = "compared"
const STACK = `sealway-${STAGE}-stack`
const STACK_S = 60

const queue = (QueueName: string) => ({ Type: "AWS::SQS::Queue", Properties: { QueueName } })
const topic = { Type: "AWS::SNS::Topic" }
const templateOf = (Resources: Readonly<Record<string, object>>, more: object = {}) =>
  JSON.stringify({ Parameters: { AssetsBucket: { Type: "String", Default: "" } }, ...more, Resources })

/** Has CloudFormation compare a small stack with what it could become, as `npm run stage -- diff` does. */
export async function checkDiff(config: EmulatorConfig): Promise<void> {
  const client = new CloudFormationClient(config)
  const before = templateOf({ Kept: topic, Old: topic, Queue: queue("before") })
  const tags = { "sealway:stage": STAGE }
  const Tags = Object.entries(tags).map(([Key, Value]) => ({ Key, Value }))
  const parameters = { AssetsBucket: EMULATOR_BUCKET }
  const Parameters = [{ ParameterKey: "AssetsBucket", ParameterValue: EMULATOR_BUCKET }]
  await client.send(new CreateStackCommand({ StackName: STACK, TemplateBody: before, Tags, Parameters }))
  await waitUntilStackCreateComplete({ client, maxWaitTime: STACK_S, minDelay: 1 }, { StackName: STACK })
  const deployed = connectStacks(config.region, config.endpoint)
  assert.deepEqual(await deployed.list(STAGE), [
    { stackName: STACK, parameters: new Map(Object.entries(parameters)) },
  ])
  const changesTo = (template: string) => deployed.changesOf({ stackName: STACK, template, parameters, tags })
  const wanted = { Kept: topic, New: topic, Queue: queue("after") }
  const expected = [
    { action: "add", logicalId: "New", type: "AWS::SNS::Topic", isReplaced: false },
    { action: "modify", logicalId: "Queue", type: "AWS::SQS::Queue", isReplaced: true },
    { action: "remove", logicalId: "Old", type: "AWS::SNS::Topic", isReplaced: false },
  ]
  // A large template goes through S3.
  for (const bytes of [0, 60_000]) {
    const found = await changesTo(templateOf(wanted, { Metadata: { padding: "x".repeat(bytes) } }))
    if (typeof found === "string") throw new Error(found)
    assert.deepEqual(
      found.toSorted((a, b) => (a.action < b.action ? -1 : 1)),
      expected,
    )
  }
  assert.deepEqual(await changesTo(before), [])
  const refused = await changesTo(templateOf({ Queue: queue("after"), Odd: { Type: "Sealway::No::Such" } }))
  assert.equal(typeof refused, "string", JSON.stringify(refused))
  assert.equal(await deployed.templateOf(STACK), before)
  await client.send(new DeleteStackCommand({ StackName: STACK }))
}

import { serviceEndpoints } from "@sealway/api"
import { writesAccessRecords } from "@sealway/http"
import { beforeAll, describe, expect, test } from "vitest"
import { relayedStage, type SynthesizedStage } from "../synthesize-stage.ts"

let stage: SynthesizedStage
beforeAll(() => {
  stage = relayedStage()
})

const resource = (id: string) => {
  const found = stage.resources.find((each) => each.id === id)
  if (found === undefined) throw new Error(`There is no resource ${id}`)
  return found.properties
}
const WRITER = "access-log/WriterFunction"

describe("the function that carries access records to the table", () => {
  const decrypting = serviceEndpoints.filter(writesAccessRecords).map(({ id }) => id)
  const names = [...decrypting, "function-run-worker", "relay", "relay-container"]

  test("subscribes to the logs of all that decrypts, and to no other, and only to access records", () => {
    const subscriptions = stage.ofType("AWS::Logs::SubscriptionFilter")
    const suffix = names.map((name) => `access-log/Subscription${name.replaceAll("-", "")}`)
    expect(subscriptions.map(({ id }) => id).sort()).toEqual(suffix.sort())
    const logs = subscriptions.map(({ properties }) => String(properties.LogGroupName))
    expect(new Set(logs).size).toBe(names.length)
    for (const log of logs) expect(log).toMatch(/Logs/)
    for (const { properties } of subscriptions) {
      expect(properties).toMatchObject({
        DestinationArn: `${WRITER}.Arn`,
        FilterPattern: '{ $.access.id = "access_*" }',
      })
    }
  })

  test("may only be called by these logs of this account", () => {
    const permissions = stage
      .ofType("AWS::Lambda::Permission")
      .filter(({ properties }) => properties.FunctionName === `${WRITER}.Arn`)
    expect(permissions).toHaveLength(names.length)
    for (const { properties } of permissions) {
      expect(properties).toMatchObject({
        Action: "lambda:InvokeFunction",
        Principal: "logs.amazonaws.com",
        SourceAccount: "<AWS::AccountId>",
        SourceArn: expect.stringMatching(/Logs/),
      })
    }
  })

  test("retries what it could not write, and then puts it into a queue that it also processes", () => {
    expect(resource("access-log/Failures")).toEqual({
      FunctionName: WRITER,
      Qualifier: "$LATEST",
      MaximumRetryAttempts: 2,
      MaximumEventAgeInSeconds: 21_600,
      DestinationConfig: { OnFailure: { Destination: "data/Queuesaccessrecords.Arn" } },
    })
    expect(resource("access-log/WriterMessages")).toMatchObject({
      EventSourceArn: "data/Queuesaccessrecords.Arn",
      FunctionName: `${WRITER}.Arn`,
      BatchSize: 1,
    })
  })

  test("lets a container run that cannot write its log, with a buffer of lines", () => {
    const [task] = stage.ofType("AWS::ECS::TaskDefinition")
    expect(JSON.stringify(task?.properties)).toContain('"mode":"non-blocking","max-buffer-size":"26214400b"')
  })
})

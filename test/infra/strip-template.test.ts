import { describe, expect, test } from "vitest"
import { stripTemplate } from "../../scripts/test-emulator/strip-template.ts"

const TEMPLATE = {
  Resources: {
    Alarm: { Type: "AWS::CloudWatch::Alarm", Properties: { Topic: { Ref: "Topic" } } },
    Watched: { Type: "AWS::X::Y", Properties: { Alarm: { "Fn::GetAtt": ["Alarm", "Arn"] } } },
    Topic: { Type: "AWS::SNS::Topic", DependsOn: ["Alarm", "Queue"] },
    Queue: {
      Type: "AWS::SQS::Queue",
      DependsOn: "Alarm",
      Properties: { Tags: [{ Key: "a", Value: { "Fn::GetAtt": ["Alarm", "Arn.Part"] } }, { Ref: "Topic" }] },
    },
    Function: {
      Type: "AWS::Lambda::Function",
      Properties: { Handler: "h", Environment: { Variables: { KEPT: { Ref: "Queue" }, GONE: "x" } } },
    },
  },
  Outputs: { Name: { Value: { "Fn::Join": ["", ["a", { Ref: "Alarm" }]] } } },
}
const STRIPPING = {
  types: new Set(["AWS::CloudWatch::Alarm"]),
  standIns: new Map([["AWS::CloudWatch::Alarm", { Arn: "arn:made" }]]),
  variables: new Map([
    ["ADDED", "yes"],
    ["GONE", null],
  ]),
}
const stripped = () => stripTemplate(JSON.stringify(TEMPLATE), STRIPPING)

describe("a template for the emulator", () => {
  test("leaves out some resources, and nothing waits for them", () => {
    const { Resources } = stripped()
    expect(Object.keys(Resources)).toEqual(["Watched", "Topic", "Queue", "Function"])
    expect([Resources.Topic?.DependsOn, Resources.Queue?.DependsOn]).toEqual([["Queue"], []])
  })

  test("has a replacement or a text where a reference named one of them, and keeps other references", () => {
    const { Resources, Outputs } = stripped()
    expect(Resources.Watched?.Properties).toEqual({ Alarm: "arn:made" })
    expect(Resources.Queue?.Properties).toEqual({
      Tags: [{ Key: "a", Value: "stripped-alarm-arn-part" }, { Ref: "Topic" }],
    })
    expect(Outputs).toEqual({ Name: { Value: { "Fn::Join": ["", ["a", "stripped-alarm-ref"]] } } })
  })

  test("changes the named variables of functions, and keeps the others", () => {
    expect(stripped().Resources.Function?.Properties).toEqual({
      Handler: "h",
      Environment: { Variables: { KEPT: { Ref: "Queue" }, ADDED: "yes" } },
    })
  })
})

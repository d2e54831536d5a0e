import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { beforeAll, describe, expect, test } from "vitest"
import * as z from "zod"
import { configuredStage, type SynthesizedStage, synthesizedFullStage } from "../synthesize-stage.ts"

const CORE = "endpoints-core"
const FUNCTIONS = ["encrypt", "decrypt"]

const templateSchema = z.object({
  Resources: z.record(z.string(), z.object({ Type: z.string(), UpdatePolicy: z.unknown().optional() })),
})

let full: SynthesizedStage
beforeAll(() => {
  full = synthesizedFullStage()
})

const propertiesOf = (id: string) => full.resources.find((each) => each.id === id)?.properties

describe("a stage with a canary", () => {
  test("has CodeDeploy lead calls of encrypt and of decrypt to a new version: a part first, all of them later", async () => {
    const file = join(full.outFolder, `sealway-production-${CORE}.template.json`)
    const { Resources } = templateSchema.parse(JSON.parse(await readFile(file, "utf8")))
    const aliases = Object.entries(Resources).filter(([, { Type }]) => Type === "AWS::Lambda::Alias")
    expect(aliases).toHaveLength(FUNCTIONS.length)
    const typeOf = (id: string) => Resources[id]?.Type
    for (const [, { UpdatePolicy }] of aliases) {
      const { CodeDeployLambdaAliasUpdate: update } = z
        .object({
          CodeDeployLambdaAliasUpdate: z.object({
            ApplicationName: z.object({ Ref: z.string() }),
            DeploymentGroupName: z.object({ Ref: z.string() }),
          }),
        })
        .parse(UpdatePolicy)
      expect(typeOf(update.ApplicationName.Ref)).toBe("AWS::CodeDeploy::Application")
      expect(typeOf(update.DeploymentGroupName.Ref)).toBe("AWS::CodeDeploy::DeploymentGroup")
    }
    for (const name of FUNCTIONS) {
      expect(propertiesOf(`${CORE}/${name}AnswerCanaryConfig`)).toEqual({
        ComputePlatform: "Lambda",
        TrafficRoutingConfig: {
          Type: "TimeBasedCanary",
          TimeBasedCanary: { CanaryPercentage: 10, CanaryInterval: 5 },
        },
      })
    }
  })

  test("goes back to the old version when an alarm about the function's errors or 5xx goes off", () => {
    for (const name of FUNCTIONS) {
      const prefix = `${CORE}/${name}AnswerCanary`
      expect(propertiesOf(`${prefix}Group`)).toMatchObject({
        DeploymentConfigName: `${prefix}Config`,
        AlarmConfiguration: { Enabled: true, Alarms: [{ Name: `${prefix}Alarm` }] },
        AutoRollbackConfiguration: {
          Enabled: true,
          Events: expect.arrayContaining(["DEPLOYMENT_FAILURE", "DEPLOYMENT_STOP_ON_ALARM"]),
        },
      })
      const filter = { MetricNamespace: "Sealway/production", MetricName: `Failures ${name}` }
      expect(propertiesOf(`${prefix}Failures`)).toMatchObject({
        LogGroupName: `${CORE}/${name}AnswerLogs`,
        FilterPattern: "{ $.status >= 500 }",
        MetricTransformations: [expect.objectContaining(filter)],
      })
      const alarm = propertiesOf(`${prefix}Alarm`)
      expect(alarm).toMatchObject({ Threshold: 3, DatapointsToAlarm: 1, EvaluationPeriods: 1 })
      const metrics = JSON.stringify(alarm?.Metrics)
      expect(metrics).toContain(`"MetricName":"Failures ${name}"`)
      expect(metrics).toContain(`{"Name":"FunctionName","Value":"${CORE}/${name}AnswerFunction"}`)
    }
  })

  test("has API Gateway call the aliases, and may", () => {
    for (const name of FUNCTIONS) {
      const alias = `${CORE}/${name}AnswerLive`
      const called = (type: string, property: string) =>
        full.ofType(type).filter(({ properties }) => properties[property] === alias).length
      expect(called("AWS::ApiGatewayV2::Integration", "IntegrationUri")).toBe(1)
      expect(called("AWS::Lambda::Permission", "FunctionName")).toBe(1)
    }
  })

  test("is one that asked for it", () => {
    const { ofType } = configuredStage("ada")
    expect(ofType("AWS::CodeDeploy::Application")).toEqual([])
    expect(ofType("AWS::Lambda::Alias")).toEqual([])
  })
})

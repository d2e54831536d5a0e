import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { beforeAll, describe, expect, test } from "vitest"
import { SIZED_STAGES } from "../../../scripts/check-stacks/stage-kinds.ts"
import { fillDeploymentPage } from "../../../scripts/stage-size/page.ts"
import { overusedQuotas, STAGE_QUOTAS } from "../../../scripts/stage-size/quotas.ts"
import { readTemplates, type TemplateResource } from "../../../scripts/stage-size/read-templates.ts"
import { ROOT } from "../../support/start.ts"
import { synthesizeStage } from "../synthesize-stage.ts"

let stages: ReadonlyMap<string, readonly TemplateResource[]>
beforeAll(() => {
  stages = new Map(
    [...SIZED_STAGES].map(([title, stage]) => [title, readTemplates(synthesizeStage(stage).outFolder)]),
  )
})

describe("the size of a stage", () => {
  test("is what the page about deployment says: its quotas, and its cost without requests", async () => {
    const page = await readFile(join(ROOT, "docs", "deployment.md"), "utf8")
    expect(page, "run: node scripts/run.mjs scripts/stage-size.ts").toBe(fillDeploymentPage(page, stages))
  })

  test("leaves room in every quota", () => {
    for (const [title, resources] of stages) {
      expect({ [title]: overusedQuotas(resources) }).toEqual({ [title]: [] })
    }
  })

  test("leaves half of what an API may have free, in a stage with a domain", () => {
    const shares = STAGE_QUOTAS.filter(({ name }) => name.endsWith("of an API")).map(({ name, ...quota }) => [
      name,
      quota.taken(stages.get("with all it can have") ?? []) / quota.default,
    ])
    expect(Object.fromEntries(shares)).toEqual({
      "API Gateway: routes of an API": expect.toSatisfy((share) => share > 0.3 && share < 0.5),
      "API Gateway: integrations of an API": expect.toSatisfy((share) => share > 0.3 && share < 0.5),
    })
  })

  test("is too large when it takes more than 70 % of a quota", () => {
    const roles = (count: number) =>
      Array.from({ length: count }, (_, at) => ({
        stack: String(at % 7),
        type: "AWS::IAM::Role",
        properties: {},
      }))
    expect(overusedQuotas(roles(700))).toEqual([])
    expect(overusedQuotas(roles(701))).toEqual(["IAM: roles of an account: 70 % of 1000"])
  })

  test("is too large when one of its APIs takes more than 80 % of what each has", () => {
    const routes = (count: number) =>
      Array.from({ length: count }, () => ({
        stack: "api",
        type: "AWS::ApiGatewayV2::Route",
        properties: { ApiId: { Ref: "one" } },
      }))
    expect(overusedQuotas(routes(240))).toEqual([])
    expect(overusedQuotas(routes(241))).toEqual(["API Gateway: routes of an API: 80 % of 300"])
  })
})

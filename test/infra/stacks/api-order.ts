import { serviceEndpoints } from "@sealway/api"
import { describe, expect, test } from "vitest"
import { type AssemblyStack, readAssembly } from "../../../infra/assembly.ts"
import { byArea } from "../../../stacks/endpoints.ts"
import { configuredStage, relayedStage, type SynthesizedStage } from "../synthesize-stage.ts"

/** A resource of an HTTP API: API Gateway refuses some changes of an account that come at the same time. */
const API_PART = /^AWS::ApiGatewayV2::/

/** Returns the stacks that change the same API, in the order in which they are deployed, by the API. */
async function changesByApi(stage: SynthesizedStage): Promise<ReadonlyMap<string, readonly AssemblyStack[]>> {
  const { stacks } = await readAssembly(stage.outFolder)
  const changes = new Map<string, Set<string>>()
  for (const { id, type, stack, properties } of stage.resources) {
    if (!API_PART.test(type) || type === "AWS::ApiGatewayV2::DomainName") continue
    const api = type === "AWS::ApiGatewayV2::Api" ? id : String(properties.ApiId)
    changes.set(api, (changes.get(api) ?? new Set()).add(`sealway-ada-${stack}`))
  }
  return new Map([...changes].map(([api, ids]) => [api, stacks.filter(({ id }) => ids.has(id))]))
}

/** Returns every stack that must exist before one, directly or indirectly. */
function before(stacks: readonly AssemblyStack[], id: string): ReadonlySet<string> {
  const found = new Set<string>()
  const visit = (each: string): void => {
    for (const dependency of stacks.find((stack) => stack.id === each)?.dependencies ?? []) {
      if (found.has(dependency)) continue
      found.add(dependency)
      visit(dependency)
    }
  }
  visit(id)
  return found
}

describe.each([
  ["a personal stage", () => configuredStage("ada")],
  ["a stage with relays", relayedStage],
] as const)("%s", (_name, synthesized) => {
  test("has at most four stacks of endpoints that may be deployed, or deleted, at the same time, and none beside that of the API", async () => {
    const stage = synthesized()
    const { stacks } = await readAssembly(stage.outFolder)
    const [api, ...areas] = [...(await changesByApi(stage)).values()].flat()
    expect(areas.length).toBeGreaterThan(8)
    for (const [index, { id }] of areas.entries()) {
      const earlier = before(stacks, id)
      expect([...earlier]).toContain(areas[index - 4]?.id ?? api?.id)
      // Nor does it wait for more.
      expect(areas.filter((each) => earlier.has(each.id))).toHaveLength(Math.floor(index / 4))
    }
  })

  test("is deployed in twelve steps at most, if stacks that do not need each other are deployed at the same time", async () => {
    const { stacks } = await readAssembly(synthesized().outFolder)
    const steps = new Map<string, number>()
    for (const { id, dependencies } of stacks)
      steps.set(id, 1 + Math.max(0, ...dependencies.map((each) => steps.get(each) ?? 0)))
    expect(Math.max(...steps.values())).toBeLessThanOrEqual(12)
  })

  test("changes its API in the order in which the service declares its areas", async () => {
    const [changing = []] = (await changesByApi(synthesized())).values()
    const areas = [...byArea(serviceEndpoints).keys()].map((area) => `sealway-ada-endpoints-${area}`)
    const ids = changing.map(({ id }) => id)
    expect(ids).toEqual(["sealway-ada-api", ...areas.filter((id) => ids.includes(id))])
  })
})

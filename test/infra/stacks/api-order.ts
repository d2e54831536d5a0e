import { serviceEndpoints } from "@sealway/api"
import { describe, expect, test } from "vitest"
import { type AssemblyStack, readAssembly } from "../../../infra/assembly.ts"
import { byArea } from "../../../stacks/endpoints.ts"
import { configuredStage, relayedStage, type SynthesizedStage } from "../synthesize-stage.ts"

/** A resource of an HTTP API: API Gateway refuses a change of one while it makes another of the same API. */
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
  test("has no two stacks that change the same API and may be deployed, or deleted, at the same time", async () => {
    const stage = synthesized()
    const { stacks } = await readAssembly(stage.outFolder)
    const apis = await changesByApi(stage)
    expect([...apis.keys()]).toEqual(["api/Api"])
    for (const changing of apis.values()) {
      expect(changing.length).toBeGreaterThan(2)
      for (const [index, { id }] of changing.entries()) {
        const earlier = before(stacks, id)
        expect(changing.slice(0, index).filter((each) => !earlier.has(each.id))).toEqual([])
      }
    }
  })

  test("changes its API in the order in which the service declares its areas", async () => {
    const [changing = []] = (await changesByApi(synthesized())).values()
    const areas = [...byArea(serviceEndpoints).keys()].map((area) => `sealway-ada-endpoints-${area}`)
    const ids = changing.map(({ id }) => id)
    expect(ids).toEqual(["sealway-ada-api", ...areas.filter((id) => ids.includes(id))])
  })
})

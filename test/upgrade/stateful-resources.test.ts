import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { beforeAll, describe, expect, test, vi } from "vitest"
import { releasesIn } from "../../scripts/release/versions.ts"
import { ROOT } from "../support/start.ts"
import {
  ACCEPTED_MOVED_ROUTES,
  ACCEPTED_ONE_WAY_EXPORTS,
  ACCEPTED_REPLACEMENTS,
} from "./accepted-replacements.ts"
import {
  exportsOf,
  importsOf,
  oneWayImports,
  readTemplates,
  routesOf,
  type StageTemplates,
  synthesizeTemplates,
} from "./stage-templates.ts"
import { type StatefulResources, statefulResourcesOf, statefulResourcesSchema } from "./stateful-resources.ts"

const filesLike = (pattern: RegExp) => readdirSync(import.meta.dirname).filter((name) => pattern.test(name))
/** For 0.1.0 there is only a list of what must not be lost, for later versions whole templates. */
const LISTS = filesLike(/^stateful-resources-.*\.json$/)
const STAGES = filesLike(/^stage-.*\.zip$/)
const VERSIONS = [...LISTS, ...STAGES]

/** Versions that users may have deployed: not one that is still being made. */
const RELEASED = releasesIn(readFileSync(join(ROOT, "CHANGELOG.md"), "utf8")).map(
  ({ version }) => `stage-${version}.zip`,
)
const NEWEST_RELEASED = RELEASED.filter((name) => STAGES.includes(name)).slice(0, 1)

let templates: StageTemplates
let now: StatefulResources
beforeAll(async () => {
  vi.stubEnv("CDK_VALIDATION", "false")
  try {
    templates = await synthesizeTemplates()
    now = statefulResourcesOf(templates)
  } finally {
    vi.unstubAllEnvs()
  }
}, 120_000)

const fileOf = (name: string) => join(import.meta.dirname, name)
const statefulIn = (name: string) =>
  LISTS.includes(name)
    ? statefulResourcesSchema.parse(JSON.parse(readFileSync(fileOf(name), "utf8")))
    : statefulResourcesOf(readTemplates(fileOf(name)))

describe.each(VERSIONS)("the resources of an earlier version, %s", (file) => {
  const before = statefulIn(file)

  test("are not replaced or deleted by this one: tables, keys, buckets, queues, logs, names and addresses", () => {
    const accepted = new Set(ACCEPTED_REPLACEMENTS.map(({ id }) => id))
    const kept = Object.keys(before).filter((id) => !accepted.has(id))
    const of = (resources: StatefulResources) =>
      Object.fromEntries(kept.map((id) => [id, placeOf(resources[id])] as const))
    expect(of(now)).toEqual(of(before))
  })

  test("remain when their stack is deleted, where they did before", () => {
    const weaker = Object.entries(before).filter(([id, { deletionPolicy, updateReplacePolicy }]) => {
      const found = now[id]
      if (found === undefined) return false
      const isRetained = (policy: string | null) => policy?.startsWith("Retain") === true
      return (
        (isRetained(deletionPolicy) && !isRetained(found.deletionPolicy)) ||
        (isRetained(updateReplacePolicy) && !isRetained(found.updateReplacePolicy))
      )
    })
    expect(weaker.map(([id]) => id)).toEqual([])
  })
})

describe.each(STAGES)("an update of a stage of an earlier version, %s", (file) => {
  const before = readTemplates(fileOf(file))

  test("keeps every route working: none disappears, and none is created a second time", () => {
    const kept = routesOf(before).filter(({ key }) => !ACCEPTED_MOVED_ROUTES.pattern.test(key))
    const found = routesOf(templates)
    expect(kept.length).toBeGreaterThan(50)
    for (const route of kept) {
      const { stack, key } = route
      const any = key.replace(/^(GET|HEAD) /, "ANY ")
      const isTakenOver = any !== key && found.some((each) => each.stack === stack && each.key === any)
      // A route of another id is created before the one of the same key is deleted, which API Gateway refuses. One for any method
      // may take over: it exists before the others are deleted.
      if (!isTakenOver) expect(found).toContainEqual(route)
    }
  })

  test("deletes no export that another stack still imports until its turn comes, which CloudFormation refuses", () => {
    const found = new Set(exportsOf(templates))
    const imported = importsOf(before)
    expect(imported.length).toBeGreaterThan(5)
    expect(imported.filter((name) => !found.has(name))).toEqual([])
  })
})

describe.each(NEWEST_RELEASED)("a rollback of a stage to the release before, %s", (file) => {
  test("is possible, since every export that its stacks import existed, unless that is accepted", () => {
    const accepted = new Set(ACCEPTED_ONE_WAY_EXPORTS.map(({ name }) => JSON.stringify(name)))
    const missing = oneWayImports(readTemplates(fileOf(file)), templates)
    expect(missing.filter((name) => !accepted.has(name))).toEqual([])
  })
})

test("reports an import that prevents a rollback when the release before does not export it", () => {
  const stack = (exports: readonly string[], imports: readonly string[]) => ({
    Outputs: Object.fromEntries(exports.map((Name, place) => [`Export${place}`, { Export: { Name } }])),
    Resources: {
      One: { Type: "AWS::Test", Properties: { of: imports.map((name) => ({ "Fn::ImportValue": name })) } },
    },
  })
  const before = { data: stack(["data:Table"], []), api: stack([], ["data:Table"]) }
  const after = {
    data: stack(["data:Table", "data:Queue"], []),
    api: stack([], ["data:Table", "data:Queue"]),
  }
  expect(oneWayImports(before, before)).toEqual([])
  expect(oneWayImports(before, after)).toEqual(['"data:Queue"'])
  expect(oneWayImports(after, before)).toEqual([])
})

test("accepts replacements only of resources that an earlier version had", () => {
  const all = VERSIONS.flatMap((file) => Object.keys(statefulIn(file)))
  expect(ACCEPTED_REPLACEMENTS.filter(({ id }) => !all.includes(id))).toEqual([])
})

function placeOf(resource: StatefulResources[string] | undefined) {
  return resource && { type: resource.type, properties: resource.properties }
}

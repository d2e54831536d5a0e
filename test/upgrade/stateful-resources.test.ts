import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { beforeAll, describe, expect, test, vi } from "vitest"
import { ACCEPTED_REPLACEMENTS } from "./accepted-replacements.ts"
import {
  findStatefulResources,
  type StatefulResources,
  statefulResourcesSchema,
} from "./stateful-resources.ts"

const FILE = /^stateful-resources-.*\.json$/
const VERSIONS = readdirSync(import.meta.dirname).filter((name) => FILE.test(name))

let now: StatefulResources
beforeAll(async () => {
  vi.stubEnv("CDK_VALIDATION", "false")
  try {
    now = await findStatefulResources()
  } finally {
    vi.unstubAllEnvs()
  }
}, 120_000)

describe.each(VERSIONS)("what an earlier version deployed, %s", (file) => {
  const before = statefulResourcesSchema.parse(
    JSON.parse(readFileSync(join(import.meta.dirname, file), "utf8")),
  )

  test("is not replaced or deleted by this one: tables, keys, buckets, queues, logs, names and addresses", () => {
    const accepted = new Set(ACCEPTED_REPLACEMENTS.map(({ id }) => id))
    const kept = Object.keys(before).filter((id) => !accepted.has(id))
    const of = (resources: StatefulResources) =>
      Object.fromEntries(kept.map((id) => [id, placeOf(resources[id])] as const))
    expect(of(now)).toEqual(of(before))
  })

  test("stays when its stack goes, where it did before", () => {
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

test("every replacement that is accepted is of a resource that an earlier version had", () => {
  const all = VERSIONS.flatMap((file) =>
    Object.keys(JSON.parse(readFileSync(join(import.meta.dirname, file), "utf8"))),
  )
  expect(ACCEPTED_REPLACEMENTS.filter(({ id }) => !all.includes(id))).toEqual([])
})

function placeOf(resource: StatefulResources[string] | undefined) {
  return resource && { type: resource.type, properties: resource.properties }
}

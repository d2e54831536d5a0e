import { afterAll, beforeAll, describe, expect, test, vi } from "vitest"
import { fakeProject } from "../fake-project.ts"
import { mockPulumi, putSstGlobals, type RegisteredResource, settled } from "../pulumi-mocks.ts"
import { temporaryFolder } from "../synthesize-stage.ts"
import { synthesizedAlone } from "./made-once.ts"

describe("a deployment of the real stacks", () => {
  const registered: RegisteredResource[] = []
  let outputs: Record<string, string> = {}

  beforeAll(async () => {
    const { folder } = await synthesizedAlone()
    const project = temporaryFolder()
    const copy = `import { cp } from "node:fs/promises"\nawait cp(${JSON.stringify(folder)}, out, { recursive: true })`
    await fakeProject(project, copy)
    vi.spyOn(process, "cwd").mockReturnValue(project)
    mockPulumi(registered)
    putSstGlobals("ada")
    const { default: config } = await import("../../../sst.config.ts")
    outputs = await settled(await config.run())
  })
  afterAll(() => {
    vi.restoreAllMocks()
  })

  test("registers each stack by its template, and the code of every function", () => {
    const ofType = (type: string) => registered.filter((each) => each.type === type)
    const stacks = ofType("aws:cloudformation/stack:Stack").map(({ inputs }) => String(inputs.name))
    expect(stacks.length).toBeGreaterThan(5)
    for (const name of stacks) expect(name).toMatch(/^sealway-ada-[a-z0-9-]+$/)
    expect(new Set(stacks).size).toBe(stacks.length)
    const keys = ofType("aws:s3/bucketObjectv2:BucketObjectv2").map(({ inputs }) => String(inputs.key))
    expect(keys.filter((key) => key.endsWith(".json")).length).toBe(stacks.length)
    expect(keys.filter((key) => key.endsWith(".zip")).length).toBeGreaterThan(30)
  })

  test("outputs what `sealway bootstrap` needs", () => {
    expect(Object.keys(outputs)).toEqual(
      expect.arrayContaining([
        "stage",
        "region",
        "Url",
        "ConfigTable",
        "EventsTable",
        "KmsKey",
        "EventsQueueUrl",
      ]),
    )
  })
})

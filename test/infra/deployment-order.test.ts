import { mkdir, mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest"
import { type PlannedStep, planDeployment } from "./deployment-plan.ts"
import { fakeProject } from "./fake-project.ts"
import { startLambdaAccount } from "./lambda-account.ts"
import { type EngineRequest, listenToEngine, mockPulumi, putSstGlobals, settled } from "./pulumi-mocks.ts"
import { type RecordedChanges, recordAssembly } from "./recorded-assembly.ts"

let folder = ""
let runs = 0

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "sealway-order-"))
})
afterAll(() => rm(folder, { recursive: true, force: true }))
afterEach(() => {
  vi.restoreAllMocks()
  vi.unstubAllEnvs()
})

interface Deployment {
  readonly requests: readonly EngineRequest[]
  readonly outputs: Readonly<Record<string, string>>
}

/** Runs `sst.config.ts` as `sst deploy` does, for the recorded assembly with changes. */
async function deploy(changes: RecordedChanges = {}, stage = "dev"): Promise<Deployment> {
  const project = join(folder, String(++runs))
  await mkdir(project)
  const assembly = await recordAssembly(join(project, "recorded"), changes)
  const copy = `import { cp } from "node:fs/promises"\nawait cp(${JSON.stringify(assembly)}, out, { recursive: true })`
  await fakeProject(project, copy)
  vi.spyOn(process, "cwd").mockReturnValue(project)
  mockPulumi([])
  const requests = listenToEngine()
  putSstGlobals(stage)
  const { default: config } = await import("../../sst.config.ts")
  const outputs = await settled(await config.run())
  return { requests, outputs }
}

const STACK = "aws:cloudformation/stack:Stack"
const OBJECT = "aws:s3/bucketObjectv2:BucketObjectv2"
const BUCKET = "aws:s3/bucket:Bucket"

/** `create Data`, `delete zip`: objects by their kind, since their names are hashes. */
const told = (steps: readonly PlannedStep[]) =>
  steps.map(({ step, type, name }) => {
    if (name.startsWith("File-")) return `${step} ${name.slice("File-".length)}`
    if (type === OBJECT) return `${step} ${name.endsWith(".zip") ? "zip" : "template"}`
    return `${step} ${type === BUCKET ? "bucket" : name}`
  })

const names = (requests: readonly EngineRequest[], urns: readonly string[]) =>
  requests.filter(({ urn }) => urns.includes(urn)).map(({ name }) => name)

describe("a first deployment", () => {
  test("creates the bucket, guards it, uploads to it, and only then creates the stacks, each after those that it needs", async () => {
    const { requests } = await deploy()
    const steps = told(planDeployment([], requests))
    expect(steps.every((step) => step.startsWith("create "))).toBe(true)
    const at = (step: string) => steps.indexOf(`create ${step}`)
    const guards = ["AssetsAccess", "AssetsOwnership", "AssetsEncryption", "AssetsVersioning", "AssetsPolicy"]
    for (const guard of guards) {
      expect(at("bucket")).toBeLessThan(at(guard))
      for (const upload of ["zip", "template"]) expect(at(guard)).toBeLessThan(at(upload))
    }
    for (const upload of ["zip", "template"])
      expect(steps.lastIndexOf(`create ${upload}`)).toBeLessThan(at("Data"))
    expect(steps.slice(-2)).toEqual(["create Data", "create Api"])
  })

  test("makes each stack wait for all uploads and for what guards them, not only come later", async () => {
    const { requests } = await deploy()
    const uploads = requests.filter(({ type }) => type === OBJECT).map(({ name }) => name)
    expect(uploads).toHaveLength(3)
    for (const { type, name, dependencies } of requests) {
      const before = names(requests, dependencies)
      if (type === STACK)
        expect({ name, before }).toMatchObject({ name, before: expect.arrayContaining(uploads) })
      if (type === STACK || type === OBJECT) {
        expect(before).toEqual(expect.arrayContaining(["AssetsAccess", "AssetsPolicy", "AssetsEncryption"]))
      }
    }
    const api = requests.find(({ name }) => name === "Api")
    expect(names(requests, api?.dependencies ?? [])).toContain("Data")
  })
})

describe("a later deployment", () => {
  test("of the same changes nothing", async () => {
    const [before, after] = [await deploy(), await deploy()]
    expect(planDeployment(before.requests, after.requests)).toEqual([])
  })

  test("of other code uploads it before the stack that runs it is changed, deletes the old code after that, and touches no other stack", async () => {
    const [before, after] = [await deploy(), await deploy({ code: "other code" })]
    const steps = told(planDeployment(before.requests, after.requests))
    expect(steps.slice(0, 2).sort()).toEqual(["create template", "create zip"])
    expect(steps.slice(2)).toEqual(["update Api", "delete template", "delete zip"])
    expect(after.outputs).toEqual(before.outputs)
  })

  test("of another output changes only the stack that has it, and shows it", async () => {
    const [before, after] = [await deploy(), await deploy({ output: "QueueName" })]
    expect(told(planDeployment(before.requests, after.requests))).toEqual([
      "create template",
      "update Data",
      "delete template",
    ])
    expect(after.outputs).toEqual({ ...before.outputs, QueueName: "value of QueueName" })
  })

  test("that restores what was deployed before restores the old code and outputs, and creates no stack again", async () => {
    const [before, after] = [await deploy({ code: "other code", output: "QueueName" }), await deploy()]
    const steps = told(planDeployment(before.requests, after.requests))
    expect(steps.slice(0, 3).sort()).toEqual(["create template", "create template", "create zip"])
    expect(steps.slice(3, 5)).toEqual(["update Data", "update Api"])
    expect(after.outputs).not.toHaveProperty("QueueName")
  })
})

describe("files for a bucket of a stack", () => {
  const files = { "a.js": "a", "b.js": "b", "index.html": "names a.js and b.js" }

  test("are uploaded when the stack exists, the page after all that it names", async () => {
    const { requests } = await deploy({ files })
    const steps = told(planDeployment([], requests))
    expect(steps.slice(-4, -1).sort()).toEqual(["create Api", "create a.js", "create b.js"])
    expect(steps.at(-1)).toBe("create index.html")
    const page = requests.find(({ name }) => name === "File-index.html")
    expect(names(requests, page?.dependencies ?? [])).toEqual(["Data", "File-a.js", "File-b.js"])
    expect(page?.inputs).toMatchObject({
      bucket: "value of FilesBucket",
      key: "index.html",
      contentType: "text/html",
      cacheControl: "no-cache",
    })
  })

  test("of another version are all there before the page changes, and old ones are deleted after it", async () => {
    const [before, after] = [
      await deploy({ files }),
      await deploy({ files: { "b.js": "b", "c.js": "c", "index.html": "names b.js and c.js" } }),
    ]
    const page = after.requests.find(({ name }) => name === "File-index.html")
    expect(names(after.requests, page?.dependencies ?? [])).toContain("File-c.js")
    const steps = told(planDeployment(before.requests, after.requests))
    expect(steps).toEqual(["create c.js", "update index.html", "delete a.js"])
  })

  test("are deleted before the stack whose bucket they are in", async () => {
    const { requests } = await deploy({ files })
    const steps = told(planDeployment(requests, []))
    for (const file of Object.keys(files)) {
      expect(steps.indexOf(`delete ${file}`)).toBeGreaterThanOrEqual(0)
      expect(steps.indexOf(`delete ${file}`)).toBeLessThan(steps.indexOf("delete Data"))
    }
  })
})

describe("a removal", () => {
  test("deletes stacks before those that they need, then what was uploaded, then the bucket", async () => {
    const { requests } = await deploy()
    const steps = told(planDeployment(requests, []))
    expect(steps.slice(0, 2)).toEqual(["delete Api", "delete Data"])
    expect(steps.slice(2, 5).sort()).toEqual(["delete template", "delete template", "delete zip"])
    expect(steps.at(-1)).toBe("delete bucket")
  })

  test("of production, should it be forced, leaves the stacks where they are", async () => {
    const { endpoint, close } = await startLambdaAccount({ quota: 1_000, unreserved: 1_000 })
    vi.stubEnv("AWS_ENDPOINT_URL_LAMBDA", endpoint)
    vi.stubEnv("SST_AWS_ACCESS_KEY_ID", "id")
    vi.stubEnv("SST_AWS_SECRET_ACCESS_KEY", "secret")
    const { requests } = await deploy({}, "production")
    close()
    expect(told(planDeployment(requests, [])).slice(0, 2)).toEqual(["forget Api", "forget Data"])
  })
})

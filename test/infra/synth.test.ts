import { execFile, spawnSync } from "node:child_process"
import { readdirSync, readFileSync } from "node:fs"
import { basename, join, resolve } from "node:path"
import { promisify } from "node:util"
import { afterEach, beforeAll, describe, expect, test, vi } from "vitest"
import * as z from "zod"
import { buildApp } from "../../stacks/app.ts"
import { resolveStage } from "../../stacks/config.ts"
import { readStage, temporaryFolder } from "./synthesize-stage.ts"

const ROOT = resolve(import.meta.dirname, "..", "..")
const SYNTH = [join(ROOT, "stacks", "synth.ts"), "--stage", "ada", "--out"]

const outputSchema = z.object({
  assembly: z.string(),
  stage: z.string(),
  region: z.string(),
  stacks: z.array(z.string()),
})

const manifestSchema = z.object({
  missing: z.array(z.unknown()).optional(),
  artifacts: z.record(z.string(), z.object({ type: z.string(), environment: z.string().optional() })),
})

/** Linux can take a process's network away; elsewhere the synthesis runs with an empty environment only. */
const hasNamespaces = spawnSync("unshare", ["-rn", "true"]).status === 0
const withoutNetwork = hasNamespaces ? ["unshare", "-rn", process.execPath] : [process.execPath]

/** Runs the synthesis where there is nothing but the files of the project. */
async function synthesizeAlone() {
  const [program = "", ...before] = withoutNetwork
  const folder = temporaryFolder()
  const { stdout } = await promisify(execFile)(program, [...before, ...SYNTH, folder], {
    cwd: temporaryFolder(),
    env: { PATH: "/usr/bin:/bin" },
  })
  return { folder, output: outputSchema.parse(JSON.parse(stdout)) }
}

/** Synthesizes the same bundles in this process, as one whose environment says all that it could. */
function synthesizeHere(bundlesFolder: string): string {
  const outFolder = temporaryFolder()
  vi.stubEnv("AWS_REGION", "eu-west-3")
  vi.stubEnv("AWS_ACCESS_KEY_ID", "AKIAIOSFODNN7EXAMPLE")
  vi.stubEnv("AWS_SECRET_ACCESS_KEY", "secret-marker")
  vi.stubEnv("CDK_DEFAULT_ACCOUNT", "111122223333")
  vi.stubEnv("CDK_DEFAULT_REGION", "eu-west-3")
  vi.stubEnv("CDK_CONTEXT_JSON", JSON.stringify({ "@aws-cdk/aws-iam:minimizePolicies": false }))
  const bundles = readdirSync(bundlesFolder).map((file) => ({
    functionName: basename(file, ".zip"),
    zipPath: join(bundlesFolder, file),
    handler: "index.handler" as const,
    bytes: 0,
    sources: [],
  }))
  buildApp({ stage: resolveStage("ada"), outFolder, bundles }).synth()
  return outFolder
}

const templatesOf = (folder: string) =>
  new Map(
    readdirSync(folder)
      .filter((file) => /\.(template|assets)\.json$/.test(file))
      .map((file) => [file, readFileSync(join(folder, file), "utf8")]),
  )

let alone: Awaited<ReturnType<typeof synthesizeAlone>>

beforeAll(async () => {
  alone = await synthesizeAlone()
}, 120_000)
afterEach(() => {
  vi.unstubAllEnvs()
})

describe("the synthesis", () => {
  test(`needs no credentials and no environment${hasNamespaces ? ", nor a network" : ""}, and looks nothing up`, () => {
    const { output, folder } = alone
    expect(output).toMatchObject({ assembly: folder, stage: "ada", region: "us-east-1" })
    expect(output.stacks.length).toBe(readStage(folder, "ada").templates.size)
    const manifest = manifestSchema.parse(JSON.parse(readFileSync(join(folder, "manifest.json"), "utf8")))
    expect(manifest.missing).toBeUndefined()
    const environments = Object.values(manifest.artifacts).flatMap(({ environment }) => environment ?? [])
    expect(new Set(environments)).toEqual(new Set(["aws://unknown-account/us-east-1"]))
  })

  test("gives the same templates and assets whatever the environment says", () => {
    const templates = templatesOf(alone.folder)
    expect(templates.size).toBeGreaterThan(20)
    expect(templatesOf(synthesizeHere(join(alone.folder, "bundles")))).toEqual(templates)
  })

  test("asks for the bucket of code where there are functions, and nowhere else", () => {
    const { ofType, templates } = readStage(alone.folder, "ada")
    const asking = [...templates].map(([stack, { Parameters }]) => [stack, Object.keys(Parameters)] as const)
    const withFunctions = new Set(ofType("AWS::Lambda::Function").map(({ stack }) => stack))
    expect(new Map(asking)).toEqual(
      new Map(asking.map(([stack]) => [stack, withFunctions.has(stack) ? ["AssetsBucket"] : []])),
    )
  })

  test("ends with a message when it is not told the stage", () => {
    const script = join(ROOT, "stacks", "synth.ts")
    const { status, stderr } = spawnSync(process.execPath, [script], { encoding: "utf8" })
    expect(status).not.toBe(0)
    expect(stderr).toContain("It takes --stage <name> and --out <folder>.")
  })
})

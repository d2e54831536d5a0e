import { spawnSync } from "node:child_process"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { afterEach, beforeAll, describe, expect, test, vi } from "vitest"
import * as z from "zod"
import { buildApp } from "../../../stacks/app.ts"
import type { FunctionBundle } from "../../../stacks/bundles/function-bundle.ts"
import { PROJECT_ROOT } from "../../../stacks/bundles/project-root.ts"
import { resolveStage } from "../../../stacks/config.ts"
import { readStage, temporaryFolder } from "../synthesize-stage.ts"
import { writeAssembly } from "../write-assembly.ts"
import { hasNamespaces, type SynthesizedAlone, synthesizedAlone } from "./made-once.ts"

const manifestSchema = z.object({
  missing: z.array(z.unknown()).optional(),
  artifacts: z.record(z.string(), z.object({ type: z.string(), environment: z.string().optional() })),
})

/** Synthesizes the same bundles in this process, as one whose environment says all that it could. */
function synthesizeHere(bundles: readonly FunctionBundle[]): string {
  const outFolder = temporaryFolder()
  vi.stubEnv("AWS_REGION", "eu-west-3")
  vi.stubEnv("AWS_ACCESS_KEY_ID", "AKIAIOSFODNN7EXAMPLE")
  vi.stubEnv("AWS_SECRET_ACCESS_KEY", "secret-marker")
  vi.stubEnv("CDK_DEFAULT_ACCOUNT", "111122223333")
  vi.stubEnv("CDK_DEFAULT_REGION", "eu-west-3")
  vi.stubEnv("CDK_CONTEXT_JSON", JSON.stringify({ "@aws-cdk/aws-iam:minimizePolicies": false }))
  writeAssembly(buildApp({ stage: resolveStage("ada"), outFolder, bundles }))
  return outFolder
}

const templatesOf = (folder: string) =>
  new Map(
    readdirSync(folder)
      .filter((file) => /\.(template|assets)\.json$/.test(file))
      .map((file) => [file, readFileSync(join(folder, file), "utf8")]),
  )

let alone: SynthesizedAlone

beforeAll(async () => {
  alone = await synthesizedAlone()
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

  test("makes the same templates and assets in any environment", () => {
    const templates = templatesOf(alone.folder)
    expect(templates.size).toBeGreaterThan(20)
    expect(templatesOf(synthesizeHere(alone.bundles))).toEqual(templates)
  })

  test("requires the bucket of code where there are functions, and nowhere else", () => {
    const { ofType, templates } = readStage(alone.folder, "ada")
    const asking = [...templates].map(([stack, { Parameters }]) => [stack, Object.keys(Parameters)] as const)
    const withFunctions = new Set(ofType("AWS::Lambda::Function").map(({ stack }) => stack))
    expect(new Map(asking)).toEqual(
      new Map(asking.map(([stack]) => [stack, withFunctions.has(stack) ? ["AssetsBucket"] : []])),
    )
  })

  test("ends with a message when the stage is missing", () => {
    const script = join(PROJECT_ROOT, "stacks", "synth.ts")
    const { status, stderr } = spawnSync(process.execPath, [script], { encoding: "utf8" })
    expect(status).not.toBe(0)
    expect(stderr).toContain("It takes --stage <name> and --out <folder>.")
  })
})

import { execFile, spawnSync } from "node:child_process"
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { promisify } from "node:util"
import * as z from "zod"
import { BUNDLES_LIST, type FunctionBundle } from "../../../stacks/bundles/function-bundle.ts"
import { PROJECT_ROOT } from "../../../stacks/bundles/project-root.ts"
import { temporaryFolder } from "../synthesize-stage.ts"

const SYNTH = [join(PROJECT_ROOT, "scripts", "run.mjs"), join("stacks", "synth.ts")]
/** An environment with only a path to programs, and without the CDK's validation, which `stacks/nag.ts` covers. */
const ENVIRONMENT = { PATH: "/usr/bin:/bin", CDK_VALIDATION: "false" }

const outputSchema = z.object({
  assembly: z.string(),
  stage: z.string(),
  region: z.string(),
  stacks: z.array(z.string()),
})

const bundlesSchema = z.array(
  z.object({
    functionName: z.string(),
    zipPath: z.string(),
    handler: z.literal("index.handler"),
    bytes: z.number(),
    sources: z.array(z.string()),
  }),
)

/** A stage that was synthesized, with its bundles, by a separate process. */
export interface SynthesizedAlone {
  readonly folder: string
  readonly bundles: readonly FunctionBundle[]
  readonly output: z.infer<typeof outputSchema>
}

/** Linux can cut a process off the network; elsewhere the synthesis only runs with an empty environment. */
export const hasNamespaces = spawnSync("unshare", ["-rn", "true"]).status === 0

let alone: Promise<SynthesizedAlone> | null = null

/** The stage `ada`, synthesized where there is nothing but the files of the project. */
export function synthesizedAlone(): Promise<SynthesizedAlone> {
  alone ??= synthesizeAlone()
  return alone
}

async function synthesizeAlone(): Promise<SynthesizedAlone> {
  const withoutNetwork = hasNamespaces ? ["unshare", "-rn", process.execPath] : [process.execPath]
  const [program = "", ...before] = withoutNetwork
  const folder = temporaryFolder()
  const { stdout } = await promisify(execFile)(
    program,
    [...before, ...SYNTH, "--stage", "ada", "--out", folder],
    { cwd: temporaryFolder(), env: ENVIRONMENT },
  )
  const output = outputSchema.parse(JSON.parse(stdout))
  const bundles = bundlesSchema.parse(JSON.parse(await readFile(join(folder, BUNDLES_LIST), "utf8")))
  return { folder, bundles, output }
}

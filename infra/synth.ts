import { spawn } from "node:child_process"
import { once } from "node:events"
import { rm } from "node:fs/promises"
import { join } from "node:path"

export interface SynthesisOptions {
  /** The project's folder. */
  readonly root: string
  readonly stage: string
  /** Variables of this process. Those that could change the stacks are not passed on. */
  readonly environment: Readonly<Record<string, string | undefined>>
}

const TIMEOUT_MS = 10 * 60_000
const MAX_OUTPUT_CHARACTERS = 20_000

/**
 * Bundles the functions and synthesizes the stacks of a stage, without credentials and in a process of its own: the CDK
 * does not survive being bundled into `sst.config.ts`.
 *
 * @returns the folder of the cloud assembly
 * @throws Error with the process's output, when it fails
 */
export async function synthesize({ root, stage, environment }: SynthesisOptions): Promise<string> {
  const folder = join(root, ".sst", "assembly", stage)
  // Files of an earlier synthesis could hide that one is missing.
  await rm(folder, { recursive: true, force: true })
  const script = [join("scripts", "run.mjs"), join("stacks", "synth.ts")]
  const child = spawn(process.execPath, [...script, "--stage", stage, "--out", folder, "--compile-caches"], {
    cwd: root,
    env: neutral(environment),
    stdio: ["ignore", "pipe", "pipe"],
    timeout: TIMEOUT_MS,
  })
  let output = ""
  const keepEnd = (chunk: Buffer) => {
    output = (output + chunk).slice(-MAX_OUTPUT_CHARACTERS)
  }
  child.stdout.on("data", keepEnd)
  child.stderr.on("data", keepEnd)
  const [status, signal] = await once(child, "close")
  if (status !== 0) {
    const end = signal === null ? `with status ${status}` : `by ${signal}`
    throw new Error(`The stacks of the stage ${stage} could not be synthesized; it ended ${end}:\n${output}`)
  }
  return folder
}

/**
 * Returns the variables without those that name an account or a way to one, and without those that SST and Pulumi set
 * for their own processes.
 */
function neutral(environment: SynthesisOptions["environment"]): Record<string, string | undefined> {
  const isKept = ([name]: readonly [string, unknown]) => !/^(AWS|CDK|SST|PULUMI)_|^NODE_OPTIONS$/.test(name)
  return Object.fromEntries(Object.entries(environment).filter(isKept))
}

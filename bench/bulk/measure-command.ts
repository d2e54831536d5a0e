import { spawn } from "node:child_process"
import { once } from "node:events"
import { readFile } from "node:fs/promises"
import { fileURLToPath } from "node:url"

const BIN = fileURLToPath(new URL("../../packages/cli/bin/sealway.mjs", import.meta.url))
const MIB = 1024 * 1024
const SAMPLE_EVERY_MS = 100

export interface CommandMeasurement {
  /** From the start of the process to its end. */
  readonly seconds: number
  /** The peak of resident memory; NaN where `/proc` does not report it. */
  readonly peakMebibytes: number
}

/** Runs the command line as a process. */
export async function measureCommand(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<CommandMeasurement> {
  const startMs = performance.now()
  const child = spawn(process.execPath, [BIN, ...args], {
    env: { PATH: process.env.PATH, ...env },
    stdio: ["ignore", "ignore", "inherit"],
  })
  let peakMebibytes = Number.NaN
  const sample = async () => {
    const status = await readFile(`/proc/${child.pid}/status`, "utf8").catch(() => "")
    const [, kibibytes] = /VmHWM:\s+(\d+)/.exec(status) ?? []
    if (kibibytes !== undefined) peakMebibytes = (Number(kibibytes) * 1024) / MIB
  }
  const timer = setInterval(() => void sample(), SAMPLE_EVERY_MS)
  const [status] = await once(child, "exit")
  clearInterval(timer)
  if (status !== 0) throw new Error(`sealway ended with status ${status}`)
  return { seconds: (performance.now() - startMs) / 1000, peakMebibytes }
}

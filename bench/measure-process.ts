import { spawn } from "node:child_process"
import { once } from "node:events"
import { readdir, readFile, writeFile } from "node:fs/promises"
import { fileURLToPath } from "node:url"

const BIN = fileURLToPath(new URL("../packages/clients/cli/bin/sealway.mjs", import.meta.url))
const MIB = 1024 * 1024
const SAMPLE_EVERY_MS = 20

export interface ProcessMeasurement {
  /** From the start of the process to its end. */
  readonly seconds: number
  /** The peak of resident memory; NaN where `/proc` does not report it. */
  readonly peakMebibytes: number
}

/** Runs the command line as a process. */
export function measureCommand(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<ProcessMeasurement> {
  return measureProcess([BIN, ...args], env)
}

/** Runs a script of Node.js as a process. */
export async function measureProcess(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<ProcessMeasurement> {
  const startMs = performance.now()
  const child = spawn(process.execPath, args, {
    env: { PATH: process.env.PATH, ...env },
    stdio: ["ignore", "ignore", "inherit"],
  })
  let peakMebibytes = Number.NaN
  const sample = async () => {
    const peak = await peakMebibytesOf(child.pid ?? 0)
    if (!Number.isNaN(peak)) peakMebibytes = peak
  }
  const timer = setInterval(() => void sample(), SAMPLE_EVERY_MS)
  const [status] = await once(child, "exit")
  clearInterval(timer)
  if (status !== 0) throw new Error(`${args[0]} ended with status ${status}`)
  return { seconds: (performance.now() - startMs) / 1000, peakMebibytes }
}

/** Lets a running process's peak of resident memory start again, where `/proc` can. */
export async function forgetPeak(pid: number): Promise<void> {
  await writeFile(`/proc/${pid}/clear_refs`, "5").catch(() => undefined)
}

/** Returns the peak of resident memory of a running process; NaN where `/proc` does not report it. */
export async function peakMebibytesOf(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "utf8").catch(() => "")
  const [, kibibytes] = /VmHWM:\s+(\d+)/.exec(status) ?? []
  return (Number(kibibytes ?? Number.NaN) * 1024) / MIB
}

/** Returns the CPU time that a running process's threads have taken, in microseconds; NaN where `/proc` does not report it. */
export async function cpuMicrosecondsOf(pid: number): Promise<number> {
  const threads = await readdir(`/proc/${pid}/task`).catch(() => [])
  const nanoseconds = await Promise.all(
    threads.map(async (thread) => {
      // Unlike `stat`, it does not count in hundredths of a second.
      const [spent] = (await readFile(`/proc/${pid}/task/${thread}/schedstat`, "utf8")).split(" ")
      return Number(spent)
    }),
  )
  return threads.length === 0 ? Number.NaN : nanoseconds.reduce((sum, each) => sum + each, 0) / 1000
}

import { spawnSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import type { Row } from "./benchmark.ts"

const BIN = fileURLToPath(new URL("../packages/clients/cli/bin/sealway.mjs", import.meta.url))
const RUNS = 15
/** The unit of the counters in `/proc`. */
const TICKS_PER_SECOND = 100
/** The limit for the start of a command, in milliseconds of CPU. */
const ALLOWED_MS = 250
const COMMANDS = [["--version"], ["--help"], ["encrypt", "--help"]]

export const description = `What a command of the command line needs to start: CPU time of the process, user and system, the mean of ${RUNS} runs,
beside that of a Node.js that does nothing. Node.js keeps what it has compiled; without that is a first start. Where the machine's own Node.js is too old
for TypeScript, it starts another, and its own time comes on top: that of one more \`node -e 0\`.`

export async function run(): Promise<readonly Row[]> {
  const nothing = cpuMs(["-e", "0"])
  const commands = COMMANDS.map((args) => ({ name: args.join(" "), ms: cpuMs([BIN, ...args]) }))
  const first = cpuMs([BIN, "encrypt", "--help"], { NODE_DISABLE_COMPILE_CACHE: "1" })
  const slowest = Math.max(...commands.map(({ ms }) => ms))
  const unit = "ms of CPU"
  const alone = { unit, ratio: null, requiredRatio: null }
  return [
    { name: "node -e 0", figure: nothing, ...alone },
    ...commands.map(({ name, ms }) => ({ name: `sealway ${name}`, figure: ms, ...alone })),
    { name: "sealway encrypt --help, nothing compiled", figure: first, ...alone },
    { name: "what each may need", figure: ALLOWED_MS, unit, ratio: ALLOWED_MS / slowest, requiredRatio: 1 },
  ]
}

/** Returns the mean over some runs, after two that fill caches. */
function cpuMs(args: readonly string[], env: Readonly<Record<string, string>> = {}): number {
  const start = () => {
    const { status } = spawnSync(process.execPath, args, { stdio: "ignore", env: { ...process.env, ...env } })
    if (status !== 0) throw new Error(`${args.join(" ")} ended with status ${status}`)
  }
  start()
  start()
  const before = childrenTicks()
  for (let index = 0; index < RUNS; index++) start()
  return ((childrenTicks() - before) * 1000) / TICKS_PER_SECOND / RUNS
}

/** Returns the CPU time of all child processes that have ended, with their own children. */
function childrenTicks(): number {
  // The command's name, in parentheses, may contain spaces. Fields are counted after it, from the third on.
  const fields = readFileSync("/proc/self/stat", "utf8").split(") ").at(-1)?.split(" ") ?? []
  return Number(fields[13]) + Number(fields[14])
}

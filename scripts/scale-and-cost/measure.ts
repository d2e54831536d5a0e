import { execFile } from "node:child_process"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { median } from "../../bench/median.ts"
import { describeMachine } from "../../bench/results-table.ts"
import { buildFunctions } from "../../stacks/bundles/build-functions.ts"
import { findFunctions } from "../../stacks/bundles/find-functions.ts"
import { callsOf } from "./count-operations.ts"
import { startCountedCloud } from "./counted-service.ts"
import type { Measurements } from "./measured.ts"
import { OPERATIONS } from "./operations.ts"

const WARM_UP = 200
const REQUESTS = 300
const STARTS = 11
const run = promisify(execFile)

/** Measures what the model cannot count. Meant for an otherwise idle machine. */
export async function measure(): Promise<Measurements> {
  return { machine: describeMachine(), handlerMs: await measureHandlers(), startMs: await measureStarts() }
}

/**
 * Measures handlers. Those that wait for AWS in every request cannot be measured without it, and count as the slowest
 * of the others.
 */
async function measureHandlers(): Promise<Record<string, number>> {
  const cloud = await startCountedCloud()
  const handlerMs: Record<string, number> = {}
  const unmeasured: string[] = []
  try {
    for (const { name, prepare } of OPERATIONS) {
      const request = await prepare(cloud.newEnvironment(), cloud)
      const environment = cloud.newEnvironment()
      for (let times = 0; times < WARM_UP; times++) await environment.send(request)
      if (callsOf(await environment.count(request)) > 0) {
        unmeasured.push(name)
        continue
      }
      const durations: number[] = []
      for (let times = 0; times < REQUESTS; times++) {
        // The clocks that handlers see stand still.
        const begunNs = process.hrtime.bigint()
        await environment.send(request)
        durations.push(Number(process.hrtime.bigint() - begunNs) / 1e6)
      }
      handlerMs[name] = round(median(durations))
    }
  } finally {
    await cloud.close()
  }
  const slowestMs = Math.max(...Object.values(handlerMs))
  for (const name of unmeasured) handlerMs[name] = slowestMs
  return handlerMs
}

/** Measures from the start of Node.js until a bundle is loaded, in a fresh process each. */
async function measureStarts(): Promise<Record<string, number>> {
  const wanted = new Set(OPERATIONS.map(({ endpointId }) => endpointId))
  const folder = await mkdtemp(join(tmpdir(), "sealway-starts-"))
  const startMs: Record<string, number> = {}
  try {
    for (const { functionName, code, libraries } of await buildFunctions(await findFunctions())) {
      if (!wanted.has(functionName)) continue
      const file = join(folder, `${functionName}.cjs`)
      await writeFile(file, code)
      for (const library of libraries) await writeFile(join(folder, library.file), library.code)
      const durations: number[] = []
      for (let times = 0; times < STARTS; times++) durations.push(await startOnce(file))
      startMs[functionName] = round(median(durations))
    }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
  return startMs
}

async function startOnce(file: string): Promise<number> {
  const program = `await import(${JSON.stringify(file)}); process.stdout.write(String(performance.now()))`
  const env = {
    AWS_REGION: "us-east-1",
    SEALWAY_CONFIG_TABLE: "config",
    SEALWAY_KEYS_TABLE: "keys",
    SEALWAY_AUDIT_TABLE: "audit",
    SEALWAY_EVENTS_TABLE: "events",
    SEALWAY_KMS_KEY_ID: "alias/sealway",
  }
  const { stdout } = await run(process.execPath, ["--input-type=module", "-e", program], { env })
  return Number(stdout)
}

const round = (value: number) => Number(value.toPrecision(3))

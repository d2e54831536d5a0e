import { type ChildProcess, spawn } from "node:child_process"
import { createWriteStream, readFileSync } from "node:fs"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Readable } from "node:stream"
import { pipeline } from "node:stream/promises"
import { setTimeout as delay } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import * as z from "zod"
import type { Row } from "./benchmark.ts"

/** What `npm start` runs. */
const RUN = fileURLToPath(new URL("../scripts/run.mjs", import.meta.url))
const SERVICE = "packages/hosts/local/src/main.ts"
const COMMAND = fileURLToPath(new URL("../packages/clients/cli/bin/sealway.mjs", import.meta.url))
const ROWS = 1_000_000
/** Rows of one write. */
const ROWS_AT_ONCE = 10_000
const ALLOWED_SECONDS = 300
const ALLOWED_MEBIBYTES = 300
const SAMPLE_MS = 500
const MEBIBYTE = 1024 * 1024

const readySchema = z.object({ url: z.string(), teamKey: z.string() })

/**
 * Measures how long `sealway bins import` takes for a million rows, and the largest memory of it and the service
 * meanwhile.
 */
export async function measureBinImport(): Promise<readonly Row[]> {
  const folder = await mkdtemp(join(tmpdir(), "sealway-bench-"))
  const args = ["--port", "0", "--data", join(folder, "data"), "--json"]
  const service = spawn(process.execPath, [RUN, SERVICE, ...args], { stdio: ["ignore", "pipe", "inherit"] })
  try {
    const file = join(folder, "rows.csv")
    await pipeline(Readable.from(csv()), createWriteStream(file))
    const { url, teamKey } = readySchema.parse(await firstLine(service))
    const idle = memoryOf(service)
    const begun = performance.now()
    const command = spawn(process.execPath, [COMMAND, "bins", "import", file], {
      stdio: "ignore",
      env: { ...process.env, SEALWAY_URL: url, SEALWAY_TEAM_KEY: teamKey },
    })
    const ended = new Promise<number | null>((resolve) => command.on("exit", resolve))
    const most = { service: idle, command: 0, both: idle }
    while (command.exitCode === null && command.signalCode === null) {
      const [ofService, ofCommand] = [memoryOf(service), memoryOf(command)]
      most.service = Math.max(most.service, ofService)
      most.command = Math.max(most.command, ofCommand)
      most.both = Math.max(most.both, ofService + ofCommand)
      await Promise.race([ended, delay(SAMPLE_MS)])
    }
    const seconds = (performance.now() - begun) / 1000
    const status = await ended
    if (status !== 0) throw new Error(`sealway bins import ended with status ${status}`)
    const alone = { ratio: null, requiredRatio: null }
    const memory = (name: string, bytes: number) => ({ name, figure: bytes / MEBIBYTE, unit: "MiB" })
    return [
      {
        name: "import of 1,000,000 BIN rows",
        figure: seconds,
        unit: "s",
        ratio: ALLOWED_SECONDS / seconds,
        requiredRatio: 1,
      },
      { ...memory("service before the import", idle), ...alone },
      { ...memory("service during the import, at most", most.service), ...alone },
      { ...memory("command during the import, at most", most.command), ...alone },
      {
        ...memory("both together, at most", most.both),
        ratio: (ALLOWED_MEBIBYTES * MEBIBYTE) / most.both,
        requiredRatio: 1,
      },
    ]
  } finally {
    service.kill()
    await new Promise((resolve) => (service.exitCode === null ? service.on("exit", resolve) : resolve(null)))
    await rm(folder, { recursive: true, force: true })
  }
}

function* csv(): Generator<string> {
  yield "from,to,brand,funding,segment,country,currency,issuer,productName\n"
  for (let first = 0; first < ROWS; first += ROWS_AT_ONCE) {
    let lines = ""
    for (let row = first; row < first + ROWS_AT_ONCE; row++) {
      const prefix = 40_000_000 + row * 10
      lines += `${prefix},${prefix},visa,credit,consumer,ie,eur,Issuer ${row % 5_000},Product ${row % 7}\n`
    }
    yield lines
  }
}

function firstLine(process: ChildProcess): Promise<unknown> {
  return new Promise((resolve, reject) => {
    let text = ""
    process.stdout?.setEncoding("utf8").on("data", (chunk: string) => {
      text += chunk
      const end = text.indexOf("\n")
      if (end !== -1) resolve(JSON.parse(text.slice(0, end)))
    })
    process.on("exit", () => reject(new Error("The service has ended")))
  })
}

/** Resident memory of a process and those that it has started, in bytes, with what several share divided among them (PSS). */
function memoryOf({ pid = 0 }: ChildProcess): number {
  return processTree(pid).reduce((sum, each) => {
    const [, kibibytes] = /^Pss:\s+(\d+)/m.exec(fileOf(each, "smaps_rollup")) ?? []
    return sum + Number(kibibytes ?? 0) * 1024
  }, 0)
}

function processTree(pid: number): readonly number[] {
  const children = fileOf(pid, `task/${pid}/children`).trim()
  return [pid, ...(children === "" ? [] : children.split(" ").flatMap((each) => processTree(Number(each))))]
}

/** Empty where the process has ended. */
function fileOf(pid: number, name: string): string {
  try {
    return readFileSync(`/proc/${pid}/${name}`, "utf8")
  } catch {
    return ""
  }
}

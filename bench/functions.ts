import { type ChildProcess, fork, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as delay } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import { zipSync } from "fflate"
import * as z from "zod"
import type { Row } from "./benchmark.ts"
import { median } from "./median.ts"

const RUNS = 1_000
const KILLS = 5
const WARM_RUNS = 500
const COLD_STARTS = 7

export const description = `Functions on one machine, by HTTP on loopback, one request after another. A warm run of a function that does nothing goes
through the gateway, the handler, the policies, the host of functions and a process of the customer's code; beside it, the bare round trip of
a message to a child process and back, and \`ratio\` is that time divided by the run's. A cold start is the first run of a new function.
Last, ${RUNS} runs are queued while the whole service is killed ${KILLS} times and started again; the figure is from the first to the last one's end.
It fails when a run is lost, or two are recorded for one.`

const MAIN = fileURLToPath(new URL("../packages/hosts/local/src/main.ts", import.meta.url))
const ECHO = fileURLToPath(new URL("echo-process.ts", import.meta.url))

/** Functions that do nothing. */
const LANGUAGES = {
  "node@24": { handler: "index.mjs", code: "export const handler = async () => null\n" },
  "python@3.13": { handler: "index.py", code: "def handler(payload, context):\n    return None\n" },
} as const
type Language = keyof typeof LANGUAGES

const startedSchema = z.object({
  url: z.string(),
  apps: z.array(z.object({ id: z.string(), apiKey: z.string() })).min(1),
})
const runSchema = z.object({ status: z.string() })
const functionSchema = z.object({ status: z.string() })
const pageSchema = z.object({
  data: z.array(z.object({ id: z.string(), status: z.string() })),
  hasMore: z.boolean(),
})

export async function run(): Promise<readonly Row[]> {
  const folder = await mkdtemp(join(tmpdir(), "sealway-bench-"))
  let service = await Service.start(folder)
  try {
    const bare = await bareRoundTrips()
    const rows: Row[] = [
      { name: "a message to a child process and back", figure: bare, unit: "ms", ...STANDALONE },
    ]
    for (const language of Object.keys(LANGUAGES) as Language[]) {
      const cold = await coldStarts(service, language)
      const warm = await warmRuns(service, language)
      rows.push(
        {
          name: `a warm run, ${language}`,
          figure: warm,
          unit: "ms",
          ratio: bare / warm,
          requiredRatio: null,
        },
        { name: `a cold start, ${language}`, figure: cold, unit: "ms", ...STANDALONE },
      )
    }
    const startedMs = performance.now()
    service = await queueUnderFire(service, folder)
    const seconds = (performance.now() - startedMs) / 1000
    const name = `${RUNS} queued runs, killed ${KILLS} times`
    return [...rows, { name, figure: seconds, unit: "s", ...STANDALONE }]
  } finally {
    await service.kill()
    await rm(folder, { recursive: true })
  }
}

const STANDALONE = { ratio: null, requiredRatio: null }

/** Runs Sealway in a separate process, which can be killed. */
class Service {
  readonly #process: ChildProcess
  readonly #url: string
  readonly #headers: Record<string, string>

  private constructor(process: ChildProcess, { url, apps: [app] }: z.infer<typeof startedSchema>) {
    this.#process = process
    this.#url = url
    this.#headers = { "api-key": app?.apiKey ?? "", "content-type": "application/json" }
  }

  static async start(folder: string): Promise<Service> {
    const child = spawn(process.execPath, [MAIN, "--port", "0", "--data", folder, "--json"], {
      stdio: ["ignore", "pipe", "inherit"],
    })
    const [line] = await once(child.stdout, "data")
    return new Service(child, startedSchema.parse(JSON.parse(String(line))))
  }

  async kill(): Promise<void> {
    const ended = once(this.#process, "exit")
    this.#process.kill("SIGKILL")
    await ended
  }

  async call(method: "GET" | "POST", path: string, body?: object): Promise<unknown> {
    const response = await fetch(this.#url + path, {
      method,
      headers: this.#headers,
      ...(body && { body: JSON.stringify(body) }),
    })
    const answer: unknown = await response.json()
    if (!response.ok) throw new Error(`${path} answers ${response.status}: ${JSON.stringify(answer)}`)
    return answer
  }

  async deploy(name: string, language: Language): Promise<void> {
    const { handler, code } = LANGUAGES[language]
    const zip = Buffer.from(zipSync({ [handler]: Buffer.from(code) }))
    await this.call("POST", "/functions", { name, language, handler, code: zip.toString("base64") })
    for (;;) {
      const { status } = functionSchema.parse(await this.call("GET", `/functions/${name}`))
      if (status === "ready") return
      if (status === "failed") throw new Error(`${name} is not deployed`)
      await delay(20)
    }
  }

  async runNow(name: string): Promise<number> {
    const startedMs = performance.now()
    const { status } = runSchema.parse(await this.call("POST", `/functions/${name}/runs`, { payload: {} }))
    if (status !== "success") throw new Error(`A run of ${name} ends as ${status}`)
    return performance.now() - startedMs
  }
}

async function coldStarts(service: Service, language: Language): Promise<number> {
  const times: number[] = []
  for (let number = 0; number < COLD_STARTS; number++) {
    const name = nameOf(language, number)
    await service.deploy(name, language)
    times.push(await service.runNow(name))
  }
  return median(times)
}

async function warmRuns(service: Service, language: Language): Promise<number> {
  const times: number[] = []
  for (let number = 0; number < WARM_RUNS; number++) times.push(await service.runNow(nameOf(language, 0)))
  return median(times)
}

const nameOf = (language: Language, number: number) => `${language.replace(/[^a-z0-9]/g, "-")}-${number}`

async function bareRoundTrips(): Promise<number> {
  const child = fork(ECHO)
  const times: number[] = []
  for (let number = 0; number < WARM_RUNS; number++) {
    const startedMs = performance.now()
    child.send({ payload: {} })
    await once(child, "message")
    times.push(performance.now() - startedMs)
  }
  child.disconnect()
  return median(times)
}

/** Queues runs, and kills the service in between. @returns the service as it was last started */
async function queueUnderFire(first: Service, folder: string): Promise<Service> {
  let service = first
  const name = "under-fire"
  await service.deploy(name, "node@24")
  for (let number = 1; number <= RUNS; number++) {
    await service.call("POST", `/functions/${name}/runs`, { payload: { number }, async: true })
    if (number % (RUNS / KILLS) !== 0) continue
    await service.kill()
    service = await Service.start(folder)
  }
  for (;;) {
    const runs = await listRuns(service, name)
    if (runs.size > RUNS) throw new Error(`${runs.size} runs are recorded for ${RUNS}`)
    const ended = [...runs.values()].filter((status) => status !== "scheduled")
    if (ended.some((status) => status !== "success")) throw new Error("A run has failed")
    if (ended.length === RUNS) return service
    await delay(200)
  }
}

async function listRuns(service: Service, name: string): Promise<ReadonlyMap<string, string>> {
  const runs = new Map<string, string>()
  for (let after = "", hasMore = true; hasMore; ) {
    const page = pageSchema.parse(await service.call("GET", `/functions/${name}/runs?limit=100${after}`))
    for (const { id, status } of page.data) {
      if (runs.has(id)) throw new Error("A run is recorded twice")
      runs.set(id, status)
    }
    after = `&startingAfter=${page.data.at(-1)?.id}`
    hasMore = page.hasMore
  }
  return runs
}

import { mkdtemp, rm } from "node:fs/promises"
import { Agent, request } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as delay } from "node:timers/promises"
import { createSimulatedNitro } from "@sealway/enclave/testing"
import * as z from "zod"
import type { Row } from "./benchmark.ts"
import { documentOf } from "./document-of.ts"
import { measureMemory } from "./overload-memory.ts"
import { type ServerProcess, startSealway, startServer } from "./server-process.ts"

const PEAK_CLIENTS = 32
/** Four times the limit of simultaneous requests to one endpoint. */
const OVERLOAD_CLIENTS = 4 * 128
const HANGING_CLIENTS = 60
const HANGING_FIELDS = 20_000
const SECONDS = 6
const PROBE_INTERVAL_MS = 10
/** The service asks for 1 second. */
const RETRY_AFTER_MS = 1000

export const description = `\`npm start\` under four times the load that it takes: ${OVERLOAD_CLIENTS} clients in a process of their own that send \`POST /encrypt\` again as soon as
they are answered, served or refused, and heed no \`Retry-After\`. Goodput is requests served; its peak is with ${PEAK_CLIENTS} clients.
Meanwhile a third process sends one request of one field after another and measures the time of those that are served (it does heed \`Retry-After\`);
\`ratio\` is goodput divided by its peak, and 20 times the idle p99 divided by the one under load. ${HANGING_CLIENTS} readers that hang
send ${HANGING_FIELDS.toLocaleString("en")} fields each and read none of the answers. Peak memory is that of the service's process while 128 clients at once send the
requests that take the most, and wait for the answers or leave; \`ratio\` is 800 MiB divided by it.`

interface Service {
  readonly port: number
  readonly headers: Readonly<Record<string, string>>
}

const startedSchema = z.object({
  url: z.string(),
  relayUrl: z.string(),
  teamKey: z.string(),
  id: z.string(),
  apiKey: z.string(),
})

/** @param only part of the names of the requests whose memory is measured, and then nothing else is. Null: everything */
export async function run(only: string | null): Promise<readonly Row[]> {
  const rows = only === null ? await measureLoad() : []
  return [...rows, ...(await measureMemoryOf(only))]
}

async function measureLoad(): Promise<readonly Row[]> {
  const sealway = startSealway()
  try {
    const { id, url, apiKey } = startedSchema.parse(await sealway.nextLine())
    const authorization = `Basic ${Buffer.from(`${id}:${apiKey}`).toString("base64")}`
    const service = {
      port: Number(new URL(url).port),
      headers: { "content-type": "application/json", authorization },
    }
    for (const fields of [1, 100]) await goodput(service, fields, PEAK_CLIENTS, 2)
    const idle = percentile99((await probe(service, delay(SECONDS * 1000))).times)
    const rows: Row[] = [plain("p99 of a small request, idle", idle, "ms")]
    for (const fields of [1, 100]) rows.push(...(await overload(service, fields, idle)))
    rows.push(...(await hang(service, idle)))
    return rows
  } finally {
    sealway.stop()
  }
}

/** Measures a service with its data on disk, where files are. */
async function measureMemoryOf(only: string | null): Promise<readonly Row[]> {
  const nitro = await createSimulatedNitro(Date.now)
  const folder = await mkdtemp(join(tmpdir(), "sealway-bench-"))
  const sealway = startSealway({ dataFolder: join(folder, "data"), enclaveRoot: nitro.rootFingerprint })
  try {
    const { id, ...started } = startedSchema.parse(await sealway.nextLine())
    return await measureMemory({ ...started, appId: id, pid: sealway.pid, nitro, folder }, only)
  } finally {
    sealway.stop()
    await rm(folder, { recursive: true, force: true, maxRetries: 5 })
  }
}

async function overload(service: Service, fields: number, idle: number): Promise<Row[]> {
  const peak = await goodput(service, fields, PEAK_CLIENTS, SECONDS)
  const [loaded, probed] = await Promise.all([
    goodput(service, fields, OVERLOAD_CLIENTS, SECONDS),
    probe(service, delay(SECONDS * 1000)),
  ])
  const suffix = fields === 1 ? "1 field" : `${fields} fields`
  return [
    plain(`goodput at its peak, ${suffix}`, peak.served, "requests/s"),
    {
      name: `goodput at 4 times the load, ${suffix}`,
      figure: loaded.served,
      unit: "requests/s",
      ratio: loaded.served / peak.served,
      requiredRatio: 0.8,
    },
    plain(`refused meanwhile, ${suffix}`, loaded.refused, "requests/s"),
    latency(`p99 of a small request at 4 times the load, ${suffix}`, probed.times, idle),
    plain(`small requests refused meanwhile, ${suffix}`, probed.refused, "%"),
  ]
}

async function hang(service: Service, idle: number): Promise<Row[]> {
  const clients = startClients(service, {
    fields: HANGING_FIELDS,
    clients: HANGING_CLIENTS,
    seconds: 0,
    reads: false,
  })
  try {
    const begun = clients.nextLine()
    const busy = await probe(service, begun)
    const settled = await probe(service, delay(SECONDS * 1000))
    return [
      plain("slowest small request while large documents are handled", Math.max(...busy.times), "ms"),
      latency("p99 of a small request while their readers hang", settled.times, idle),
      plain("small requests refused meanwhile", settled.refused, "%"),
    ]
  } finally {
    clients.stop()
  }
}

function plain(name: string, figure: number, unit: string): Row {
  return { name, figure, unit, ratio: null, requiredRatio: null }
}

function latency(name: string, times: readonly number[], idle: number): Row {
  const figure = percentile99(times)
  return { name, figure, unit: "ms", ratio: (20 * idle) / figure, requiredRatio: 1 }
}

interface ClientsTask {
  readonly fields: number
  readonly clients: number
  readonly seconds: number
  readonly reads: boolean
}

function startClients({ port, headers }: Service, task: ClientsTask): ServerProcess {
  const options = { port, headers, path: "/encrypt", ...task }
  return startServer("overload-clients.ts", [JSON.stringify(options)])
}

/** Returns two rates, both in requests per second. */
async function goodput(service: Service, fields: number, clients: number, seconds: number) {
  const process = startClients(service, { fields, clients, seconds, reads: true })
  try {
    const countsSchema = z.object({ served: z.int(), refused: z.int(), broken: z.int(), seconds: z.number() })
    const { served, refused, broken, seconds: measured } = countsSchema.parse(await process.nextLine())
    if (broken > 0) throw new Error(`${broken} connections broke`)
    return { served: served / measured, refused: refused / measured }
  } finally {
    process.stop()
  }
}

/** Returns the milliseconds of each small request that was served, and how many of 100 were not. */
async function probe({ port, headers }: Service, until: Promise<unknown>) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  let isOver = false
  const over = until.finally(() => {
    isOver = true
  })
  const times: number[] = []
  let refused = 0
  while (!isOver) {
    const startedAt = performance.now()
    const status = await post({ port, headers, agent }, documentOf(1))
    if (status === 200) times.push(performance.now() - startedAt)
    else refused += 1
    await delay(status === 200 ? PROBE_INTERVAL_MS : RETRY_AFTER_MS)
  }
  agent.destroy()
  await over
  return { times, refused: (100 * refused) / (refused + times.length) }
}

function post(options: Service & { readonly agent: Agent }, body: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = request({ ...options, host: "127.0.0.1", path: "/encrypt", method: "POST" }, (answer) => {
      answer.on("end", () => resolve(answer.statusCode ?? 0)).resume()
    })
    sent.on("error", reject).end(body)
  })
}

function percentile99(times: readonly number[]): number {
  return times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.99)] ?? Number.NaN
}

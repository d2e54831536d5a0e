import { Agent, request } from "node:http"
import { setTimeout as delay } from "node:timers/promises"
import * as z from "zod"
import type { Row } from "./benchmark.ts"
import { documentOf } from "./document-of.ts"
import { CASES, type Case } from "./fairness/cases.ts"
import { forgetPeak, peakMebibytesOf } from "./measure-process.ts"
import { startSealway, startServer } from "./server-process.ts"

const SECONDS = 4
const PROBE_INTERVAL_MS = 5
const MAX_P99_MS = 50
const MAX_MEBIBYTES = 512

export const description = `How long small requests wait while a large body is handled. One process runs \`npm start\`, a second sends it the bodies that take the most
work within the limits, again and again, and a third sends small requests with one field, one after another, the same way: by the
API, or through a relay that encrypts the field. \`ratio\` is ${MAX_P99_MS} ms divided by the p99 of the small requests; of peak memory, ${MAX_MEBIBYTES} MiB
divided by that of the service's process, with many bodies at a time.`

interface Door {
  readonly port: number
  readonly headers: Readonly<Record<string, string>>
  readonly smallPath: string
}

type Doors = Readonly<Record<Case["door"], Door>>

export async function run(): Promise<readonly Row[]> {
  const sealway = startSealway()
  const destination = startServer("fairness/destination.ts")
  try {
    const { port } = z.object({ port: z.int() }).parse(await destination.nextLine())
    const doors = await openDoors(await sealway.nextLine(), `http://127.0.0.1:${port}`)
    const rows: Row[] = []
    for (const door of ["api", "relay"] as const) {
      await probe(doors[door], delay(2_000))
      const idle = percentiles(await probe(doors[door], delay(SECONDS * 1000)))
      rows.push({
        name: `${door}, idle: p99`,
        figure: idle.p99,
        unit: "ms",
        ratio: null,
        requiredRatio: null,
      })
    }
    for (const each of CASES) rows.push(...(await measure(each, doors, sealway.pid)))
    return rows
  } finally {
    sealway.stop()
    destination.stop()
  }
}

const serverSchema = z.object({ url: z.string(), relayUrl: z.string(), id: z.string(), apiKey: z.string() })

async function openDoors(line: unknown, destinationDomain: string): Promise<Doors> {
  const { url, relayUrl, id, apiKey } = serverSchema.parse(line)
  const encrypt = (type: string, selector: string) => ({
    action: "encrypt",
    selections: [{ type, selector }],
  })
  const both = (selector: string) => [encrypt("json", selector), encrypt("xml", selector)]
  const decrypt = (type: string, selector: string) => ({
    action: "decrypt",
    selections: [{ type, selector }],
  })
  const routes = [
    { path: "/all", request: both("$..*") },
    {
      path: "/a",
      request: [...both("$.a"), encrypt("xml", "$.r['@a1']"), encrypt("form", "a"), encrypt("file", "scan")],
    },
    { path: "/opened", request: [decrypt("json", "$..*"), decrypt("xml", "$..*"), decrypt("form", "a")] },
    { path: "/names", request: [encrypt("json", "$.patients.*.name")] },
    { path: "/small", request: [encrypt("json", "$.field0")] },
  ].map((route) => ({ method: null, response: [], ...route }))
  const authorization = `Basic ${Buffer.from(`${id}:${apiKey}`).toString("base64")}`
  const response = await fetch(`${url}/relays`, {
    method: "POST",
    headers: { authorization, "content-type": "application/json" },
    body: JSON.stringify({ destinationDomain, routes, leakWatch: "alert" }),
  })
  const { relayDomain } = z.object({ relayDomain: z.string() }).parse(await response.json())
  return {
    api: { port: Number(new URL(url).port), headers: { authorization }, smallPath: "/encrypt" },
    relay: { port: Number(new URL(relayUrl).port), headers: { host: relayDomain }, smallPath: "/small" },
  }
}

async function measure(each: Case, doors: Doors, pid: number): Promise<readonly Row[]> {
  const { path, body, contentType, isEncrypted = false, wrapper = null, senders = 1 } = each
  const door = doors[each.door]
  const headers = { ...door.headers, "content-type": contentType }
  const encryptedBy = isEncrypted
    ? { port: doors.api.port, headers: { ...doors.api.headers, "content-type": "application/json" } }
    : null
  const task = { port: door.port, path, headers, body, encryptedBy, wrapper, senders }
  await forgetPeak(pid)
  const sender = startServer("fairness/sender.ts", [JSON.stringify(task)])
  try {
    const { status } = z.object({ status: z.int() }).parse(await sender.nextLine())
    if (status !== (each.status ?? 200)) throw new Error(`${each.name}, ${body}: answered ${status}`)
    const { p50, p99, max } = percentiles(await probe(door, delay(SECONDS * 1000)))
    const name = `${each.name}: ${body}`
    console.error(`  ${name}: p99 ${p99.toFixed(1)} ms`)
    return [
      { name: `${name}: p50`, figure: p50, unit: "ms", ratio: null, requiredRatio: null },
      {
        name: `${name}: p99`,
        figure: p99,
        unit: "ms",
        ratio: MAX_P99_MS / p99,
        requiredRatio: senders === 1 ? 1 : null,
      },
      { name: `${name}: longest`, figure: max, unit: "ms", ratio: null, requiredRatio: null },
      ...(senders === 1 ? [] : [peakRow(name, await peakMebibytesOf(pid))]),
    ]
  } finally {
    sender.stop()
  }
}

function peakRow(name: string, peak: number): Row {
  return {
    name: `${name}: peak memory`,
    figure: peak,
    unit: "MiB",
    ratio: MAX_MEBIBYTES / peak,
    requiredRatio: 1,
  }
}

/** Returns the milliseconds of each small request. */
async function probe(
  { port, headers, smallPath }: Door,
  until: Promise<unknown>,
): Promise<readonly number[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  let isOver = false
  const over = until.finally(() => {
    isOver = true
  })
  const times: number[] = []
  const options = {
    host: "127.0.0.1",
    port,
    path: smallPath,
    method: "POST",
    agent,
    headers: { ...headers, "content-type": "application/json" },
  }
  while (!isOver) {
    const startedAt = performance.now()
    const status = await post(options, documentOf(1))
    if (status === 200) times.push(performance.now() - startedAt)
    await delay(PROBE_INTERVAL_MS)
  }
  agent.destroy()
  await over
  return times
}

function post(options: Parameters<typeof request>[1] & object, body: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = request(options, (answer) => {
      answer.on("end", () => resolve(answer.statusCode ?? 0)).resume()
      answer.on("close", () => reject(new Error("The answer to a small request was cut off")))
    })
    sent.on("error", reject).end(body)
  })
}

function percentiles(times: readonly number[]) {
  const sorted = times.toSorted((a, b) => a - b)
  const at = (share: number) => sorted[Math.floor(sorted.length * share)] ?? Number.NaN
  return { p50: at(0.5), p99: at(0.99), max: sorted.at(-1) ?? Number.NaN }
}

import { once } from "node:events"
import { writeFile } from "node:fs/promises"
import { createServer } from "node:http"
import { join } from "node:path"
import { setTimeout as delay } from "node:timers/promises"
import * as z from "zod"
import type { Row } from "./benchmark.ts"
import { forgetPeak, peakMebibytesOf } from "./measure-process.ts"
import { CASES, type Case, type CrowdedService } from "./overload-cases.ts"
import { startServer } from "./server-process.ts"

const CLIENTS = 128
const MAX_MEBIBYTES = 800

/** How long a service takes at most to notice that clients have left. */
const SETTLE_MS = 500

export interface MeasuredService extends Omit<CrowdedService, "destination"> {
  readonly pid: number
  /** A temporary one. */
  readonly folder: string
}

/**
 * Measures the peak of resident memory with 128 clients at once that each send the most that one request may take.
 *
 * @param only part of the name of those to measure. Null: all
 */
export async function measureMemory(service: MeasuredService, only: string | null): Promise<readonly Row[]> {
  const destination = await startDestination()
  try {
    const rows: Row[] = []
    for (const each of CASES.filter(({ name }) => only === null || name.includes(only))) {
      const crowded = { ...service, destination }
      for (const leaves of [false, true]) rows.push(await measure(crowded, each, leaves))
    }
    return rows
  } finally {
    destination.stop()
  }
}

const countsSchema = z.object({
  served: z.int(),
  refused: z.int(),
  failed: z.int(),
  broken: z.int(),
  left: z.int(),
})

async function measure(
  service: CrowdedService & Pick<MeasuredService, "pid" | "folder">,
  { name, prepare }: Case,
  leaves: boolean,
): Promise<Row> {
  const { url = service.url, headers, body, ...request } = await prepare(service, CLIENTS)
  const bodyFile = join(service.folder, "body")
  const taskFile = join(service.folder, "task")
  await writeFile(bodyFile, body)
  const { host } = new URL(url)
  const sent = { host, "api-key": service.apiKey, "content-type": "application/json", ...headers }
  const task = { url, ...request, headers: sent, bodyFile, leaves, clients: CLIENTS }
  await writeFile(taskFile, JSON.stringify(task))
  await forgetPeak(service.pid)
  const crowd = startServer("overload-crowd.ts", [taskFile])
  const { served, refused, failed, broken, left } = countsSchema.parse(await crowd.nextLine())
  crowd.stop()
  if (leaves) await delay(SETTLE_MS)
  const peak = await peakMebibytesOf(service.pid)
  const answers = leaves
    ? `${left} left`
    : `${served} served, ${refused} refused, ${failed} failed, ${broken} without an answer`
  console.error(`  ${name}: ${peak.toFixed(0)} MiB, ${answers}`)
  if (!leaves && (served === 0 || failed > 0 || broken > 0)) throw new Error(`${name}: ${answers}`)
  return {
    name: `peak memory with ${CLIENTS} clients${leaves ? " that leave" : ""}: ${name}`,
    figure: peak,
    unit: "MiB",
    ratio: MAX_MEBIBYTES / peak,
    requiredRatio: 1,
  }
}

/** Starts a destination of relays. */
async function startDestination() {
  let answer: Buffer = Buffer.from("{}")
  const server = createServer((request, response) => {
    request.resume().on("end", () => {
      response.writeHead(200, { "content-type": "application/json", "content-length": answer.length })
      response.end(answer)
    })
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const address = server.address()
  if (typeof address !== "object" || address === null) throw new Error("The destination has no port")
  return {
    port: address.port,
    async answer(body: Buffer) {
      answer = body
    },
    stop() {
      server.closeAllConnections()
      server.close()
    },
  }
}

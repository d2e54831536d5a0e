import { mkdtemp, readFile, rm } from "node:fs/promises"
import { availableParallelism, tmpdir } from "node:os"
import { join } from "node:path"
import * as z from "zod"
import type { Row } from "./benchmark.ts"
import { documentOf } from "./document-of.ts"
import type { LoadTarget } from "./http-load.ts"
import { CONNECTIONS } from "./http-load.ts"
import { median } from "./median.ts"
import { createCertificate } from "./relay/certificate.ts"
import { choosePostLoad } from "./relay/post-load.ts"
import { type Sealway, startSealway } from "./relay/sealway.ts"
import { decryptTarget, encryptTarget } from "./sealway-requests.ts"
import { startServer } from "./server-process.ts"

export const description = `Requests with 1 KB of JSON that a relay passes on unchanged, by the number of its workers (\`npm start -- --workers N\`), to a destination that answers
1 KB, ${CONNECTIONS} connections, under load by wrk where it is installed and autocannon elsewhere. Beside each number stands http-proxy-3 in \`node:cluster\` with as many
workers. \`encrypt\` and \`decrypt\` are \`POST /encrypt\` and \`POST /decrypt\` of one value, once the workers run; their \`ratio\` is against one process.
They take turns; the figure is the median, \`ratio\` the median of the turns' ratios. The load generator and the destination take a core each
while they are busy: on two cores the workers share what these leave, so that a second one can gain little there, and the ratio says more than the figures.
\`memory\` is resident memory of one worker after the load, shared pages counted with each.`

const ROUNDS = 5
const SECONDS = 2
/** For each worker: each compiles its own code. */
const WARM_UP_SECONDS = 8
const BODY = JSON.stringify({ name: "Ada Lovelace", card: "4242424242424242", padding: "x".repeat(950) })
const MB = 1_048_576

export async function run(): Promise<readonly Row[]> {
  const folder = await mkdtemp(join(tmpdir(), "sealway-bench-"))
  const stops: (() => unknown)[] = [() => rm(folder, { recursive: true, force: true })]
  try {
    const destination = startServer("relay/destination.ts")
    stops.push(() => destination.stop())
    destination.writeLine(JSON.stringify(await createCertificate(folder)))
    const { http } = z.object({ http: z.int() }).parse(await destination.nextLine())
    const contenders: Contender[] = []
    for (const workers of numbersOfWorkers()) {
      const contender = await startContender(workers, folder, http)
      contenders.push(contender)
      stops.push(contender.stop)
    }
    await takeTurns(contenders)
    const relays = (await Promise.all(contenders.map(rowsOf))).flat()
    return [...relays, ...contenders.flatMap((contender) => apiRowsOf(contender, contenders[0] ?? contender))]
  } finally {
    for (const stop of stops.reverse()) await stop()
  }
}

/** Returns 1, 2, 4 and so on, up to the cores, and those. */
function numbersOfWorkers(): readonly number[] {
  const cores = Math.max(availableParallelism(), 2)
  const numbers = new Set<number>()
  for (let workers = 1; workers < cores; workers *= 2) numbers.add(workers)
  return [...numbers.add(cores)]
}

const WORKS = ["own", "theirs", "encrypt", "decrypt"] as const
type Work = (typeof WORKS)[number]

/** The relay and its peer, with as many workers each, and the API. */
interface Contender {
  readonly workers: number
  readonly own: LoadTarget
  readonly theirs: LoadTarget
  readonly encrypt: LoadTarget
  readonly decrypt: LoadTarget
  readonly sealway: Sealway
  /** Requests a second, round by round. */
  readonly figures: Readonly<Record<Work, number>>[]
  stop(): Promise<void>
}

async function startContender(workers: number, folder: string, destinationPort: number): Promise<Contender> {
  const sealway = await startSealway(folder, join(folder, `data-${workers}`), ["--workers", String(workers)])
  const destination = `http://127.0.0.1:${destinationPort}`
  const peer = startServer("relay/http-proxy-server.ts", [destination, String(workers)])
  const { port } = z.object({ port: z.int() }).parse(await peer.nextLine())
  const api = { url: sealway.url, ...sealway.app }
  return {
    workers,
    encrypt: encryptTarget(api, documentOf(1)),
    decrypt: await decryptTarget(api, documentOf(1)),
    own: target(sealway.relayUrl, await sealway.createRelay(destination, [])),
    theirs: target(`http://127.0.0.1:${port}`, null),
    sealway,
    figures: [],
    async stop() {
      peer.stop()
      await sealway.stop()
    },
  }
}

async function takeTurns(contenders: readonly Contender[]): Promise<void> {
  const { load } = await choosePostLoad()
  for (const contender of contenders) {
    for (const work of WORKS) await load(contender[work], WARM_UP_SECONDS * contender.workers)
  }
  for (let round = 0; round < ROUNDS; round++) {
    for (const contender of contenders) {
      const perSecond = { own: 0, theirs: 0, encrypt: 0, decrypt: 0 }
      for (const work of WORKS) perSecond[work] = await load(contender[work], SECONDS)
      contender.figures.push(perSecond)
    }
  }
}

function target(url: string, host: string | null): LoadTarget {
  const headers = { "Content-Type": "application/json", ...(host !== null && { Host: host }) }
  return { url: `${url}/`, headers, body: BODY }
}

/** @param alone one process */
function apiRowsOf(contender: Contender, alone: Contender): readonly Row[] {
  return (["encrypt", "decrypt"] as const).map((work) => ({
    name: `${work}, ${nameOf(contender)}`,
    unit: "requests/s",
    figure: median(contender.figures.map((each) => each[work])),
    ratio:
      contender === alone
        ? null
        : median(contender.figures.map((each, round) => each[work] / (alone.figures[round]?.[work] ?? 0))),
    requiredRatio: null,
  }))
}

const nameOf = ({ workers }: Contender) => (workers === 1 ? "1 worker" : `${workers} workers`)

async function rowsOf(contender: Contender): Promise<readonly Row[]> {
  const { figures, sealway } = contender
  const bytesOfWorkers = await memoryOfWorkers(sealway)
  const name = `relay, ${nameOf(contender)}`
  const alone = { ratio: null, requiredRatio: null }
  const rows: Row[] = [
    { ...alone, name, unit: "requests/s", figure: median(figures.map(({ own }) => own)) },
    {
      name: `${name}: beside http-proxy-3`,
      unit: "requests/s",
      figure: median(figures.map(({ theirs }) => theirs)),
      ratio: median(figures.map(({ own, theirs }) => own / theirs)),
      requiredRatio: null,
    },
  ]
  if (bytesOfWorkers.length === 0) return rows
  return [...rows, { ...alone, name: `${name}: memory`, unit: "MB", figure: median(bytesOfWorkers) / MB }]
}

/** Reads the resident memory of each worker process, in bytes. Empty without workers, and where the system does not report it. */
async function memoryOfWorkers({ pid }: Sealway): Promise<readonly number[]> {
  const read = (path: string) => readFile(`/proc/${path}`, "utf8").catch(() => "")
  const children = (await read(`${pid}/task/${pid}/children`)).trim().split(" ")
  const sizes = await Promise.all(
    children.map(async (child) => {
      if (!(await read(`${child}/cmdline`)).includes("processes/worker.ts")) return []
      const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(await read(`${child}/status`))?.[1]
      return kilobytes === undefined ? [] : [Number(kilobytes) * 1_024]
    }),
  )
  return sizes.flat()
}

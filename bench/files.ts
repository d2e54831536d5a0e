import { createWriteStream } from "node:fs"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Readable } from "node:stream"
import { pipeline } from "node:stream/promises"
import { fileURLToPath } from "node:url"
import * as z from "zod"
import type { Row } from "./benchmark.ts"
import {
  measureCommand,
  measureProcess,
  type ProcessMeasurement,
  peakMebibytesOf,
} from "./measure-process.ts"
import { median } from "./median.ts"
import { startSealway } from "./server-process.ts"

const SIZE_MEBIBYTES = Number(process.env.FILES_MIB ?? 1024)
const SMALL_BYTES = 10
const ROUNDS = 3
const ALLOWED_MEBIBYTES = 64
const MIB = 1024 * 1024

export const description = `A file of ${SIZE_MEBIBYTES.toLocaleString("en")} MiB, uploaded and downloaded with \`sealway files\` and with \`sealway.files\` of the SDK: client and service in one process each on loopback,
everything on one disk. The ratios of rates are against a Node.js process that encrypts the file into another one as a stream of AES-256-GCM, in the same
run. Memory is what the process needs beyond the same command with a file of ${SMALL_BYTES} bytes, and \`ratio\` is what is allowed divided by that. Rates are medians of ${ROUNDS} turns, memory is the
most of all. \`FILES_MIB=256\` in the environment makes the file smaller.`

type Transfer = (file: { readonly path: string; readonly id: string }) => Promise<ProcessMeasurement>

export async function run(): Promise<readonly Row[]> {
  const folder = await mkdtemp(join(tmpdir(), "sealway-bench-"))
  const sealway = startSealway({ dataFolder: join(folder, "data") })
  try {
    const appSchema = z.object({ url: z.string(), id: z.string(), apiKey: z.string() })
    const { url, id: app, apiKey } = appSchema.parse(await sealway.nextLine())
    const env = { SEALWAY_URL: url, SEALWAY_APP: app, SEALWAY_API_KEY: apiKey, HOME: folder }
    const authorization = `Basic ${Buffer.from(`${app}:${apiKey}`).toString("base64")}`
    const newestFile = async () => {
      const answer = await fetch(`${url}/files?limit=1`, { headers: { authorization } })
      const listSchema = z.object({ data: z.array(z.object({ id: z.string() })).length(1) })
      return listSchema.parse(await answer.json()).data[0]?.id ?? ""
    }
    const remove = (fileId: string) =>
      fetch(`${url}/files/${fileId}`, { method: "DELETE", headers: { authorization } })
    const output = join(folder, "out")
    const sdk = (task: string, path: string, fileId = "") =>
      measureProcess([scriptPath("files/transfer.ts"), task, url, app, apiKey, path, fileId], {})
    const clients: readonly { name: string; upload: Transfer; download: Transfer }[] = [
      {
        name: "sealway files",
        upload: ({ path }) => measureCommand(["files", "upload", path, "-q"], env),
        download: ({ id }) => measureCommand(["files", "download", id, "-o", output, "-q"], env),
      },
      {
        name: "SDK",
        upload: ({ path }) => sdk("upload", path),
        download: ({ id }) => sdk("download", output, id),
      },
    ]
    const [small, large] = [join(folder, "small"), join(folder, "large")]
    await writeContent(small, SMALL_BYTES)
    await writeContent(large, SIZE_MEBIBYTES * MIB)

    /** Uploads and downloads a file once. */
    async function transfer(client: (typeof clients)[number], path: string) {
      const upload = await client.upload({ path, id: "" })
      const id = await newestFile()
      const download = await client.download({ path, id })
      await rm(output)
      await remove(id)
      return { upload, download }
    }

    const least = []
    for (const client of clients) least.push(await transfer(client, small))
    const serviceLeast = await peakMebibytesOf(sealway.pid)
    const turns = []
    for (let round = 0; round < ROUNDS; round++) {
      const peer = await measureProcess([scriptPath("files/node-crypto.ts"), large, output], {})
      await rm(output)
      const transfers = []
      for (const client of clients) transfers.push(await transfer(client, large))
      turns.push({ peer, transfers })
    }
    const servicePeak = await peakMebibytesOf(sealway.pid)

    const plain = { ratio: null, requiredRatio: null }
    const rateOf = ({ seconds }: ProcessMeasurement) => SIZE_MEBIBYTES / seconds
    const rows: Row[] = [
      {
        name: "node:crypto alone, AES-256-GCM of one thread",
        figure: median(turns.map(({ peer }) => rateOf(peer))),
        unit: "MiB/s",
        ...plain,
      },
    ]
    for (const [index, { name }] of clients.entries()) {
      for (const direction of ["upload", "download"] as const) {
        const measured = turns.flatMap(({ peer, transfers }) => {
          const found = transfers[index]?.[direction]
          return found === undefined ? [] : [{ peer, found }]
        })
        const peak = Math.max(...measured.map(({ found }) => found.peakMebibytes))
        rows.push(
          {
            name: `${name}, ${direction}: rate`,
            figure: median(measured.map(({ found }) => rateOf(found))),
            unit: "MiB/s",
            ratio: median(measured.map(({ found, peer }) => rateOf(found) / rateOf(peer))),
            requiredRatio: null,
          },
          ...memoryRows(`${name}, ${direction}`, peak, least[index]?.[direction].peakMebibytes ?? Number.NaN),
        )
      }
    }
    return [...rows, ...memoryRows("service, all of it", servicePeak, serviceLeast)]
  } finally {
    sealway.stop()
    await rm(folder, { recursive: true })
  }
}

function memoryRows(name: string, peak: number, least: number): readonly Row[] {
  const beyond = Math.max(peak - least, 0)
  return [
    { name: `${name}: peak memory`, figure: peak, unit: "MiB", ratio: null, requiredRatio: null },
    {
      name: `${name}: memory beyond that of ${SMALL_BYTES} bytes`,
      figure: beyond,
      unit: "MiB",
      ratio: ALLOWED_MEBIBYTES / beyond,
      requiredRatio: 1,
    },
  ]
}

async function writeContent(path: string, bytes: number): Promise<void> {
  const block = Buffer.alloc(Math.min(bytes, MIB), "Sealway files ")
  await pipeline(
    Readable.from(Array.from({ length: Math.ceil(bytes / block.length) }, () => block)),
    createWriteStream(path),
  )
}

function scriptPath(script: string): string {
  return fileURLToPath(new URL(script, import.meta.url))
}

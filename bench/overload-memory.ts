import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as delay } from "node:timers/promises"
import * as z from "zod"
import type { Row } from "./benchmark.ts"
import { forgetPeak, peakMebibytesOf } from "./measure-process.ts"
import { startServer } from "./server-process.ts"

const CLIENTS = 128
const MAX_MEBIBYTES = 800

/** How long a service takes at most to notice that clients have left. */
const SETTLE_MS = 500

export interface MeasuredService {
  readonly pid: number
  readonly port: number
  readonly headers: Readonly<Record<string, string>>
}

/** A request that takes as much memory as the limits permit. */
interface Case {
  readonly name: string
  readonly path: string
  readonly contentType?: string
  readonly body: Buffer
  /** Whether it is encrypted first, and the tokens are sent. */
  readonly isEncrypted?: boolean
}

const list = (count: number, item: string) => Buffer.from(`[${Array(count).fill(item).join(",")}]`)
const MB = 1_048_576

const CASES: readonly Case[] = [
  { name: "/encrypt, 100,000 strings", path: "/encrypt", body: list(100_000, '"a"') },
  { name: "/encrypt, 250,000 strings", path: "/encrypt", body: list(250_000, '"a"') },
  { name: "/encrypt, 30,000 numbers", path: "/encrypt", body: list(30_000, "7") },
  {
    name: "/encrypt, a file of 25 MB",
    path: "/encrypt",
    contentType: "application/octet-stream",
    body: Buffer.alloc(25 * MB, "sealway"),
  },
  { name: "/decrypt, 65,000 tokens", path: "/decrypt", body: list(65_000, '"a"'), isEncrypted: true },
  { name: "/rewrap, 65,000 tokens", path: "/rewrap", body: list(65_000, '"a"'), isEncrypted: true },
  {
    name: "/fingerprint, 1,700,000 objects",
    path: "/fingerprint",
    body: Buffer.from(`{"token":${list(1_700_000, "{}")}}`),
  },
  {
    name: "/client-side-tokens, 600,000 objects",
    path: "/client-side-tokens",
    body: Buffer.from(`{"action":"api:decrypt","payload":{"a":${list(600_000, '{"a":7}')}}}`),
  },
  {
    name: "/data-policies/simulate, 700,000 objects",
    path: "/data-policies/simulate",
    body: Buffer.from(`{"hours":1,"policies":[{"a":${list(650_000, "{}")}}]}`),
  },
]

/** Measures the peak of resident memory with 128 clients at once that each send the most that one request may take. */
export async function measureMemory(service: MeasuredService): Promise<readonly Row[]> {
  const folder = await mkdtemp(join(tmpdir(), "sealway-bench-"))
  try {
    const rows: Row[] = []
    for (const each of CASES) {
      const bodyFile = join(folder, "body")
      await writeFile(bodyFile, each.isEncrypted ? await encrypted(service, each.body) : each.body)
      for (const leaves of [false, true]) rows.push(...(await measure(service, each, bodyFile, leaves)))
    }
    return rows
  } finally {
    await rm(folder, { recursive: true })
  }
}

const countsSchema = z.object({ served: z.int(), refused: z.int(), broken: z.int(), left: z.int() })

async function measure(
  { pid, port, headers }: MeasuredService,
  { name, path, contentType = "application/json" }: Case,
  bodyFile: string,
  leaves: boolean,
): Promise<readonly Row[]> {
  await forgetPeak(pid)
  const task = { port, path, headers: { ...headers, "content-type": contentType }, bodyFile, leaves }
  const crowd = startServer("overload-crowd.ts", [JSON.stringify({ ...task, clients: CLIENTS })])
  const { served, refused, broken, left } = countsSchema.parse(await crowd.nextLine())
  crowd.stop()
  if (leaves) await delay(SETTLE_MS)
  const peak = await peakMebibytesOf(pid)
  const answers = leaves ? `${left} left` : `${served} served, ${refused} refused, ${broken} otherwise`
  console.error(`  ${name}: ${peak.toFixed(0)} MiB, ${answers}`)
  const row = {
    name: `peak memory with ${CLIENTS} clients${leaves ? " that leave" : ""}: ${name}`,
    figure: peak,
    unit: "MiB",
    ratio: MAX_MEBIBYTES / peak,
    requiredRatio: 1,
  }
  return [row]
}

async function encrypted({ port, headers }: MeasuredService, body: Buffer): Promise<Buffer> {
  const answer = await fetch(`http://127.0.0.1:${port}/encrypt`, {
    method: "POST",
    headers,
    body: new Uint8Array(body),
  })
  if (!answer.ok) throw new Error(`The body could not be encrypted: ${answer.status}`)
  return Buffer.from(await answer.arrayBuffer())
}

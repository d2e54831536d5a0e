import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as z from "zod"
import type { Row } from "./benchmark.ts"
import { median } from "./median.ts"
import { type ServerProcess, startServer } from "./server-process.ts"

export const description = `The tables of \`npm start\`, on disk, through the port by which the service uses them: items of 500 bytes are put and got, lists are of 21.
*dynalite* keeps its tables in LevelDB. It answers a write before the disk has it; Sealway's are synced. Each is in a process
of its own, and they take turns; \`ratio\` is the median of the turns' ratios, above 1 where Sealway is better. The delay of the event loop
is its p99 while 32 callers put once and get three times.`

const KINDS = ["sqlite", "dynalite"] as const
const CALLERS = [1, 8, 32] as const
const ROUNDS = 5
const MS = 1_200

const startSchema = z.object({ startMs: z.number() })
const measureSchema = z.object({ perSecond: z.number(), p99Ms: z.number(), delayMs: z.number() })
type Measure = z.infer<typeof measureSchema>

/** The lowest ratio to dynalite. */
const REQUIRED: Readonly<Record<string, number>> = { "gets 32": 1.3, "lists 32": 1.3, "puts 32": 1 }

export async function run(): Promise<readonly Row[]> {
  const folder = await mkdtemp(join(tmpdir(), "sealway-bench-"))
  const stores: ServerProcess[] = []
  try {
    const starts: number[] = []
    for (const kind of KINDS) {
      const store = startServer("store-process.ts", [kind, folder])
      stores.push(store)
      starts.push(startSchema.parse(await store.nextLine()).startMs)
    }
    const rows: Row[] = []
    for (const work of ["puts", "gets", "lists"]) {
      for (const callers of CALLERS) rows.push(...(await compareWork(stores, work, callers)))
    }
    const turns = await takeTurns(stores, "mixed", 32)
    rows.push(
      ...lowerIsBetter(
        "delay of the event loop",
        turns.map(([own, peer]) => [own.delayMs, peer.delayMs]),
      ),
    )
    rows.push(
      ...lowerIsBetter("start of an empty folder", [[starts[0] ?? Number.NaN, starts[1] ?? Number.NaN]]),
    )
    return rows
  } finally {
    for (const store of stores) store.stop()
    await rm(folder, { recursive: true, force: true })
  }
}

type Turn = readonly [Measure, Measure]

async function takeTurns(
  [own, peer]: readonly ServerProcess[],
  work: string,
  callers: number,
): Promise<readonly Turn[]> {
  if (own === undefined || peer === undefined) throw new TypeError("There are two stores")
  const ask = async (store: ServerProcess) => {
    store.writeLine(`${work} ${callers} ${MS}`)
    return measureSchema.parse(await store.nextLine())
  }
  const turns: Turn[] = []
  for (let round = 0; round < ROUNDS; round++) {
    // The first one gets a rested machine.
    const isFirst = round % 2 === 0
    const [first, second] = isFirst ? [own, peer] : [peer, own]
    const [one, other] = [await ask(first), await ask(second)]
    turns.push(isFirst ? [one, other] : [other, one])
  }
  return turns
}

async function compareWork(
  stores: readonly ServerProcess[],
  work: string,
  callers: number,
): Promise<readonly Row[]> {
  const turns = await takeTurns(stores, work, callers)
  const name = `${work}, ${callers} ${callers === 1 ? "caller" : "callers"}`
  const unit = "requests/s"
  const throughput: readonly Row[] = [
    { name, figure: median(turns.map(([own]) => own.perSecond)), unit, ratio: null, requiredRatio: null },
    {
      name: `${name}: beside dynalite`,
      figure: median(turns.map(([, peer]) => peer.perSecond)),
      unit,
      ratio: median(turns.map(([own, peer]) => own.perSecond / peer.perSecond)),
      requiredRatio: REQUIRED[`${work} ${callers}`] ?? null,
    },
  ]
  if (callers !== 8) return throughput
  return [
    ...throughput,
    ...lowerIsBetter(
      `${name}: p99`,
      turns.map(([own, peer]) => [own.p99Ms, peer.p99Ms]),
    ),
  ]
}

function lowerIsBetter(name: string, turns: readonly (readonly [number, number])[]): readonly Row[] {
  return [
    { name, figure: median(turns.map(([own]) => own)), unit: "ms", ratio: null, requiredRatio: null },
    {
      name: `${name}: beside dynalite`,
      figure: median(turns.map(([, peer]) => peer)),
      unit: "ms",
      ratio: median(turns.map(([own, peer]) => peer / own)),
      requiredRatio: null,
    },
  ]
}

import { readFile, writeFile } from "node:fs/promises"
import { cpus } from "node:os"
import * as z from "zod"

const FILE = new URL("../gate.json", import.meta.url)
const fileSchema = z.record(z.string(), z.record(z.string(), z.number().positive()))

/** The model of the processor: on another one, the same code has other ratios. */
export const PROCESSOR = cpus()[0]?.model ?? "unknown"

/** Ratios of earlier runs, by name. */
export interface KeptFigures {
  readonly ratios: ReadonlyMap<string, number>
  /** False: on this model none was kept, and these are the lowest of all models. */
  readonly areOfThisModel: boolean
}

export async function keptFigures(): Promise<KeptFigures> {
  const models = await readFigures()
  const own = models[PROCESSOR]
  if (own !== undefined) return { ratios: new Map(Object.entries(own)), areOfThisModel: true }
  const lowest = new Map<string, number>()
  for (const [name, ratio] of Object.values(models).flatMap(Object.entries<number>)) {
    lowest.set(name, Math.min(ratio, lowest.get(name) ?? ratio))
  }
  return { ratios: lowest, areOfThisModel: false }
}

export async function keepFigures(ratios: ReadonlyMap<string, number>): Promise<void> {
  const rounded = [...ratios].map(([name, ratio]) => [name, Number(ratio.toPrecision(3))])
  const figures = { ...(await readFigures()), [PROCESSOR]: Object.fromEntries(rounded) }
  await writeFile(FILE, `${JSON.stringify(figures, null, 2)}\n`)
}

async function readFigures(): Promise<z.infer<typeof fileSchema>> {
  return fileSchema.parse(JSON.parse(await readFile(FILE, "utf8")))
}

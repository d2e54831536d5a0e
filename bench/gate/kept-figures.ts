import { readFile, writeFile } from "node:fs/promises"
import { cpus } from "node:os"
import * as z from "zod"

const FILE = new URL("../gate.json", import.meta.url)
const fileSchema = z.record(z.string(), z.record(z.string(), z.number().positive()))

/** The model of the processor: on another one, the same code has other ratios. */
export const PROCESSOR = cpus()[0]?.model ?? "unknown"

/** Returns the ratios of the last run on this processor that was kept, by name. Null: none was. */
export async function keptFigures(): Promise<ReadonlyMap<string, number> | null> {
  const figures = (await readFigures())[PROCESSOR]
  return figures === undefined ? null : new Map(Object.entries(figures))
}

export async function keepFigures(ratios: ReadonlyMap<string, number>): Promise<void> {
  const rounded = [...ratios].map(([name, ratio]) => [name, Number(ratio.toPrecision(3))])
  const figures = { ...(await readFigures()), [PROCESSOR]: Object.fromEntries(rounded) }
  await writeFile(FILE, `${JSON.stringify(figures, null, 2)}\n`)
}

async function readFigures(): Promise<z.infer<typeof fileSchema>> {
  return fileSchema.parse(JSON.parse(await readFile(FILE, "utf8")))
}

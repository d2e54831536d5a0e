import { readFile, writeFile } from "node:fs/promises"
import * as z from "zod"

const FILE = new URL("../gate.json", import.meta.url)
const fileSchema = z.record(z.string(), z.number().positive())

/** Returns the ratios of the last run that was kept, by name. */
export async function keptFigures(): Promise<ReadonlyMap<string, number>> {
  return new Map(Object.entries(fileSchema.parse(JSON.parse(await readFile(FILE, "utf8")))))
}

export async function keepFigures(ratios: ReadonlyMap<string, number>): Promise<void> {
  const rounded = [...ratios].map(([name, ratio]) => [name, Number(ratio.toPrecision(3))])
  await writeFile(FILE, `${JSON.stringify(Object.fromEntries(rounded), null, 2)}\n`)
}

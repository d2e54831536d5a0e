import { readFile } from "node:fs/promises"
import * as z from "zod"

const measuredSchema = z.object({
  machine: z.string(),
  /** Of a warm request in the handler, without an AWS call: the median, by operation. */
  handlerMs: z.record(z.string(), z.number().positive()),
  /** From the start of a process until the endpoint's bundle is loaded: the median, by endpoint. */
  startMs: z.record(z.string(), z.number().positive()),
})

/** Times that were measured on one machine; they differ from run to run, so they are stored. */
export type Measurements = z.infer<typeof measuredSchema>

export const MEASURED_FILE = new URL("measured.json", import.meta.url)

export async function readMeasured(): Promise<Measurements> {
  return measuredSchema.parse(JSON.parse(await readFile(MEASURED_FILE, "utf8")))
}

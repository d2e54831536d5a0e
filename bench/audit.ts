import { type AuditLoadResult, writeAuditLoad } from "@sealway/records/testing"
import { createRandom } from "../scripts/torture/random.ts"
import type { Row } from "./benchmark.ts"

const PER_SECOND = 1_000
const SECONDS = 20
/** What one environment writes in the crowd that does not pause. */
const EACH = 40
const WRITERS = [20, 100, 500] as const
const MAX_CALLS = 3
const SEED = 1

export const description = `Records of one team's audit log from many environments of functions, each of which handles one request at a time. The log's own code runs over a table
whose calls take 3 to 7 ms, in simulated time: the figures are the same on any machine. Together the environments write ${PER_SECOND} records a second,
for ${SECONDS} seconds, or as many as they can ("without pause"). \`ratio\` is ${MAX_CALLS} calls of the table divided by those that a record takes.`

export async function run(): Promise<readonly Row[]> {
  const rows: Row[] = []
  for (const writers of WRITERS) {
    const each = (PER_SECOND * SECONDS) / writers
    rows.push(...(await measure(`${writers} environments`, { writers, each, perSecond: PER_SECOND })))
  }
  const crowd = { writers: 500, each: EACH, perSecond: Number.POSITIVE_INFINITY }
  return [...rows, ...(await measure("500 environments without pause", crowd))]
}

async function measure(
  name: string,
  load: { readonly writers: number; readonly each: number; readonly perSecond: number },
): Promise<readonly Row[]> {
  const result = await writeAuditLoad({ ...load, random: createRandom(SEED).next })
  const { refused, recordsPerSecond, callsPerRecord } = result
  const alone = { ratio: null, requiredRatio: null }
  return [
    { name, figure: recordsPerSecond, unit: "records/s", ...alone },
    { name: `${name}: p99`, figure: p99Of(result), unit: "ms", ...alone },
    {
      name: `${name}: refused`,
      figure: refused,
      unit: "records",
      ratio: refused === 0 ? 1 : 0,
      requiredRatio: 1,
    },
    {
      name: `${name}: calls of the table`,
      figure: callsPerRecord,
      unit: "a record",
      ratio: MAX_CALLS / callsPerRecord,
      requiredRatio: 1,
    },
  ]
}

const p99Of = ({ tookMs }: AuditLoadResult) => tookMs[Math.floor(tookMs.length * 0.99)] ?? 0

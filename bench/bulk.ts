import { execFile } from "node:child_process"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import * as z from "zod"
import type { Row } from "./benchmark.ts"
import { writeTable } from "./bulk/table.ts"
import { measureCommand, type ProcessMeasurement } from "./measure-process.ts"
import { median } from "./median.ts"
import { startSealway } from "./server-process.ts"

const ROWS = Number(process.env.BULK_ROWS ?? 1_000_000)
/** Memory is measured with fewer rows too, to see whether it grows with them. */
const FEWER_ROWS = [ROWS / 10, (ROWS * 3) / 10].map(Math.round)
const ROUNDS = 3
const CONCURRENCY = 8
/**
 * The batch size of the command line. With 500 the service takes some 5 % more CPU time a row, with 1,000 and 4,000 the
 * same.
 */
const BATCH_ROWS = 2_000
const REQUIRED = 0.9

export const description = `\`sealway encrypt\` with \`--columns\` of a CSV file of ${ROWS.toLocaleString("en")} rows with six columns, one of which is encrypted, and of the same rows as NDJSON,
against a client that sends the same values in the same batches and throws the answers away: ${CONCURRENCY} requests at once, ${BATCH_ROWS} rows each,
service and client in one process each on loopback. They take turns; the figure is the median, \`ratio\` the median of the turns' ratios. The time is the whole process's; the rate is
without its start, which is the time that a table without rows takes. \`BULK_ROWS=250000\` in the environment makes it fewer rows.`

interface Turn {
  /** Rows a second. */
  readonly raw: number
  /** Seconds until the first row. */
  readonly start: number
  readonly csv: ProcessMeasurement
  readonly ndjson: ProcessMeasurement
}

export async function run(): Promise<readonly Row[]> {
  const folder = await mkdtemp(join(tmpdir(), "sealway-bench-"))
  const sealway = startSealway()
  try {
    const appSchema = z.object({ url: z.string(), id: z.string(), apiKey: z.string() })
    const { url, id, apiKey } = appSchema.parse(await sealway.nextLine())
    const env = { SEALWAY_URL: url, SEALWAY_APP: id, SEALWAY_API_KEY: apiKey, HOME: folder }
    const [csv, ndjson] = [join(folder, "in.csv"), join(folder, "in.ndjson")]
    await writeTable(csv, "csv", ROWS)
    await writeTable(ndjson, "ndjson", ROWS)
    const empty = join(folder, "empty.csv")
    await writeTable(empty, "csv", 0)
    const raw = () => rowsPerSecondOfRawClient([url, id, apiKey])
    const encrypt = (input: string, ...selection: string[]) =>
      measureCommand(["encrypt", input, ...selection, "-o", join(folder, "out"), "--quiet"], env)
    const turns: Turn[] = []
    for (let round = 0; round <= ROUNDS; round++) {
      const turn: Turn = {
        raw: await raw(),
        start: (await encrypt(empty, "--columns", "card")).seconds,
        csv: await encrypt(csv, "--columns", "card"),
        ndjson: await encrypt(ndjson, "--fields", "$.card"),
      }
      // The first one warms up.
      if (round > 0) turns.push(turn)
    }
    const rateOf = (turn: Turn, name: "csv" | "ndjson") => ROWS / (turn[name].seconds - turn.start)
    const plain = { ratio: null, requiredRatio: null }
    const rowsOf = (name: "csv" | "ndjson", label: string, requiredRatio: number | null): readonly Row[] => {
      const seconds = median(turns.map((turn) => turn[name].seconds))
      const memory = median(turns.map((turn) => turn[name].peakMebibytes))
      const rate = median(turns.map((turn) => rateOf(turn, name)))
      const ratio = median(turns.map((turn) => rateOf(turn, name) / turn.raw))
      return [
        { name: `${label}: time`, figure: seconds, unit: "s", ...plain },
        { name: `${label}: rate`, figure: rate, unit: "rows/s", ratio, requiredRatio },
        { name: `${label}: peak memory`, figure: memory, unit: "MiB", ...plain },
      ]
    }
    const memoryOf = async (format: "csv" | "ndjson", label: string, ...selection: string[]) => {
      const rows: Row[] = []
      for (const count of FEWER_ROWS) {
        const input = join(folder, `fewer.${format}`)
        await writeTable(input, format, count)
        const { peakMebibytes } = await encrypt(input, ...selection)
        const name = `${label}: peak memory of ${count.toLocaleString("en")} rows`
        rows.push({ name, figure: peakMebibytes, unit: "MiB", ...plain })
      }
      return rows
    }
    const rawRate = median(turns.map(({ raw: rate }) => rate))
    return [
      { name: "the API, at 8 requests at once", figure: rawRate, unit: "rows/s", ...plain },
      ...rowsOf("csv", "CSV", REQUIRED),
      ...(await memoryOf("csv", "CSV", "--columns", "card")),
      ...rowsOf("ndjson", "NDJSON", REQUIRED),
      ...(await memoryOf("ndjson", "NDJSON", "--fields", "$.card")),
    ]
  } finally {
    sealway.stop()
    await rm(folder, { recursive: true })
  }
}

async function rowsPerSecondOfRawClient(credentials: readonly string[]): Promise<number> {
  const script = fileURLToPath(new URL("bulk/raw-client.ts", import.meta.url))
  const args = [script, ...credentials, String(ROWS), String(BATCH_ROWS), String(CONCURRENCY)]
  const { stdout } = await promisify(execFile)(process.execPath, args)
  return z.object({ rowsPerSecond: z.number() }).parse(JSON.parse(stdout)).rowsPerSecond
}

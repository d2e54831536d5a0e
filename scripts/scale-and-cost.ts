import { readFile, writeFile } from "node:fs/promises"
import { parseArgs } from "node:util"
import { countOperations } from "./scale-and-cost/count-operations.ts"
import { countRelayed } from "./scale-and-cost/count-relayed.ts"
import { MEASURED_FILE, readMeasured } from "./scale-and-cost/measured.ts"
import { fillPage } from "./scale-and-cost/page.ts"

const PAGE = new URL("../docs/scale-and-cost.md", import.meta.url)

const USAGE = `Usage: node scripts/run.mjs scripts/scale-and-cost.ts [--measure]

Counts the AWS calls of requests, and writes the resulting tables into docs/scale-and-cost.md.

  --measure  measures again how long handlers and cold starts take on this machine (a minute)
  --help     prints this`

const { values } = parseArgs({
  options: { measure: { type: "boolean", default: false }, help: { type: "boolean", default: false } },
})
if (values.help) console.log(USAGE)
else {
  if (values.measure) {
    const { measure } = await import("./scale-and-cost/measure.ts")
    await writeFile(MEASURED_FILE, `${JSON.stringify(await measure(), null, 2)}\n`)
  }
  const page = await readFile(PAGE, "utf8")
  const [counted, relayed] = [await countOperations(), await countRelayed()]
  await writeFile(PAGE, fillPage(page, counted, relayed, await readMeasured()))
}

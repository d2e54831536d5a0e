import { readFile, writeFile } from "node:fs/promises"
import { parseArgs } from "node:util"
import { type Benchmark, missesRequirement } from "./benchmark.ts"
import { insertResults } from "./performance-page.ts"
import { describeMachine, renderTable } from "./results-table.ts"

/** One line for each benchmark. Imported when it runs, so that none affects another's figures. */
const BENCHMARKS = new Map<string, () => Promise<Benchmark>>([
  ["tokens", () => import("./tokens.ts")],
  ["subjects", () => import("./subjects.ts")],
  ["formats", () => import("./formats.ts")],
  ["sdk", () => import("./sdk.ts")],
  ["ages", () => import("./ages.ts")],
  ["http", () => import("./http.ts")],
  ["policies", () => import("./policies.ts")],
  ["payments", () => import("./payments.ts")],
  ["functions", () => import("./functions.ts")],
  ["bundles", () => import("./bundles.ts")],
  ["relay", () => import("./relay.ts")],
  ["workers", () => import("./workers.ts")],
  ["memory", () => import("./memory.ts")],
  ["overload", () => import("./overload.ts")],
  ["fairness", () => import("./fairness.ts")],
  ["audit", () => import("./audit.ts")],
  ["store", () => import("./store.ts")],
  ["cli", () => import("./cli.ts")],
  ["bulk", () => import("./bulk.ts")],
  ["files", () => import("./files.ts")],
  ["gate", () => import("./gate.ts")],
])

const PAGE = new URL("../docs/performance.md", import.meta.url)

const USAGE = `Usage: npm run bench [-- [NAME ...] [--write]]
       npm run bench -- overload --only TEXT

Runs the benchmarks named, or all: ${[...BENCHMARKS.keys()].join(", ")}.
Ends with status 1 when a required ratio is missed.

  --write      puts the results into docs/performance.md instead of printing them; those of gate, which later runs are
               compared with, into bench/gate.json
  --only TEXT  measures the peak memory of requests whose names contain the text, and nothing else
  --help       prints this`

/** How long what a benchmark has stopped may take to close. */
const CLOSING_MS = 5_000

process.exitCode = await main(process.argv.slice(2))
// It fires only while something keeps the process from ending.
setTimeout(() => {
  console.error(`Ended by force. Still open: ${process.getActiveResourcesInfo().join(", ")}`)
  process.exit()
}, CLOSING_MS).unref()

async function main(args: readonly string[]): Promise<number> {
  const options = readOptions(args)
  if (options === null) {
    console.error(USAGE)
    return 2
  }
  if (options.help) {
    console.log(USAGE)
    return 0
  }
  let passed = true
  for (const [name, load] of options.benchmarks) {
    console.error(`Running ${name} ...`)
    const { description, run, keep } = await load()
    const rows = await run(options.only)
    const results = `${description}\n\n${renderTable(rows)}\n\n${describeMachine()}.`
    if (options.write && keep !== undefined) {
      await keep(rows)
      continue
    }
    passed = passed && !rows.some(missesRequirement)
    if (options.write) await writeFile(PAGE, insertResults(await readFile(PAGE, "utf8"), name, results))
    else console.log(`${results}\n`)
  }
  if (!passed)
    console.error("A required ratio was missed. They are meant for a machine that does nothing else.")
  return passed ? 0 : 1
}

interface Options {
  readonly benchmarks: readonly (readonly [string, () => Promise<Benchmark>])[]
  readonly write: boolean
  readonly help: boolean
  readonly only: string | null
}

/** Returns null when an argument is unknown. */
function readOptions(args: readonly string[]): Options | null {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      options: {
        write: { type: "boolean", default: false },
        help: { type: "boolean", default: false },
        only: { type: "string" },
      },
      allowPositionals: true,
    })
    if (positionals.some((name) => !BENCHMARKS.has(name))) return null
    const benchmarks = [...BENCHMARKS].filter(
      ([name]) => positionals.length === 0 || positionals.includes(name),
    )
    const { only = null } = values
    // A part of the rows does not replace all of them, and other benchmarks have no such parts.
    if (only !== null && (values.write || benchmarks.some(([name]) => name !== "overload"))) return null
    return { benchmarks, ...values, only }
  } catch {
    return null
  }
}

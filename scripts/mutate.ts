import { parseArgs } from "node:util"
import { MUTATION_AREAS, type MutationArea } from "./mutate/areas.ts"
import { EVERYTHING, isSampled, type Sample } from "./mutate/sample.ts"

const USAGE = `Usage: npm run mutate [-- [AREA ...] [--sample PERCENT] [--seed N] [--files GLOB]]

Makes small changes to the code and lists those that no test detects. One area after another:
${[...MUTATION_AREAS.keys()].join(", ")}. Reports go to reports/mutation/.

  --sample  tests only this share of the changes, in percent (default: 100)
  --seed    chooses them (default: 1)
  --files   mutates only these files, with the tests of the one area given
  --help    prints this`

process.exitCode = await main(process.argv.slice(2))

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
  for (const [name, area] of options.areas) {
    console.error(`Mutating ${name} ...`)
    const narrowed = options.files === undefined ? area : { ...area, code: [options.files] }
    await mutate(name, narrowed, options.sample)
  }
  return 0
}

async function mutate(name: string, { code, tests }: MutationArea, sample: Sample): Promise<void> {
  process.env.MUTATION_TESTS = JSON.stringify(tests)
  process.env.MUTATION_SAMPLE = JSON.stringify(sample)
  // Loaded only when it is needed: it takes seconds.
  const { Stryker } = await import("@stryker-mutator/core")
  const stryker = new Stryker({
    testRunner: "vitest",
    plugins: [
      "@stryker-mutator/vitest-runner",
      new URL("./mutate/sampling-checker.ts", import.meta.url).href,
    ],
    checkers: ["sampling"],
    vitest: { configFile: "scripts/mutate/vitest.config.ts" },
    mutate: [...code],
    coverageAnalysis: "perTest",
    // Mutants in code that runs once, when a module is loaded, would need a whole run of all tests each.
    ignoreStatic: true,
    concurrency: 1,
    timeoutMS: 8_000,
    // The TypeScript that checks here has no API for Stryker to rewrite this file with, and the copy needs no rewriting.
    tsconfigFile: "none",
    tempDirName: ".stryker-tmp",
    reporters: ["progress-append-only", "clear-text", "json", "html"],
    clearTextReporter: { allowColor: false, logTests: false, reportTests: false },
    jsonReporter: { fileName: `reports/mutation/${name}.json` },
    htmlReporter: { fileName: `reports/mutation/${name}.html` },
  })
  const tested = await stryker.runMutationTest()
  const of = (status: string) => tested.filter((mutant) => mutant.status === status)
  const detected = of("Killed").length + of("Timeout").length
  // Those that no test reaches are counted without a checker.
  const survived =
    of("Survived").length + of("NoCoverage").filter((mutant) => isSampled(mutant, sample)).length
  const score = Math.floor((100 * detected) / (detected + survived))
  console.log(`${name}: ${score} % of ${detected + survived}; ${survived} survived`)
}

interface Options {
  readonly areas: readonly (readonly [string, MutationArea])[]
  readonly sample: Sample
  readonly files?: string | undefined
  readonly help: boolean
}

/** Returns null when an argument is unknown. */
function readOptions(args: readonly string[]): Options | null {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      options: {
        sample: { type: "string", default: String(EVERYTHING.percent) },
        seed: { type: "string", default: String(EVERYTHING.seed) },
        files: { type: "string" },
        help: { type: "boolean", default: false },
      },
      allowPositionals: true,
    })
    if (positionals.some((name) => !MUTATION_AREAS.has(name))) return null
    if (values.files !== undefined && positionals.length !== 1) return null
    const areas = [...MUTATION_AREAS].filter(
      ([name]) => positionals.length === 0 || positionals.includes(name),
    )
    const sample = { percent: Number(values.sample), seed: Number(values.seed) }
    if (!(sample.percent > 0 && sample.percent <= 100) || !Number.isInteger(sample.seed)) return null
    return { areas, sample, files: values.files, help: values.help }
  } catch {
    return null
  }
}

import { parseArgs } from "node:util"
import { MUTATION_AREAS, type MutationArea } from "./mutate/areas.ts"

const USAGE = `Usage: npm run mutate [-- [AREA ...] [--files GLOB]]

Makes small changes to the code and lists those that no test detects. One area after another:
${[...MUTATION_AREAS.keys()].join(", ")}. Reports go to reports/mutation/.

  --files  mutates only these files, with the tests of the one area given
  --help   prints this`

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
    await mutate(name, options.files === undefined ? area : { ...area, code: [options.files] })
  }
  return 0
}

async function mutate(name: string, { code, tests }: MutationArea): Promise<void> {
  process.env.MUTATION_TESTS = JSON.stringify(tests)
  // Loaded only when it is needed: it takes seconds.
  const { Stryker } = await import("@stryker-mutator/core")
  const stryker = new Stryker({
    testRunner: "vitest",
    plugins: ["@stryker-mutator/vitest-runner"],
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
  await stryker.runMutationTest()
}

interface Options {
  readonly areas: readonly (readonly [string, MutationArea])[]
  readonly files?: string | undefined
  readonly help: boolean
}

/** Returns null when an argument is unknown. */
function readOptions(args: readonly string[]): Options | null {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      options: { files: { type: "string" }, help: { type: "boolean", default: false } },
      allowPositionals: true,
    })
    if (positionals.some((name) => !MUTATION_AREAS.has(name))) return null
    if (values.files !== undefined && positionals.length !== 1) return null
    const areas = [...MUTATION_AREAS].filter(
      ([name]) => positionals.length === 0 || positionals.includes(name),
    )
    return { areas, ...values }
  } catch {
    return null
  }
}

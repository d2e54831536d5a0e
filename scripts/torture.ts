import { HELP, parseOptions, type TortureOptions } from "./torture/options.ts"
import { isBroken, report } from "./torture/report.ts"
import { torture } from "./torture/torture.ts"

process.exitCode = await main(process.argv.slice(2))

async function main(args: readonly string[]): Promise<number> {
  let options: TortureOptions | null
  try {
    options = parseOptions(args)
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : error}\n--help lists the options.`)
    return 2
  }
  if (options === null) {
    console.log(HELP)
    return 0
  }
  console.error(`Seed ${options.seed}`)
  const begun = performance.now()
  const tell = (line: string) =>
    console.error(`${((performance.now() - begun) / 1_000).toFixed(1).padStart(6)} s  ${line}`)
  const result = await torture(options, tell)
  console.log(report(result))
  return isBroken(result) ? 1 : 0
}

import { explore } from "./explore/explore.ts"
import { HELP, parseOptions } from "./explore/options.ts"
import { prove } from "./explore/prove.ts"

process.exitCode = await main(process.argv.slice(2))

async function main(args: readonly string[]): Promise<number> {
  try {
    const options = parseOptions(args)
    if (options === null) {
      console.log(HELP)
      return 0
    }
    return options.proves ? await prove(options) : await explore(options)
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : error}\n--help lists the options.`)
    return 2
  }
}

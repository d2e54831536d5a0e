import { parseArgs } from "node:util"
import { type Deviations, parseDeviations } from "@sealway/ports/testing"
import type { Program } from "../../test/explore/program.ts"
import { PROGRAMS } from "../../test/explore/programs/index.ts"
import { writes } from "../../test/explore/programs/writes.ts"

export interface ExploreOptions {
  readonly programs: readonly Program[]
  /** For all programs together. */
  readonly minutes: number
  readonly seed: number
  /** One history of one program, to replay it. */
  readonly history: Deviations | null
  readonly proves: boolean
}

const ALL = [...PROGRAMS, ...writes]

export const HELP = `Runs requests, workers and sweepers in every order, with faults, and checks what they promise.

Usage: npm run explore [-- OPTION ...]

  --program TEXT   Only programs whose names contain this; may be given several times
  --minutes N      For all programs together (default: 5). First all histories with up to
                   three pre-emptions and no fault, or one of each, then random ones
  --seed N         Chooses the random histories (default: a random one, which is printed)
  --history TEXT   Replays one history of one program, and prints its steps
  --prove          Breaks a line of the product for each promise, and expects to find it
  --list           Lists the programs and what they promise
  --help           Print this

Exit status 1 when a history breaks a promise. It is printed, with the option that replays it.
`

/** Returns null for the help. @throws Error when an argument is unknown */
export function parseOptions(args: readonly string[]): ExploreOptions | null {
  const { values } = parseArgs({
    args: [...args],
    options: {
      program: { type: "string", multiple: true, default: [] },
      minutes: { type: "string", default: "5" },
      seed: { type: "string", default: String(Math.floor(Math.random() * 2 ** 32)) },
      history: { type: "string" },
      prove: { type: "boolean", default: false },
      list: { type: "boolean", default: false },
      help: { type: "boolean", default: false },
    },
  })
  if (values.help) return null
  if (values.list) {
    for (const { name, promises } of ALL) console.log(`${name}\n    ${promises}`)
    return { programs: [], minutes: 0, seed: 0, history: null, proves: false }
  }
  const wanted = values.program
  const programs =
    wanted.length === 0 ? ALL : ALL.filter(({ name }) => wanted.some((text) => name.includes(text)))
  if (programs.length === 0) throw new Error("No program has this name.")
  const history = values.history === undefined ? null : parseDeviations(values.history)
  if (history !== null && programs.length !== 1) throw new Error("--history needs --program with one name.")
  return {
    programs,
    history,
    minutes: numberFrom(values.minutes, "--minutes", 0, 600),
    seed: numberFrom(values.seed, "--seed", 0, 2 ** 32 - 1),
    proves: values.prove,
  }
}

function numberFrom(text: string, option: string, least: number, most: number): number {
  const number = Number(text)
  if (!(number >= least && number <= most))
    throw new Error(`${option} must be a number from ${least} to ${most}.`)
  return number
}

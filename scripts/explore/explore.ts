import {
  type Failure,
  follow,
  formatDeviations,
  formatSteps,
  type SearchResult,
  searchAll,
  searchAtRandom,
} from "@sealway/ports/testing"
import { BOUNDS, load, type Program } from "../../test/explore/program.ts"
import { createRandom } from "../torture/random.ts"
import type { ExploreOptions } from "./options.ts"

/** Explores programs, one after another, and prints what was found. @returns the exit status */
export async function explore({ programs, minutes, seed, history }: ExploreOptions): Promise<number> {
  const [program] = programs
  if (history !== null && program !== undefined) {
    const replayed = await (await load(program))(follow(history))
    tell(program, { deviations: history, history: replayed })
    return replayed.violation === null ? 0 : 1
  }
  if (programs.length > 0) console.error(`Seed ${seed}`)
  let status = 0
  let secondsLeft = minutes * 60
  for (const [index, each] of programs.entries()) {
    const begun = performance.now()
    const seconds = secondsLeft / (programs.length - index)
    const failure = await exploreOne(each, seconds, seed)
    secondsLeft = Math.max(0, secondsLeft - (performance.now() - begun) / 1000)
    if (failure !== null) {
      tell(each, failure)
      status = 1
    }
  }
  return status
}

async function exploreOne(program: Program, seconds: number, seed: number): Promise<Failure | null> {
  const run = await load(program)
  const begun = performance.now()
  const isAfter = (share: number) => () => performance.now() - begun > share * seconds * 1000
  let all = await searchAll(run, program.bounds ?? BOUNDS, isAfter(0.8))
  while (all.isComplete && all.hasLearned) all = await searchAll(run, program.bounds ?? BOUNDS, isAfter(0.8))
  const failed = all.failure !== null
  const random = createRandom(seed).fork(program.name)
  const some = failed ? null : await searchAtRandom(run, random.next, isAfter(1))
  console.log(
    `${failed || some?.failure ? "FAILED" : "kept  "}  ${program.name}: ${countsOf(all)}${some ? `; at random, ${countsOf(some)}` : ""}`,
  )
  return all.failure ?? some?.failure ?? null
}

function countsOf({ histories, states, faults, isComplete }: SearchResult): string {
  const faulty = [...faults.values()].reduce((sum, count) => sum + count, 0)
  return `${isComplete ? "all " : ""}${histories} histories, ${states} states, ${faulty} faults`
}

function tell({ name }: Program, { deviations, history: { steps, violation, logged } }: Failure): void {
  console.log(`\n${formatSteps(steps)}\n`)
  for (const line of logged.slice(0, 3)) console.log(`${line}\n`)
  console.log(violation === null ? "Nothing is violated." : `VIOLATED: ${violation.message}`)
  console.log(
    `Replay: npm run explore -- --program ${JSON.stringify(name)} --history '${formatDeviations(deviations)}'\n`,
  )
}

import { type Deviations, deviationsOf, type Fault, type Option, type Step } from "./history.ts"
import type { Choose } from "./scheduler.ts"

/** A history, and what it ended with. */
export interface History {
  readonly steps: readonly Step[]
  /** What it violated; null when it kept every promise. */
  readonly violation: Error | null
  /** Distinguishes the states in which histories end. */
  readonly state: string
  /** Warnings and errors that processes have logged. */
  readonly logged: readonly string[]
  /** How many calls are known that others make: with more of them, more choices are worthwhile. */
  readonly known: number
}

/** Runs a program once, from its beginning. */
export type RunOnce = (choose: Choose) => Promise<History>

/** How far histories may be from the one in which everybody finishes before the next one begins. */
export interface Bounds {
  readonly preemptions: number
  readonly faults: number
  /** Default: all kinds. */
  readonly kinds?: readonly Fault[]
}

export interface SearchResult {
  readonly histories: number
  readonly states: number
  /** How many histories had a fault, by its name. */
  readonly faults: ReadonlyMap<string, number>
  /** Null when no history violated anything. */
  readonly failure: Failure | null
  /** Whether there was time for all histories within the bounds. */
  readonly isComplete: boolean
  /** Whether histories have shown calls that make more choices worthwhile than the first ones could know. */
  readonly hasLearned: boolean
}

export interface Failure {
  readonly deviations: Deviations
  readonly history: History
}

interface Prefix extends Pick<Bounds, "preemptions" | "faults"> {
  readonly deviations: Deviations
  /** The first step at which another choice makes a history that was not looked at. */
  readonly from: number
}

/** Counts what a search has seen. */
class Tally {
  readonly #states = new Set<string>()
  readonly #faults = new Map<string, number>()
  #histories = 0
  #known: number | null = null
  #hasLearned = false

  count({ state, steps, known }: History): void {
    this.#histories++
    this.#hasLearned ||= this.#known !== null && known > this.#known
    this.#known ??= known
    this.#states.add(state)
    for (const label of deviationsOf(steps).values()) {
      const [, fault] = label.split("!")
      if (fault !== undefined) this.#faults.set(fault, (this.#faults.get(fault) ?? 0) + 1)
    }
  }

  result(failure: Failure | null, isComplete: boolean): SearchResult {
    return {
      histories: this.#histories,
      states: this.#states.size,
      faults: this.#faults,
      failure,
      isComplete,
      hasLearned: this.#hasLearned,
    }
  }
}

/**
 * Looks at all histories within bounds, the simplest first: those with the fewest pre-emptions and faults.
 *
 * @param bounds alternatives: a history within one of them is looked at
 * @param isOver asked before each history
 */
export async function searchAll(
  run: RunOnce,
  bounds: readonly Bounds[],
  isOver: () => boolean,
): Promise<SearchResult> {
  const tally = new Tally()
  const isWithin = ({ preemptions, faults, deviations }: Prefix) => {
    const kinds = [...deviations.values()].flatMap((label) => label.split("!").slice(1))
    return bounds.some(
      (bound) =>
        preemptions <= bound.preemptions &&
        faults <= bound.faults &&
        kinds.every((kind) => bound.kinds?.some((each) => each === kind) ?? true),
    )
  }
  // By the number of pre-emptions and faults.
  const levels: Prefix[][] = [[{ deviations: new Map(), from: 0, preemptions: 0, faults: 0 }]]
  for (const level of levels) {
    for (let next = level.shift(); next !== undefined; next = level.shift()) {
      if (isOver()) return tally.result(null, false)
      const history = await run(follow(next.deviations))
      tally.count(history)
      if (history.violation !== null) {
        return tally.result(await shrink(run, { deviations: next.deviations, history }), false)
      }
      for (const [index, { options }] of history.steps.entries()) {
        if (index < next.from) continue
        for (const option of options.slice(1)) {
          if (!option.isWorthwhile) continue
          const preemptions = next.preemptions + option.preemptions
          const faults = next.faults + option.faults
          const deviations = new Map([...next.deviations, [index, option.label]])
          const prefix = { deviations, from: index + 1, preemptions, faults }
          if (!isWithin(prefix)) continue
          const cost = preemptions + faults
          for (let missing = levels.length; missing <= cost; missing++) levels.push([])
          levels[cost]?.push(prefix)
        }
      }
    }
  }
  return tally.result(null, true)
}

/**
 * Looks at random histories: actors have random priorities, which change at a few random steps (PCT), and some calls have a
 * fault.
 *
 * @param random returns a number from 0 to less than 1
 * @see https://www.microsoft.com/en-us/research/publication/a-randomized-scheduler-with-probabilistic-guarantees-of-finding-bugs/
 */
export async function searchAtRandom(
  run: RunOnce,
  random: () => number,
  isOver: () => boolean,
): Promise<SearchResult> {
  const tally = new Tally()
  let length = 50
  while (!isOver()) {
    const history = await run(pct(random, length))
    length = Math.max(length, history.steps.length)
    tally.count(history)
    if (history.violation !== null) {
      const failure = { deviations: deviationsOf(history.steps), history }
      return tally.result(await shrink(run, failure), false)
    }
  }
  return tally.result(null, false)
}

const CHANGES = 3
const MAX_FAULTS = 2

function pct(random: () => number, length: number): Choose {
  const priorities = new Map<string, number>()
  const changes = new Set(Array.from({ length: CHANGES }, () => Math.floor(random() * length)))
  const faultsAt = new Set(Array.from({ length: MAX_FAULTS }, () => Math.floor(random() * length)))
  const priorityOf = (label: string) => {
    const known = priorities.get(label) ?? random()
    priorities.set(label, known)
    return known
  }
  return (step, options) => {
    // Otherwise time would pass whenever somebody waits, and end everyone else's requests again and again.
    const isTimely = (index: number, { passesTime }: Option) =>
      index === 0 || !passesTime || changes.has(step)
    const calm = [...options.entries()].filter(
      ([index, option]) => option.faults === 0 && isTimely(index, option),
    )
    const [first] = calm.toSorted(([, left], [, right]) => priorityOf(right.label) - priorityOf(left.label))
    if (first === undefined) return 0
    const [index, { label }] = first
    if (changes.has(step)) priorities.set(label, random() - 1)
    const faulty = [...options.entries()].filter(([, option]) => option.label.startsWith(`${label}!`))
    if (!faultsAt.has(step) || faulty.length === 0) return index
    return faulty[Math.floor(random() * faulty.length)]?.[0] ?? index
  }
}

/** Chooses what deviations name, and otherwise the default. @throws Error when they are those of another program */
export function follow(deviations: Deviations): Choose {
  return (step, options) => {
    const wanted = deviations.get(step)
    if (wanted === undefined) return 0
    const index = options.findIndex(({ label }) => label === wanted)
    if (index < 0) throw new UnknownStepError(step, wanted, options)
    return index
  }
}

/** A deviation by what would happen next instead of by its number, so that it holds when calls are added before it. */
export interface Turn {
  /** What would happen by default: who, and the start of the call. */
  readonly before: readonly [actor: string, call: string]
  /** The label of what happens instead. */
  readonly comes: string
}

/** Chooses the turns, one after another, and otherwise the default. */
export function followTurns(turns: readonly Turn[]): {
  readonly choose: Choose
  readonly isDone: () => boolean
} {
  const left = [...turns]
  return {
    isDone: () => left.length === 0,
    choose(_, options) {
      const [turn] = left
      const [{ label, call } = { label: "", call: null }] = options
      if (turn === undefined || label !== turn.before[0] || !call?.startsWith(turn.before[1])) return 0
      const index = options.findIndex((option) => option.label === turn.comes)
      if (index < 0) return 0
      left.shift()
      return index
    },
  }
}

export class UnknownStepError extends Error {
  constructor(step: number, wanted: string, options: readonly Option[]) {
    const labels = options.map(({ label }) => label).join(", ")
    super(`Step ${step} cannot be ${wanted}. It can be: ${labels}`)
  }
}

/** Leaves out deviations that a failure does not need: faults first, then pre-emptions. */
async function shrink(run: RunOnce, failure: Failure): Promise<Failure> {
  let smallest = failure
  const isFault = ([, label]: [number, string]) => label.includes("!")
  const all = [...failure.deviations]
  for (const each of [...all.filter(isFault), ...all.filter((one) => !isFault(one)).toReversed()]) {
    const fewer = new Map([...smallest.deviations].filter(([step]) => step !== each[0]))
    const history = await run(follow(fewer)).catch((error: unknown) => {
      // Without it, later steps are others.
      if (error instanceof UnknownStepError) return null
      throw error
    })
    if (history?.violation?.message === smallest.history.violation?.message && history !== undefined) {
      if (history !== null) smallest = { deviations: fewer, history }
    }
  }
  return smallest
}

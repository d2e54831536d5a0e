import { bucketOf, LatencyHistogram } from "./latency-histogram.ts"

/** What is counted. */
export const COUNTERS = [
  "requests",
  "encrypted",
  "decrypted",
  "masked",
  "refusals",
  "errors",
  "relayRequests",
  "functionRuns",
  "failedRuns",
] as const

/** Whose time is measured: requests to the API, requests through relays, their destinations, runs of functions. */
export const TIMERS = ["api", "relay", "destination", "function"] as const

/** What figures are grouped by: a role, a relay, a function, an endpoint, the code of an error. */
export const DIMENSIONS = ["role", "relay", "function", "endpoint", "code"] as const

export type Counter = (typeof COUNTERS)[number]
export type Timer = (typeof TIMERS)[number]
export type Dimension = (typeof DIMENSIONS)[number]

/** How much counters grow, and what took how long, in milliseconds. */
export interface Change extends Partial<Readonly<Record<Counter, number>>> {
  readonly tookMs?: Partial<Readonly<Record<Timer, number>>>
}

/** The groups that a change belongs to. */
export type Groups = Partial<Readonly<Record<Dimension, string>>>

/** The key of everything in a dimension beyond `MAX_GROUPS`. No role, relay, function, endpoint or code has this name. */
export const OTHERS = "*"
/** In each dimension. */
const MAX_GROUPS = 100

/** A change, prepared once to be added to several groups. */
export interface PreparedChange {
  /** Position among `COUNTERS`, how much; and so on. */
  readonly counters: readonly number[]
  /** Position among `TIMERS`, duration in milliseconds, bucket; and so on. */
  readonly times: readonly number[]
}

const COUNTER_ENTRIES = COUNTERS.map((counter, position) => [counter, position] as const)
const TIMER_ENTRIES = TIMERS.map((timer, position) => [timer, position] as const)
const COUNTER_POSITIONS = new Map<Counter, number>(COUNTER_ENTRIES)
const TIMER_POSITIONS = new Map<Timer, number>(TIMER_ENTRIES)
const NOTHING: readonly number[] = []

export function prepareChange(change: Change): PreparedChange {
  let counters = NOTHING
  for (const [counter, position] of COUNTER_ENTRIES) {
    const by = change[counter]
    if (by !== undefined && by !== 0) counters = withEntry(counters, [position, by])
  }
  if (change.tookMs === undefined) return { counters, times: NOTHING }
  let times = NOTHING
  for (const [timer, position] of TIMER_ENTRIES) {
    const durationMs = change.tookMs[timer]
    if (durationMs !== undefined) times = withEntry(times, [position, durationMs, bucketOf(durationMs)])
  }
  return { counters, times }
}

/** Nearly every change has one counter and one time. Pushing would make room for 17 numbers each. */
function withEntry(entries: readonly number[], entry: readonly number[]): readonly number[] {
  return entries.length === 0 ? entry : [...entries, ...entry]
}

/** Counters and histograms of one group. */
export class Figures {
  /** By their position in `COUNTERS` and in `TIMERS`. */
  readonly #counts = COUNTERS.map(() => 0)
  readonly #times: (LatencyHistogram | null)[] = TIMERS.map(() => null)

  get(counter: Counter): number {
    return this.#counts[COUNTER_POSITIONS.get(counter) ?? -1] ?? 0
  }

  /** Null when nothing was measured. */
  times(timer: Timer): LatencyHistogram | null {
    return this.#times[TIMER_POSITIONS.get(timer) ?? -1] ?? null
  }

  /** The sum of all counters, to compare groups by. */
  get weight(): number {
    return this.#counts.reduce((sum, count) => sum + count, 0)
  }

  add({ counters, times }: PreparedChange): void {
    for (let index = 0; index < counters.length; index += 2) {
      this.#addAt(counters[index] ?? 0, counters[index + 1] ?? 0)
    }
    for (let index = 0; index < times.length; index += 3) {
      this.#timesAt(times[index] ?? 0).add(times[index + 1] ?? 0, times[index + 2])
    }
  }

  addTo(counter: Counter, by: number): void {
    this.#addAt(COUNTER_POSITIONS.get(counter) ?? -1, by)
  }

  /** Returns the histogram of a timer, a new one if there is none. */
  timesOf(timer: Timer): LatencyHistogram {
    return this.#timesAt(TIMER_POSITIONS.get(timer) ?? -1)
  }

  merge(other: Figures): void {
    for (const [position, count] of other.#counts.entries()) this.#addAt(position, count)
    for (const [position, times] of other.#times.entries()) {
      if (times !== null) this.#timesAt(position).merge(times)
    }
  }

  /** Returns what was added since. @param earlier what it was then; null for nothing */
  since(earlier: Figures | null): Figures {
    const added = new Figures()
    for (const counter of COUNTERS) added.addTo(counter, this.get(counter) - (earlier?.get(counter) ?? 0))
    for (const timer of TIMERS) {
      const times = this.times(timer)?.since(earlier?.times(timer) ?? null)
      if (times !== undefined && times.count > 0) added.timesOf(timer).merge(times)
    }
    return added
  }

  #addAt(position: number, by: number): void {
    this.#counts[position] = (this.#counts[position] ?? 0) + by
  }

  #timesAt(position: number): LatencyHistogram {
    const known = this.#times[position]
    if (known) return known
    const created = new LatencyHistogram()
    this.#times[position] = created
    return created
  }
}

/** The figures of one app: all together, and by each dimension. */
export class GroupedFigures {
  readonly total = new Figures()
  readonly #groups = new Map<Dimension, Map<string, Figures>>()
  readonly #admit: () => boolean

  /** @param admit says whether there is room for another group. Default: there always is, up to 100 in each dimension */
  constructor(admit: () => boolean = () => true) {
    this.#admit = admit
  }

  /** How many groups there are, in all dimensions. */
  get size(): number {
    let sum = 0
    for (const groups of this.#groups.values()) sum += groups.size
    return sum
  }

  by(dimension: Dimension): ReadonlyMap<string, Figures> {
    return this.#groups.get(dimension) ?? new Map()
  }

  /** @param dimensions those of the groups that are counted. Default: all */
  add(change: PreparedChange, groups: Groups, dimensions: readonly Dimension[] = DIMENSIONS): void {
    this.total.add(change)
    for (const dimension of dimensions) {
      const key = groups[dimension]
      if (key !== undefined) this.group(dimension, key)?.add(change)
    }
  }

  /** Returns the figures of a group, or of all others when there is no room for it; null when there is none for those. */
  group(dimension: Dimension, key: string): Figures | null {
    let groups = this.#groups.get(dimension)
    if (groups === undefined) {
      groups = new Map()
      this.#groups.set(dimension, groups)
    }
    const known = groups.get(key)
    if (known !== undefined) return known
    if (groups.size >= MAX_GROUPS && key !== OTHERS) return this.group(dimension, OTHERS)
    if (!this.#admit()) return null
    const created = new Figures()
    groups.set(key, created)
    return created
  }

  merge(other: GroupedFigures): void {
    this.total.merge(other.total)
    for (const dimension of DIMENSIONS) {
      for (const [key, figures] of other.by(dimension)) this.group(dimension, key)?.merge(figures)
    }
  }
}

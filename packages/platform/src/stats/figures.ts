import { LatencyHistogram } from "./latency-histogram.ts"

/** What is counted. */
export const COUNTERS = [
  "requests",
  "encrypted",
  "decrypted",
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

/** Counters and histograms of one group. */
export class Figures {
  readonly #counts = new Map<Counter, number>()
  readonly #times = new Map<Timer, LatencyHistogram>()

  get(counter: Counter): number {
    return this.#counts.get(counter) ?? 0
  }

  /** Null when nothing was measured. */
  times(timer: Timer): LatencyHistogram | null {
    return this.#times.get(timer) ?? null
  }

  /** The sum of all counters, to compare groups by. */
  get weight(): number {
    let sum = 0
    for (const count of this.#counts.values()) sum += count
    return sum
  }

  add(change: Change): void {
    const { tookMs } = change
    for (const counter of COUNTERS) {
      const by = change[counter]
      if (by !== undefined && by !== 0) this.addTo(counter, by)
    }
    if (tookMs === undefined) return
    for (const timer of TIMERS) {
      const durationMs = tookMs[timer]
      if (durationMs !== undefined) this.timesOf(timer).add(durationMs)
    }
  }

  addTo(counter: Counter, by: number): void {
    this.#counts.set(counter, this.get(counter) + by)
  }

  /** Returns the histogram of a timer, a new one if there is none. */
  timesOf(timer: Timer): LatencyHistogram {
    const known = this.#times.get(timer)
    if (known !== undefined) return known
    const created = new LatencyHistogram()
    this.#times.set(timer, created)
    return created
  }

  merge(other: Figures): void {
    for (const [counter, count] of other.#counts) this.addTo(counter, count)
    for (const [timer, times] of other.#times) this.timesOf(timer).merge(times)
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

  add(change: Change, groups: Groups): void {
    this.total.add(change)
    for (const dimension of DIMENSIONS) {
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

import type { Activity } from "./activity.ts"
import { boundActivity } from "./activity-schema.ts"

/**
 * `alerted`: an alert links to it. `notable`: an error, or a leak. If there are too many, the others are dropped first.
 */
export type ActivityRank = "alerted" | "notable" | "usual"

/** The maximum number of entries of a relay per write. */
const MAX_ENTRIES = 100

const RANKS: readonly ActivityRank[] = ["alerted", "notable", "usual"]

/**
 * The requests of one relay since the last write: all of them while they are few, otherwise a fair sample of each rank.
 */
export class ActivitySample {
  readonly #kept: Readonly<Record<ActivityRank, Activity[]>> = { alerted: [], notable: [], usual: [] }
  readonly #seen: Record<ActivityRank, number> = { alerted: 0, notable: 0, usual: 0 }
  readonly #random: () => number

  /** @param random returns a number from 0 to less than 1 */
  constructor(random: () => number) {
    this.#random = random
  }

  /**
   * @param activity called immediately, if it is kept
   * @param hasRoom false: it is only counted, unless it replaces another
   * @returns whether one more entry is kept
   */
  add(activity: () => Activity, rank: ActivityRank, hasRoom: boolean): boolean {
    const kept = this.#kept[rank]
    const seen = ++this.#seen[rank]
    if (hasRoom && kept.length < MAX_ENTRIES) {
      kept.push(boundActivity(activity()))
      return true
    }
    // Each one seen is equally likely to be among those kept.
    const place = Math.floor(this.#random() * seen)
    if (place < kept.length) kept[place] = boundActivity(activity())
    return false
  }

  /** Returns what to write, by ascending id, and how many are missing from it. */
  take(): { readonly entries: readonly Activity[]; readonly dropped: number } {
    const entries = RANKS.flatMap((rank) => this.#kept[rank])
      .slice(0, MAX_ENTRIES)
      .sort((left, right) => (left.id < right.id ? -1 : 1))
    const seen = RANKS.reduce((total, rank) => total + this.#seen[rank], 0)
    return { entries, dropped: seen - entries.length }
  }
}

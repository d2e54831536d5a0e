import type { Activity } from "./activity.ts"
import { boundActivity } from "./activity-schema.ts"

/** `alerted`: an alert leads to it. `notable`: an error, or a leak. Of too many, the others go first. */
export type ActivityRank = "alerted" | "notable" | "usual"

/** Entries of a relay that one write holds. */
const MAX_ENTRIES = 100

const RANKS: readonly ActivityRank[] = ["alerted", "notable", "usual"]

/** The requests of one relay since the last write: all of them while they are few, a fair sample of each rank otherwise. */
export class ActivitySample {
  readonly #kept: Readonly<Record<ActivityRank, Activity[]>> = { alerted: [], notable: [], usual: [] }
  readonly #seen: Record<ActivityRank, number> = { alerted: 0, notable: 0, usual: 0 }
  readonly #random: () => number

  /** @param random from 0 to less than 1 */
  constructor(random: () => number) {
    this.#random = random
  }

  /**
   * @param activity called at once, if it is kept
   * @param hasRoom false: it is only counted, unless it takes the place of another
   * @returns whether one entry more is kept
   */
  add(activity: () => Activity, rank: ActivityRank, hasRoom: boolean): boolean {
    const kept = this.#kept[rank]
    const seen = ++this.#seen[rank]
    if (hasRoom && kept.length < MAX_ENTRIES) {
      kept.push(boundActivity(activity()))
      return true
    }
    // Each of those seen is as likely to be among the kept as any other.
    const place = Math.floor(this.#random() * seen)
    if (place < kept.length) kept[place] = boundActivity(activity())
    return false
  }

  /** What is to be written, by ascending id, and how many are not in it. */
  take(): { readonly entries: readonly Activity[]; readonly dropped: number } {
    const entries = RANKS.flatMap((rank) => this.#kept[rank])
      .slice(0, MAX_ENTRIES)
      .sort((left, right) => (left.id < right.id ? -1 : 1))
    const seen = RANKS.reduce((total, rank) => total + this.#seen[rank], 0)
    return { entries, dropped: seen - entries.length }
  }
}

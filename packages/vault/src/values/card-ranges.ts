import type { MaybePromise } from "@sealway/kernel"
import type { App } from "@sealway/platform"

/** Looks up data about ranges of card numbers. */
export interface CardRanges {
  /**
   * Returns what is known about all numbers that start with some digits; null when nothing is.
   *
   * @param digits 6 or more
   */
  find(app: Pick<App, "teamId" | "environment">, digits: string): MaybePromise<CardRange | null>
}

/** Data about the range of a number. Unknown fields are absent. */
export interface CardRange {
  readonly funding?: string
  readonly segment?: string
  readonly country?: string
  readonly currency?: string
  readonly issuer?: string
}

import type { MaybePromise } from "@sealway/kernel"
import type { App } from "@sealway/platform"

/** What is known of ranges of card numbers. */
export interface CardRanges {
  /** What is known of all numbers that begin with some digits. Null: nothing is. @param digits 6 or more */
  find(app: Pick<App, "teamId" | "environment">, digits: string): MaybePromise<CardRange | null>
}

/** What the range of a number tells. What is not known is absent. */
export interface CardRange {
  readonly funding?: string
  readonly segment?: string
  readonly country?: string
  readonly currency?: string
  readonly issuer?: string
}

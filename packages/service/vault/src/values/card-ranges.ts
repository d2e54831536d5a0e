import type { App } from "@sealway/accounts"
import type { CardBrand, MaybePromise } from "@sealway/kernel"

/** Looks up data about ranges of card numbers. */
export interface CardRanges {
  /** Returns what is known about all numbers that start with the leading digits of one; null when nothing is. */
  find(app: Pick<App, "teamId" | "environment">, number: CardDigits): MaybePromise<CardRange | null>
}

/** The digits of a card number. */
export interface CardDigits {
  /** 6 or 8: those that may be shown. Others must not select data that somebody imports. */
  readonly leading: string
  /** All of them, to compare with numbers that are no secret. */
  readonly digits: string
}

/** Data about the range of a number. Unknown fields are absent. */
export interface CardRange {
  readonly brand?: CardBrand
  readonly funding?: string
  readonly segment?: string
  readonly country?: string
  readonly currency?: string
  readonly issuer?: string
}

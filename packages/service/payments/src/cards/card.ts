import * as z from "zod"
import {
  type EnrolledRecord,
  findEnrolment,
  newRecord,
  requestEnrolment,
  withdrawEnrolment,
} from "../enrolments/enrolled-record.ts"
import { TOKEN_BRANDS } from "../networks/messages/enrolment.ts"
import { type CardFacts, cardFactsSchema } from "./card-facts.ts"

export const CARD_STATUSES = ["active", "replaced", "closed", "invalid"] as const
export type CardStatus = (typeof CARD_STATUSES)[number]

export const storedExpirySchema = z.object({ month: z.string(), year: z.string() })
export type CardExpiry = z.infer<typeof storedExpirySchema>

/** The stored details of a card, sealed. */
export const cardDetailsSchema = z.object({
  /** The number as a token: the one that was sent, or one of ours. */
  number: z.string(),
  /** The key that the number is found by, see `numberKeyOf`. */
  numberKey: z.string(),
  expiry: storedExpirySchema,
  bin: z.string(),
  lastFour: z.string(),
  facts: cardFactsSchema,
  status: z.enum(CARD_STATUSES),
  /** The card that replaced this one. */
  replacement: z.string().nullable(),
  /** Whether the app wants the card kept up to date. */
  isUpdated: z.boolean(),
})

export type CardDetails = z.infer<typeof cardDetailsSchema>
export type Card = EnrolledRecord<CardDetails>

type CardStep = "replace" | "close" | "refuse" | "correct"

/** The effect of each step in each status. A missing step has no effect. */
export const CARD_STEPS: Readonly<Record<CardStatus, Partial<Readonly<Record<CardStep, CardStatus>>>>> = {
  active: { replace: "replaced", close: "closed", refuse: "invalid" },
  replaced: {},
  closed: {},
  // The app has sent a different expiry.
  invalid: { correct: "active" },
}

/** The only enrolment of a card. */
export const UPDATES = "account-updates"

/** The brands whose networks report changes. */
const UPDATED_BRANDS: ReadonlySet<string | undefined> = new Set(TOKEN_BRANDS)

export interface NewCard {
  readonly number: string
  readonly numberKey: string
  readonly digits: string
  readonly expiry: CardExpiry
  readonly facts: CardFacts
  readonly isUpdated: boolean
}

/**
 * Numbers of at least 16 digits may be shown with eight digits besides the last four, others with six (PCI DSS 3.4.1).
 */
const LONG_NUMBER = 16

/** Creates a card, and requests its registration if there is one. @param nowMs epoch milliseconds */
export function newCard(id: string, appId: string, { digits, ...given }: NewCard, nowMs: number): Card {
  const bin = digits.slice(0, digits.length < LONG_NUMBER ? 6 : 8)
  const details = { ...given, bin, lastFour: digits.slice(-4), status: "active", replacement: null } as const
  return registered(newRecord(id, appId, details, nowMs), nowMs)
}

/** What an app changes about a card by posting its number again. */
export interface CardChanges {
  readonly expiry: CardExpiry
  /** Undefined: unchanged. */
  readonly isUpdated: boolean | undefined
}

/**
 * Applies the changes of a number that was posted again. Returns the same object when nothing is new, and for a replaced
 * card: the changes are about its old number.
 */
export function withCardChanges(card: Card, { expiry, isUpdated }: CardChanges, nowMs: number): Card {
  const { details } = card
  if (details.status === "replaced") return card
  const isOtherExpiry = expiry.month !== details.expiry.month || expiry.year !== details.expiry.year
  const wanted = isUpdated ?? details.isUpdated
  if (!isOtherExpiry && wanted === details.isUpdated) return card
  const status = (isOtherExpiry && CARD_STEPS[details.status].correct) || details.status
  const changed = { ...card, details: { ...details, status, expiry: { ...expiry }, isUpdated: wanted } }
  if (!wanted) return withdrawEnrolment(changed, UPDATES, nowMs)
  return status === "active" ? registered(changed, nowMs) : changed
}

/** Returns the card after a step; the same object when the step has no effect. Its updates stop. */
export function afterCardStep(card: Card, step: Exclude<CardStep, "correct">, nowMs: number): Card {
  const status = CARD_STEPS[card.details.status][step]
  if (status === undefined) return card
  return withdrawEnrolment({ ...card, details: { ...card.details, status } }, UPDATES, nowMs)
}

function registered(card: Card, nowMs: number): Card {
  const { isUpdated, facts } = card.details
  return isUpdated && UPDATED_BRANDS.has(facts.brand) ? requestEnrolment(card, UPDATES, nowMs) : card
}

export type AutomaticUpdates = "enabled" | "issuer-not-enrolled" | "disabled"

/** Undecided counts as wanted. A network that has reported the end of a card reported its changes. */
export function automaticUpdatesOf(card: Card): AutomaticUpdates {
  const { status, isUpdated, facts } = card.details
  if (status === "replaced" || status === "closed") {
    return isUpdated && UPDATED_BRANDS.has(facts.brand) ? "enabled" : "disabled"
  }
  switch (findEnrolment(card, UPDATES)?.status) {
    case "pending":
    case "active":
      return "enabled"
    case "failed":
      return "issuer-not-enrolled"
    default:
      return "disabled"
  }
}

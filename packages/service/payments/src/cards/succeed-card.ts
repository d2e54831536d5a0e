import type { App } from "@sealway/accounts"
import type { EnrolmentDependencies } from "../enrolments/enrolled-kind.ts"
import { makeEnrolled, wakeWorker } from "../enrolments/keep-enrolled.ts"
import { numberKeyOf } from "../number-key.ts"
import { openOwnNumber, sealSuccessor } from "../own-number.ts"
import { afterCardStep, type Card, type CardExpiry, newCard } from "./card.ts"
import { knownFactsOf } from "./card-facts.ts"
import { claimNumber } from "./card-numbers.ts"
import { CARD_TABLE } from "./card-table.ts"

/** The replacement of a card that a network reports. */
export interface Replacement {
  /** Undefined: the number stays the same. */
  readonly number?: string | undefined
  /** The token in which the number was sent; absent for none. */
  readonly token?: string | null
  readonly expiry: CardExpiry
}

const KIND = { type: "card", table: CARD_TABLE } as const

/**
 * Returns the card as replaced, once its replacement exists: the card that already has the new number, or a new one,
 * which is registered for updates like this one. Returns the card itself when both are equal. Repeated after a crash,
 * it finds the same replacement.
 */
export async function succeedCard(
  card: Card,
  { number, token = null, expiry }: Replacement,
  app: App,
  dependencies: EnrolmentDependencies,
): Promise<Card> {
  const { paymentsTable, keyring, draws, wallClock } = dependencies
  const nowMs = wallClock()
  const replaced = afterCardStep(card, "replace", nowMs)
  if (replaced === card) return card
  const digits = number ?? (await openOwnNumber(keyring, app, card.details.number))
  const numberKey = await numberKeyOf(dependencies, app, digits)
  if (isSame(card, numberKey, expiry)) return card
  const id = await claimNumber(paymentsTable, app, {
    numberKey,
    newId: draws.newId("card", nowMs),
    isFree: async (holder) =>
      holder === card.id || ((await CARD_TABLE.find(dependencies, app, holder))?.deletedAt ?? null) !== null,
  })
  if ((await CARD_TABLE.find(dependencies, app, id)) === null) {
    const isSameNumber = numberKey === card.details.numberKey
    const given = {
      number: isSameNumber
        ? card.details.number
        : (token ?? (await sealSuccessor(dependencies, app, digits, card.details.number))),
      facts: isSameNumber ? card.details.facts : await knownFactsOf(dependencies, app, digits),
    }
    const { isUpdated } = card.details
    const made = newCard(id, app.id, { ...given, numberKey, digits, expiry, isUpdated }, nowMs)
    await makeEnrolled(KIND, dependencies, app, made)
    await wakeWorker(KIND, dependencies, app, made)
  }
  return { ...replaced, details: { ...replaced.details, replacement: id } }
}

/** Otherwise a network that reports the card's current state would have it replaced every day. */
function isSame({ details }: Card, numberKey: string, { month, year }: CardExpiry): boolean {
  return numberKey === details.numberKey && month === details.expiry.month && year === details.expiry.year
}

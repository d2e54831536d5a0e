import { untilDailyCheck } from "../enrolments/daily-checks.ts"
import type { EnrolledKind } from "../enrolments/enrolled-kind.ts"
import { referenceOf } from "../enrolments/enrolled-record.ts"
import type { EnrolmentDecision } from "../enrolments/enrolment.ts"
import type { CardStanding } from "../networks/messages/card-updates.ts"
import { openOwnNumber } from "../own-number.ts"
import { afterCardStep, automaticUpdatesOf, type CardDetails } from "./card.ts"
import { releaseNumber } from "./card-numbers.ts"
import { CARD_TABLE } from "./card-table.ts"
import { showCard } from "./show-card.ts"
import { succeedCard } from "./succeed-card.ts"

/** A network's answer about a card. */
export type CardDecision = EnrolmentDecision & { readonly standing: CardStanding }

/**
 * Converts a network's answer about a card to the state of its registration. The network is asked again every day, or
 * sooner if it says so.
 *
 * @param nowMs epoch milliseconds
 */
export function cardDecisionOf(standing: CardStanding, id: string, nowMs: number): CardDecision {
  switch (standing.status) {
    case "pending":
      return { status: "pending", checkAfterMs: standing.checkAfterMs, standing }
    case "active": {
      const status = standing.automaticUpdates === "enabled" ? "active" : "failed"
      return { status, checkAfterMs: standing.checkAfterMs ?? untilDailyCheck(id, nowMs), standing }
    }
    default:
      // A change without effect leaves the card until the next day.
      return { status: "active", checkAfterMs: untilDailyCheck(id, nowMs), standing }
  }
}

/** How cards are stored, registered for updates and published. */
export const CARDS: EnrolledKind<CardDetails, CardDecision> = {
  type: "card",
  idPrefix: "card",
  title: "The card",
  table: CARD_TABLE,
  eventType: "payments.card.updated",
  isListed: () => true,
  show: async (card) => showCard(card),
  standing: (card) => [card.details.status, card.details.replacement, automaticUpdatesOf(card)],

  async enrol(network, card, enrolment, { app, keyring, wallClock }) {
    const { number, expiry } = card.details
    const standing = await network.registerCard({
      reference: referenceOf(card, enrolment),
      requestedAt: enrolment.requestedAt,
      number: await openOwnNumber(keyring, app, number),
      expiry,
    })
    return cardDecisionOf(standing, card.id, wallClock())
  },

  withdraw: (network, card, enrolment) => network.deregisterCard({ reference: referenceOf(card, enrolment) }),

  async take(card, { standing }, app, dependencies) {
    switch (standing.status) {
      case "closed":
        return afterCardStep(card, "close", dependencies.wallClock())
      case "invalid":
        return afterCardStep(card, "refuse", dependencies.wallClock())
      case "replaced":
        return succeedCard(card, standing.replacement, app, dependencies)
      default:
        return card
    }
  },

  release: ({ id, appId, details: { numberKey } }, _, { paymentsTable }) =>
    releaseNumber(paymentsTable, { id, appId, numberKey }),
}

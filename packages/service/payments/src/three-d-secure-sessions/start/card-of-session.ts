import { cardBrandOf, invalidField, NotFoundError } from "@sealway/kernel"
import {
  type CardDataSender,
  cardNumberOf,
  expiryFields,
  openCardData,
  requireCardNumber,
  requireExpiry,
} from "../../card-number-of.ts"
import { findNewestCard } from "../../cards/newest-card.ts"
import type { PaymentDependencies } from "../../dependencies.ts"
import { lookUpBin } from "../../lookups/look-up-bin.ts"
import type { SessionCard } from "../record/session.ts"
import type { SessionInput } from "../record/session-request.ts"

/** Messages have no space for shorter numbers. */
const MIN_DIGITS = 13

/** The card of a session, with its number in the clear. */
export interface OpenedCard {
  readonly number: string
  readonly card: SessionCard
}

/**
 * Finds the card that a request names or describes, with what is known about its number's range.
 *
 * @throws InvalidRequestError when it is not a card number, a token that does not open, or the id of no card of the app
 * @throws DecryptionForbiddenError when its role's policies do not permit decryption
 */
export async function cardOfSession(
  dependencies: PaymentDependencies,
  sender: CardDataSender,
  given: SessionInput["card"],
): Promise<OpenedCard> {
  const { digits, expiry } =
    typeof given === "string"
      ? await openRegistered(dependencies, sender, given)
      : await openGiven(dependencies, sender, given)
  if (digits.length < MIN_DIGITS) {
    const pointer = typeof given === "string" ? "/card" : "/card/number"
    throw invalidField(pointer, "3-D Secure is for numbers of 13 to 19 digits.")
  }
  const facts = (await lookUpBin(dependencies, sender.principal.app, digits))?.facts ?? {}
  const {
    brand = cardBrandOf(digits),
    funding = null,
    segment = null,
    country = null,
    currency = null,
  } = facts
  const card: SessionCard = {
    lastFour: digits.slice(-4),
    expiry,
    brand,
    funding,
    segment,
    country,
    currency,
    ...(facts.issuer !== undefined && { issuer: facts.issuer }),
  }
  return { number: digits, card }
}

async function openGiven(
  dependencies: PaymentDependencies,
  sender: CardDataSender,
  { number, expiry }: Exclude<SessionInput["card"], string>,
) {
  const fields = new Map([["/card/number", number], ...expiryFields("/card/expiry", expiry)])
  const opened = await openCardData(dependencies, sender, fields)
  const { digits } = requireCardNumber("/card/number", opened.get("/card/number"))
  return { digits, expiry: requireExpiry("/card/expiry", opened) }
}

async function openRegistered(dependencies: PaymentDependencies, sender: CardDataSender, id: string) {
  const { number, expiry } = await registeredCard(dependencies, sender, id)
  return { digits: (await cardNumberOf(dependencies, sender, "/card", number)).digits, expiry }
}

/** Follows a replaced card to its replacement. */
async function registeredCard(
  dependencies: PaymentDependencies,
  { principal: { app } }: CardDataSender,
  id: string,
) {
  const card = await findNewestCard(dependencies, app, id).catch((error: unknown) => {
    if (error instanceof NotFoundError) throw invalidField("/card", "The app has no card with this id.")
    throw error
  })
  if (card === null) throw invalidField("/card", "The card is closed or invalid.")
  return card.details
}

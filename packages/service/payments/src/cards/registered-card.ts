import * as z from "zod"
import { type CardDataSender, openCardData, requireCardNumber } from "../card-number-of.ts"
import type { PaymentDependencies } from "../dependencies.ts"
import type { CardExpiry } from "./card.ts"
import { findNewestCard } from "./newest-card.ts"

const MAX_ID_CHARACTERS = 64

export const registeredCardSchema = z.string().max(MAX_ID_CHARACTERS).describe("Id of a registered card")

/** A card in the clear. Its number may be sent to its network only. */
export interface OpenedCard {
  readonly digits: string
  readonly expiry: CardExpiry
  /** The token that the number was given as; null when it was given plain. */
  readonly token: string | null
}

/**
 * Opens the number of a registered card, under the policies of its role. For a replaced card, opens the card that
 * replaced it.
 *
 * @returns null when the card is closed or invalid
 * @throws NotFoundError for an id of no card of the app
 */
export async function openRegisteredCard(
  dependencies: PaymentDependencies,
  sender: CardDataSender,
  id: string,
): Promise<OpenedCard | null> {
  const newest = await findNewestCard(dependencies, sender.principal.app, id)
  if (newest === null) return null
  const { number, expiry } = newest.details
  const opened = await openCardData(dependencies, sender, new Map([["/card", number]]))
  return { ...requireCardNumber("/card", opened.get("/card")), expiry }
}

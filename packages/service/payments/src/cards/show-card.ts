import {
  brandSchema,
  createdAtSchema,
  expirySchema,
  fundingSchema,
  segmentSchema,
  showTimes,
  updatedAtSchema,
} from "@sealway/bins"
import * as z from "zod"
import { automaticUpdatesOf, CARD_STATUSES, type Card } from "./card.ts"

/** What is known about a card from its number. */
export const shownFacts = {
  brand: brandSchema.optional(),
  funding: fundingSchema.optional(),
  segment: segmentSchema.optional(),
  country: z.string().optional().describe("ISO 3166-1 alpha-2, in lower case"),
  currency: z.string().optional().describe("ISO 4217, in lower case"),
  issuer: z.string().optional(),
}

/** A card as the API returns it. */
export const cardSchema = z
  .object({
    id: z.string(),
    number: z.string().describe("As a token: the token that you sent, or a new one"),
    expiry: expirySchema,
    bin: z.string().describe("The first six digits, or eight if the number has 16 digits or more"),
    lastFour: z.string(),
    ...shownFacts,
    status: z
      .enum(CARD_STATUSES)
      .describe("`invalid`: the network refused the number or the expiry. `replaced`: see `replacement`"),
    replacement: z.string().nullable().describe("Id of the card that replaces this one"),
    automaticUpdates: z
      .enum(["enabled", "issuer-not-enrolled", "disabled"])
      .describe(
        "Whether the network reports changes: only visa, mastercard and american-express do. Of a replaced or closed card, whether it did",
      ),
    createdAt: createdAtSchema,
    updatedAt: updatedAtSchema,
  })
  .meta({ id: "Card" })

/** A card in a list: without its number, so that no list hands out many tokens at once. */
export const listedCardSchema = cardSchema.omit({ number: true }).meta({ id: "ListedCard" })

export function showCard(card: Card): z.infer<typeof cardSchema> {
  const { id, details } = card
  const { number, expiry, bin, lastFour, facts, status, replacement } = details
  return {
    id,
    number,
    expiry,
    bin,
    lastFour,
    ...facts,
    status,
    replacement,
    automaticUpdates: automaticUpdatesOf(card),
    ...showTimes(card),
  }
}

export function showListedCard(card: Card): z.infer<typeof listedCardSchema> {
  const { number: _number, ...shown } = showCard(card)
  return shown
}

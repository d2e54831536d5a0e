import type { App } from "@sealway/accounts"
import { brandSchema, fundingSchema, segmentSchema } from "@sealway/bins"
import { ApiError, cardBrandOf } from "@sealway/kernel"
import * as z from "zod"
import { type LookUpDependencies, lookUpBin } from "../lookups/look-up-bin.ts"

const shape = {
  brand: brandSchema,
  funding: fundingSchema,
  segment: segmentSchema,
  country: z.string(),
  currency: z.string(),
  issuer: z.string(),
}

/** What is known about a card from its number. Unknown fields are absent. */
export const cardFactsSchema = z.object({
  brand: shape.brand.exactOptional(),
  funding: shape.funding.exactOptional(),
  segment: shape.segment.exactOptional(),
  country: shape.country.exactOptional(),
  currency: shape.currency.exactOptional(),
  issuer: shape.issuer.exactOptional(),
})

export type CardFacts = z.infer<typeof cardFactsSchema>

export interface NumberFacts {
  readonly facts: CardFacts
  /** Whether the number belongs to a network token instead of a card. */
  readonly isNetworkToken: boolean
}

/**
 * Looks up what is known about a number.
 *
 * @throws ApiError `service-unavailable` when the app's connector must be asked and does not answer
 */
export async function factsOfNumber(
  dependencies: LookUpDependencies,
  app: App,
  digits: string,
): Promise<NumberFacts> {
  const match = await lookUpBin(dependencies, app, digits)
  const { type, funding, segment, country, currency, issuer, ...rest } = match?.facts ?? {}
  const brand = rest.brand ?? cardBrandOf(digits)
  return {
    isNetworkToken: type === "network-token",
    facts: {
      ...(brand !== null && { brand }),
      ...(funding !== undefined && { funding }),
      ...(segment !== undefined && { segment }),
      ...(country !== undefined && { country }),
      ...(currency !== undefined && { currency }),
      ...(issuer !== undefined && { issuer }),
    },
  }
}

/** Returns what is known of a number that a network reports. A connector that does not answer must not prevent the update. */
export async function knownFactsOf(
  dependencies: LookUpDependencies,
  app: App,
  digits: string,
): Promise<CardFacts> {
  try {
    return (await factsOfNumber(dependencies, app, digits)).facts
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== "service-unavailable") throw error
    const brand = cardBrandOf(digits)
    return brand === null ? {} : { brand }
  }
}

import type { CardRanges } from "@sealway/vault"
import { type BinData, lookUpTestNumbers } from "./bin-data.ts"

/**
 * Looks up card numbers for `/fingerprint` in the same tables as BIN look-ups. Published test numbers are only known in
 * sandbox apps, and no connector is asked.
 */
export function createCardRanges(binData: BinData): CardRanges {
  return {
    async find({ teamId, environment }, digits) {
      const withoutTable = environment === "sandbox" ? lookUpTestNumbers : () => null
      const match = await binData.lookUp(teamId, digits, withoutTable)
      if (match === null) return null
      const { funding, segment, country, currency, issuer } = match.facts
      return {
        ...(funding !== undefined && { funding }),
        ...(segment !== undefined && { segment }),
        ...(country !== undefined && { country }),
        ...(currency !== undefined && { currency }),
        ...(issuer !== undefined && { issuer }),
      }
    },
  }
}

/** For a process without a payments table. */
export const NO_CARD_RANGES: CardRanges = { find: () => null }

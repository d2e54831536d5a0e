import type { CardRanges } from "@sealway/vault"
import type { BinData } from "./bin-data.ts"
import { matchTestNumber } from "./test-numbers.ts"

/**
 * Looks up card numbers for `/fingerprint` in the same tables as BIN look-ups. Published test numbers are only known in
 * sandbox apps, where they are compared as a whole: they are no secret. No connector is asked.
 */
export function createCardRanges(binData: BinData): CardRanges {
  return {
    async find({ teamId, environment }, { leading, digits }) {
      const withoutTable = () => (environment === "sandbox" ? matchTestNumber(digits) : null)
      const match = await binData.lookUp(teamId, leading, withoutTable)
      if (match === null) return null
      const { brand, funding, segment, country, currency, issuer } = match.facts
      return {
        ...(brand !== undefined && { brand }),
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

import { type BinData, createBinData, createCardRanges, NO_CARD_RANGES } from "@sealway/bins"
import type { Platform } from "@sealway/http"
import type { FingerprintDependencies } from "@sealway/vault"

/** @param binData default: new data, when the configuration names the payments table */
export function createDependencies(
  platform: Platform,
  binData: BinData | null = createOwnBinData(platform),
): FingerprintDependencies {
  return { ...platform, cardRanges: binData === null ? NO_CARD_RANGES : createCardRanges(binData) }
}

function createOwnBinData({ paymentsTable, now }: Platform): BinData | null {
  return paymentsTable === null ? null : createBinData({ table: paymentsTable, now })
}

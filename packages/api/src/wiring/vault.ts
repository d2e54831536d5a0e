import { type BinData, createBinData, createCardRanges, NO_CARD_RANGES } from "@sealway/payments"
import type { Platform } from "@sealway/platform"
import { createDataRoles, type DataRoles } from "@sealway/policies"
import type { VaultDependencies } from "@sealway/vault"

/**
 * @param dataRoles default: new ones
 * @param binData default: new data, when the configuration names the payments table
 */
export function createDependencies(
  platform: Platform,
  dataRoles: DataRoles = createDataRoles(platform),
  binData: BinData | null = createOwnBinData(platform),
): VaultDependencies {
  return {
    ...platform,
    dataRoles,
    cardRanges: binData === null ? NO_CARD_RANGES : createCardRanges(binData),
  }
}

function createOwnBinData({ paymentsTable, now }: Platform): BinData | null {
  return paymentsTable === null ? null : createBinData({ table: paymentsTable, now })
}

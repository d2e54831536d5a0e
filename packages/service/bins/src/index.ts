export { ACS_INDICATOR_CODES } from "./bins/acs-indicators.ts"
export { appendRows, MAX_ROWS } from "./bins/append-rows.ts"
export { BIN_GRANTS, type BinData, bytesToLookUp, createBinData } from "./bins/bin-data.ts"
export { binFactsSchema, showBinFacts } from "./bins/bin-facts-schema.ts"
export { MAX_BIN_DIGITS } from "./bins/bin-row.ts"
export { createCardRanges, NO_CARD_RANGES } from "./bins/card-ranges.ts"
export {
  activateBinTable,
  addBinTable,
  allBinTables,
  type BinTableDependencies,
  deleteBinTable,
  getBinTable,
  type ShownBinTable,
} from "./bins/manage-bin-tables.ts"
export type { BinMatch } from "./bins/match-rows.ts"
export { matchTestNumber } from "./bins/test-numbers.ts"
export {
  addressSchema,
  brandSchema,
  countrySchema,
  createdAtSchema,
  currencySchema,
  expirySchema,
  fundingSchema,
  MAX_PAYMENT_BYTES,
  moneySchema,
  refuseState,
  sealableExpirySchema,
  sealableSchema,
  segmentSchema,
  showTimes,
  stateSchema,
  updatedAtSchema,
  withoutPrefix,
} from "./schemas/common.ts"
export { COUNTRIES } from "./schemas/countries.ts"
export { CURRENCIES, currencyExponent } from "./schemas/currencies.ts"
export { pageByNumber, pagesQuerySchema, pagesReplySchema } from "./schemas/pages.ts"
export { isState } from "./schemas/states.ts"

import { formatCount } from "@sealway/kernel"
import * as z from "zod"

/** The merchant whose records a list returns. */
export const merchantFilterSchema = z
  .stringFormat("merchant", /^[0-9a-z_]{1,64}$/)
  .optional()
  .describe("Id of the merchant. Default: all merchants")

/** The end of the card number whose records a list returns. */
export const lastFourFilterSchema = z
  .stringFormat("last four digits", /^[0-9]{4}$/)
  .optional()
  .describe("The last four digits of the card number. Default: all cards")

/** Says how a list of sealed records is read. @param maxLookedAt how many records a page may search */
export const filteredList = (maxLookedAt: number) =>
  `Newest first. One page searches at most ${formatCount(maxLookedAt)} records. With a filter, a page can therefore be short or empty although more records follow: continue with \`continueAfter\`.`

export const FILTERED_LIST = filteredList(1_000)

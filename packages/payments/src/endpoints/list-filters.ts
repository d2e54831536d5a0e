import * as z from "zod"

/** The merchant whose records a list returns. */
export const merchantFilterSchema = z
  .stringFormat("merchant", /^[0-9a-z_]{1,64}$/)
  .optional()
  .describe("Id of the merchant. Default: all merchants")

/** How a list of sealed records is read. */
export const FILTERED_LIST =
  "Newest first. One page searches at most 1,000 records. With a filter, a page can therefore be short or empty although more records follow: continue with `continueAfter`."

import * as z from "zod"

/** The merchant whose records a list returns. */
export const merchantFilterSchema = z
  .stringFormat("merchant", /^[0-9a-z_]{1,64}$/)
  .optional()
  .describe("Id of the merchant. Absent: of all merchants")

/** How a list of sealed records is read. */
export const FILTERED_LIST =
  "Newest first. A page looks at 1,000 records at most, so that a filter can answer a page with few, or none, that has more behind it: go on with `continueAfter`."

import * as z from "zod"

const headerSchema = z.string().optional()

/** What shows that a request comes from the service's own pages. */
export const pageHeadersSchema = z.object({
  origin: headerSchema.describe("That of the service's own pages"),
  "x-requested-with": headerSchema.describe("`sealway`"),
  "sec-fetch-site": headerSchema.describe("Set by browsers"),
})

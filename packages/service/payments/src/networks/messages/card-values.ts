import * as z from "zod"

/** The number of a card or network token, without spaces. */
export const panSchema = z
  .string()
  .regex(/^[0-9]{12,19}$/, "A number must have 12 to 19 digits")
  .describe("12 to 19 digits, of a card or of a network token")

export const networkExpirySchema = z.strictObject({
  month: z.string().regex(/^(0[1-9]|1[0-2])$/, "A month must be 01 to 12"),
  year: z.string().regex(/^[0-9]{2}$/, "A year must have two digits"),
})

export const networkCountrySchema = z
  .string()
  .regex(/^[a-z]{2}$/, "A country must be two lower-case letters")
  .describe("ISO 3166-1 alpha-2, lower case")

export const networkCurrencySchema = z
  .string()
  .regex(/^[a-z]{3}$/, "A currency must be three lower-case letters")
  .describe("ISO 4217, lower case")

/** A text from a network. Longer ones are refused. */
export const networkTextSchema = z.string().min(1).max(200)

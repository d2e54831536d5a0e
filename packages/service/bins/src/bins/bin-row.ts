import * as z from "zod"
import {
  brandSchema,
  countrySchema,
  currencySchema,
  fundingSchema,
  segmentSchema,
} from "../schemas/common.ts"
import { ACS_INDICATOR_CODES, describeAcsIndicator } from "./acs-indicators.ts"

/** The maximum number of leading digits that define a range. The minimum is 6. */
export const MAX_BIN_DIGITS = 10

const MAX_VERSIONS = 10
/** Their numbers have two digits. */
const MAX_INDICATORS = 99

const prefixSchema = z
  .string()
  .regex(/^[0-9]{6,10}$/, "This must be 6 to 10 digits")
  .meta({ pattern: "^[0-9]{6,10}$" })

const textSchema = z
  .string()
  .min(1)
  .max(150)
  .regex(/^[^\p{Cc}\p{Zl}\p{Zp}]*$/u, "This must be one line, without control characters")

const versionsSchema = z
  .array(z.string().regex(/^[0-9]\.[0-9]{1,2}\.[0-9]{1,2}$/, "This must be a version, such as 2.2.0"))
  .max(MAX_VERSIONS)

const indicatorSchema = z
  .strictObject({
    code: z.enum(ACS_INDICATOR_CODES),
    indicator: z
      .string()
      .regex(/^(0[1-9]|[1-9][0-9])$/, "This must be 01 to 99")
      .describe("Its number in messages, 01 to 99"),
    description: textSchema.exactOptional().describe("Default: the meaning of the code"),
  })
  .transform(({ code, indicator, description = describeAcsIndicator(code) }) => ({
    code,
    indicator,
    description,
  }))

export const fastFundsSchema = z.lazy(() =>
  z.strictObject({ domestic: z.boolean(), crossBorder: z.boolean() }),
)

const threeDSSchema = z.lazy(() =>
  z.strictObject({
    supportedVersions: z.strictObject({
      accessControlServer: versionsSchema,
      directoryServer: versionsSchema,
    }),
    acsInfoIndicators: z.array(indicatorSchema).max(MAX_INDICATORS).default([]),
  }),
)

/** What is known about a range of numbers. Unknown fields are absent. */
export const binRowSchema = z.lazy(() =>
  z
    .strictObject({
      from: prefixSchema.describe("The first digits of the lowest number"),
      to: prefixSchema.describe("The first digits of the highest number, as many as `from` has"),
      brand: brandSchema,
      funding: fundingSchema.exactOptional(),
      segment: segmentSchema.exactOptional(),
      country: countrySchema.exactOptional(),
      currency: currencySchema.exactOptional(),
      issuer: textSchema.exactOptional(),
      productName: textSchema.exactOptional(),
      type: z.enum(["card", "network-token"]).default("card"),
      fastFunds: fastFundsSchema.exactOptional(),
      threeDS: threeDSSchema.exactOptional(),
    })
    .check(({ value: { from, to }, issues }) => {
      if (from.length === to.length && from <= to) return
      const message = "`to` must have as many digits as `from`, and must not be lower"
      issues.push({ code: "custom", message, path: ["to"], input: undefined })
    })
    .meta({ id: "BinRow" }),
)

export type BinRow = z.infer<typeof binRowSchema>

/** What a row says besides its range. */
export type BinFacts = Omit<BinRow, "from" | "to">

/** Returns the lowest number that starts with these digits, cut to 10 digits. */
export const lowestOf = (prefix: string): number => Number(prefix.padEnd(MAX_BIN_DIGITS, "0"))
/** Returns the highest one, cut to 10 digits. */
export const highestOf = (prefix: string): number => Number(prefix.padEnd(MAX_BIN_DIGITS, "9"))

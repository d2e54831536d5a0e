import { ACS_INDICATOR_CODES, brandSchema, fundingSchema, segmentSchema } from "@sealway/bins"
import * as z from "zod"
import { networkCountrySchema, networkCurrencySchema, networkTextSchema } from "./card-values.ts"

export const binRequestSchema = z.lazy(() =>
  z.strictObject({
    number: z
      .string()
      .regex(/^[0-9]{6,10}$/, "6 to 10 digits")
      .describe("The leading digits of a number"),
  }),
)

const versionsSchema = z.array(networkTextSchema).max(10)

/** What is known about a range of numbers. Unknown fields are absent. */
const binRangeSchema = z.lazy(() =>
  z.strictObject({
    matchPrecision: z.int().min(6).max(10).describe("Number of leading digits that define the range"),
    type: z.enum(["card", "network-token"]),
    brand: brandSchema.exactOptional(),
    funding: fundingSchema.exactOptional(),
    segment: segmentSchema.exactOptional(),
    country: networkCountrySchema.exactOptional(),
    currency: networkCurrencySchema.exactOptional(),
    issuer: networkTextSchema.exactOptional(),
    productName: networkTextSchema.exactOptional(),
    fastFunds: z.strictObject({ domestic: z.boolean(), crossBorder: z.boolean() }).exactOptional(),
    threeDS: z
      .strictObject({
        supportedVersions: z.strictObject({
          accessControlServer: versionsSchema,
          directoryServer: versionsSchema,
        }),
        acsInfoIndicators: z
          .array(
            z.strictObject({
              indicator: z.string().regex(/^(0[1-9]|[1-9][0-9])$/, "01 to 99"),
              code: z.enum(ACS_INDICATOR_CODES),
              description: networkTextSchema,
            }),
          )
          .max(99),
      })
      .exactOptional(),
  }),
)

export const binAnswerSchema = z.lazy(() =>
  z.strictObject({
    range: binRangeSchema.nullable().describe("Null when no range is known for these digits"),
  }),
)

export type BinRequest = z.infer<typeof binRequestSchema>
export type BinRange = z.infer<typeof binRangeSchema>
export type BinAnswer = z.infer<typeof binAnswerSchema>

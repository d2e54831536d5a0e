import { brandSchema, fundingSchema } from "@sealway/bins"
import * as z from "zod"
import {
  networkCountrySchema,
  networkCurrencySchema,
  networkExpirySchema,
  networkTextSchema,
  panSchema,
} from "./card-values.ts"

const cardSchema = z.lazy(() =>
  z.strictObject({
    type: z.literal("card"),
    number: panSchema,
    expiry: networkExpirySchema.optional(),
    cvv: z
      .string()
      .regex(/^[0-9]{3,4}$/, "3 or 4 digits")
      .optional(),
  }),
)

const networkTokenSchema = z.lazy(() =>
  z.strictObject({
    type: z.literal("network-token"),
    number: panSchema,
    cryptogram: networkTextSchema,
    expiry: networkExpirySchema,
    transactionIdentifier: networkTextSchema.optional(),
    brand: brandSchema.optional(),
    funding: z.enum(["credit", "debit", "prepaid"]).optional(),
    eci: networkTextSchema.optional(),
  }),
)

export const verifyChecks = ["capabilities", "cvv", "cardholder", "address", "email", "phone"] as const

/** The cardholder's stated identity and address. A field is present when its check is requested. */
export const verifyRequestSchema = z.lazy(() =>
  z.strictObject({
    instrument: z.discriminatedUnion("type", [cardSchema, networkTokenSchema]),
    checks: z.array(z.enum(verifyChecks)).min(1).max(verifyChecks.length),
    cardholder: z
      .strictObject({
        firstName: networkTextSchema.optional(),
        lastName: networkTextSchema.optional(),
        middleName: networkTextSchema.optional(),
        suffix: networkTextSchema.optional(),
        ownerType: z.enum(["primary", "secondary"]).optional(),
      })
      .optional(),
    address: z
      .strictObject({
        postalCode: networkTextSchema,
        line1: networkTextSchema.optional(),
        line2: networkTextSchema.optional(),
        city: networkTextSchema.optional(),
        state: networkTextSchema.optional(),
        country: networkCountrySchema.optional(),
      })
      .optional(),
    email: z.string().min(1).max(320).optional(),
    phone: z
      .string()
      .regex(/^00[1-9][0-9]{4,16}$/, "00, the country's calling code, the national number")
      .optional(),
  }),
)

const capabilitySchema = z.lazy(() =>
  z.strictObject({
    enabled: z.boolean(),
    network: brandSchema.optional(),
    type: fundingSchema.optional(),
    regulated: z.boolean().optional(),
    currency: networkCurrencySchema.optional(),
    country: networkCountrySchema.optional(),
    availability: z.enum(["immediate", "next-day", "next-few"]).optional().describe("How soon money arrives"),
  }),
)

const nameMatchSchema = z.enum(["M", "P", "N"])
const contactMatchSchema = z
  .enum(["M", "P", "N", "U"])
  .describe("M match, P partial match, N no match, U the network cannot check it")

/** The result of each check. A missing one was not made: its result is "unsupported". */
export const verifyAnswerSchema = z.lazy(() =>
  z.strictObject({
    capabilities: z.strictObject({ push: capabilitySchema, pull: capabilitySchema }).optional(),
    cvv: z
      .enum(["M", "Y", "N", "P", "S", "U"])
      .optional()
      .describe("M or Y match, N no match, P not processed, S not present, U unsupported"),
    address: z
      .strictObject({
        avsIdentifier: networkTextSchema,
        networkIdentifier: networkTextSchema,
        networkResponseCode: z.string().regex(/^[0-9A-Z]{1,4}$/, "A response code"),
        result: z.enum(["Y", "A", "Z", "N", "R", "U", "G", "S"]).describe("The network's AVS letter"),
      })
      .optional(),
    cardholder: z
      .discriminatedUnion("result", [
        z.strictObject({ result: z.literal("U") }),
        z.strictObject({
          result: z.enum(["M", "N"]),
          fullName: nameMatchSchema,
          firstName: nameMatchSchema,
          lastName: nameMatchSchema,
        }),
      ])
      .optional()
      .describe("M the names were compared, N they were not, U the network cannot check names"),
    email: contactMatchSchema.optional(),
    phone: contactMatchSchema.optional(),
  }),
)

export type VerifyCheck = (typeof verifyChecks)[number]
export type VerifyRequest = z.infer<typeof verifyRequestSchema>
export type VerifyAnswer = z.infer<typeof verifyAnswerSchema>

import { binFactsSchema, brandSchema, createdAtSchema, fundingSchema } from "@sealway/bins"
import * as z from "zod"

const codesSchema = z.object({ alphaCode: z.string(), numericCode: z.string() })

const capabilitySchema = z.object({
  enabled: z.boolean(),
  network: brandSchema.optional(),
  type: fundingSchema.optional(),
  regulated: z.boolean().optional(),
  currency: codesSchema.optional(),
  country: codesSchema.optional(),
  availability: z
    .enum(["immediate", "next-day", "next-few"])
    .optional()
    .describe("How soon the money arrives"),
})

// In each check, `code` is the word, which programs compare, and `value` is the network's letter.
const matchSchema = z.object({
  code: z.enum(["match", "partial-match", "no-match"]),
  value: z.enum(["M", "P", "N"]),
})

const contactSchema = z.object({
  code: z.enum(["match", "partial-match", "no-match", "unsupported"]),
  value: z.enum(["M", "P", "N", "U"]),
})

const addressResultSchema = z.enum(["match", "no-match", "unknown", "unavailable"])

/** A card insight as the API returns it. Fields of an extension are present when it was requested. */
export const insightSchema = z
  .object({
    id: z.string(),
    fingerprint: z.string().describe("Same as in `POST /fingerprint`"),
    bin: binFactsSchema.describe("BIN data of the number"),
    capabilities: z.object({ push: capabilitySchema, pull: capabilitySchema }).optional(),
    fees: z.null(),
    cvv: z
      .object({
        code: z.enum(["match", "no-match", "not-processed", "not-present", "unsupported"]),
        value: z.enum(["M", "Y", "N", "P", "S", "U"]),
      })
      .optional(),
    address: z
      .object({
        avsIdentifier: z.string().optional(),
        networkIdentifier: z.string().optional(),
        networkResponseCode: z.object({ value: z.string() }).optional(),
        result: z.object({
          value: z.string().describe("The network's AVS letter"),
          address: addressResultSchema,
          zip: addressResultSchema,
        }),
      })
      .optional(),
    cardholder: z
      .object({
        result: z.object({
          code: z.enum(["match-performed", "no-match-performed", "unsupported"]),
          value: z.enum(["M", "N", "U"]),
        }),
        fullName: matchSchema.optional(),
        firstName: matchSchema.optional(),
        lastName: matchSchema.optional(),
      })
      .optional(),
    email: contactSchema.optional(),
    phone: contactSchema.optional(),
    paymentAccountReference: z.string().optional().describe("Also absent when the card network has none"),
    createdAt: createdAtSchema,
  })
  .meta({ id: "CardInsight" })

export type Insight = z.infer<typeof insightSchema>

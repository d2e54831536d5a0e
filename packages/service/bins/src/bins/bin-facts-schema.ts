import * as z from "zod"
import { brandSchema, fundingSchema, segmentSchema } from "../schemas/common.ts"
import { ACS_INDICATOR_CODES } from "./acs-indicators.ts"
import type { BinFacts } from "./bin-row.ts"

const versionsSchema = z.array(z.string())

/** What is returned about numbers. Unknown fields are absent. */
export const binFactsSchema = z.object({
  type: z
    .enum(["card", "network-token"])
    .nullable()
    .describe("Kind of the number; null when no range is known, or when ranges of both kinds match"),
  brand: brandSchema.optional(),
  funding: fundingSchema.optional(),
  segment: segmentSchema.optional(),
  country: z.string().optional().describe("ISO 3166-1 alpha-2, in lower case"),
  currency: z.string().optional().describe("ISO 4217, in lower case"),
  issuer: z.string().optional(),
  productName: z.string().optional(),
  fastFunds: z.object({ domestic: z.boolean(), crossBorder: z.boolean() }).optional(),
  threeDS: z
    .object({
      supportedVersions: z.object({ accessControlServer: versionsSchema, directoryServer: versionsSchema }),
      acsInfoIndicators: z.array(
        z.object({
          code: z.enum(ACS_INDICATOR_CODES),
          indicator: z.string().describe("01 to 99"),
          description: z.string(),
        }),
      ),
    })
    .optional(),
})

export function showBinFacts({ type, ...facts }: Partial<BinFacts>) {
  return { ...facts, type: type ?? null }
}

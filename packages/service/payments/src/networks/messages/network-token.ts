import * as z from "zod"
import { networkExpirySchema, networkTextSchema, panSchema } from "./card-values.ts"
import { checkAfterSchema, referenceSchema, requestedAtSchema } from "./request-values.ts"

export const TOKEN_STATUSES = [
  ...(["provisioning", "active", "inactive", "suspended", "blocked", "expired", "deleted"] as const),
] as const

export const TOKEN_SERVICE_PROVIDERS = ["mdes", "vts", "aets"] as const

const tokenReferenceSchema = referenceSchema.describe("Reference from the request to provision the token")
const statusSchema = z
  .enum(TOKEN_STATUSES)
  .describe("`deleted` is final. `provisioning`: the number is known but cannot be used yet")
const providerSchema = z
  .enum(TOKEN_SERVICE_PROVIDERS)
  .describe("mdes: Mastercard, vts: Visa, aets: American Express")

export const provisionTokenRequestSchema = z.lazy(() =>
  z.strictObject({
    reference: referenceSchema.describe(
      "Identifies the token. A repeated request returns the token that was provisioned",
    ),
    requestedAt: requestedAtSchema,
    tokenServiceProvider: providerSchema,
    tokenRequestorIdentifier: networkTextSchema.describe("Of the merchant"),
    merchant: z.strictObject({ id: z.string().min(1).max(64) }),
    card: z.strictObject({
      number: panSchema,
      expiry: networkExpirySchema,
      cvc: z
        .string()
        .regex(/^[0-9]{3,4}$/, "3 or 4 digits")
        .optional(),
    }),
  }),
)

export const TOKEN_REFUSALS = [
  "ineligible-card",
  "invalid-card",
  "expired-card",
  "declined",
  "provider-unavailable",
  "provider-provisioning",
] as const

export const provisionTokenAnswerSchema = z.lazy(() =>
  z.discriminatedUnion("result", [
    z.strictObject({
      result: z.literal("provisioned"),
      token: z.strictObject({
        number: panSchema,
        expiry: networkExpirySchema,
        status: z.enum(["provisioning", "active", "inactive"]),
        paymentAccountReference: z
          .string()
          .regex(/^[0-9A-Z]{29}$/, "29 upper-case letters and digits")
          .optional(),
      }),
      checkAfterMs: checkAfterSchema.describe(
        "For a `provisioning` token: time until Sealway should ask for its state, in milliseconds",
      ),
    }),
    z.strictObject({ result: z.literal("refused"), reason: z.enum(TOKEN_REFUSALS) }),
  ]),
)

export const tokenStandingRequestSchema = z.lazy(() =>
  z.strictObject({ reference: tokenReferenceSchema, requestedAt: requestedAtSchema }),
)

/** The state of a token, and its changes. */
export const tokenStandingSchema = z.lazy(() =>
  z.strictObject({
    status: statusSchema,
    number: panSchema.optional().describe("The token's value; absent if unchanged"),
    expiry: networkExpirySchema.optional().describe("The token's value; absent if unchanged"),
    card: z
      .strictObject({
        lastFour: z
          .string()
          .regex(/^[0-9]{4}$/, "4 digits")
          .optional(),
        expiry: networkExpirySchema.optional(),
      })
      .optional()
      .describe("Changed values of the card behind the token"),
    checkAfterMs: checkAfterSchema,
  }),
)

export const deleteTokenRequestSchema = z.lazy(() => z.strictObject({ reference: tokenReferenceSchema }))

/** Answers a deletion. A missing token counts as deleted. */
export const deleteTokenAnswerSchema = z.lazy(() => z.strictObject({ status: z.literal("deleted") }))

export const cryptogramRequestSchema = z.lazy(() =>
  z.strictObject({
    reference: tokenReferenceSchema,
    cryptogram: referenceSchema.describe(
      "Identifies the cryptogram: answer a repeated request like the first",
    ),
    tokenServiceProvider: providerSchema,
  }),
)

export const cryptogramAnswerSchema = z.lazy(() =>
  z.discriminatedUnion("result", [
    z.strictObject({
      result: z.literal("issued"),
      cryptogram: z
        .base64()
        .min(4)
        .max(400)
        .describe("For one payment. Sealway shows it once and never stores it"),
      eci: z
        .string()
        .regex(/^[0-9]{2}$/, "2 digits")
        .optional(),
    }),
    z.strictObject({ result: z.literal("refused"), reason: z.literal("token-not-active") }),
  ]),
)

export const cardArtRequestSchema = z.lazy(() =>
  z.strictObject({ reference: tokenReferenceSchema, tokenServiceProvider: providerSchema }),
)

/** The maximum size of a card's picture, in base64. */
const MAX_ART_CHARACTERS = 1_000_000

export const cardArtAnswerSchema = z.lazy(() =>
  z.strictObject({
    art: z
      .strictObject({
        type: z.enum(["image/png", "image/jpeg", "image/svg+xml", "application/pdf"]),
        data: z.base64().min(4).max(MAX_ART_CHARACTERS),
        width: z.int().min(1).max(10_000),
        height: z.int().min(1).max(10_000),
      })
      .nullable()
      .describe("Null when there is none"),
  }),
)

export type TokenStatus = (typeof TOKEN_STATUSES)[number]
export type TokenServiceProvider = (typeof TOKEN_SERVICE_PROVIDERS)[number]
export type TokenRefusal = (typeof TOKEN_REFUSALS)[number]
export type ProvisionTokenRequest = z.infer<typeof provisionTokenRequestSchema>
export type ProvisionTokenAnswer = z.infer<typeof provisionTokenAnswerSchema>
export type TokenStandingRequest = z.infer<typeof tokenStandingRequestSchema>
export type TokenStanding = z.infer<typeof tokenStandingSchema>
export type DeleteTokenRequest = z.infer<typeof deleteTokenRequestSchema>
export type DeleteTokenAnswer = z.infer<typeof deleteTokenAnswerSchema>
export type CryptogramRequest = z.infer<typeof cryptogramRequestSchema>
export type CryptogramAnswer = z.infer<typeof cryptogramAnswerSchema>
export type CardArtRequest = z.infer<typeof cardArtRequestSchema>
export type CardArtAnswer = z.infer<typeof cardArtAnswerSchema>

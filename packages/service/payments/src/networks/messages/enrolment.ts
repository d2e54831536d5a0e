import * as z from "zod"
import { networkCountrySchema, networkCurrencySchema, networkTextSchema } from "./card-values.ts"
import { checkAfterSchema, referenceSchema, requestedAtSchema } from "./request-values.ts"

const idSchema = z.string().min(1).max(64)

const addressSchema = z.lazy(() =>
  z.strictObject({
    line1: z.string().max(200),
    line2: z.string().max(200).optional(),
    city: z.string().max(200),
    state: z.string().max(10).optional(),
    postalCode: z.string().max(20),
    country: networkCountrySchema,
  }),
)

/** A merchant in requests to networks. */
export const networkMerchantSchema = z.lazy(() =>
  z.strictObject({
    id: idSchema.describe("Sealway's id of the merchant"),
    name: z.string().min(1).max(60),
    shortName: z.string().min(1).max(40).optional(),
    website: z.string().min(1).max(2048),
    categoryCode: z.string().regex(/^[0-9]{4}$/, "Four digits"),
    business: z.strictObject({ legalName: z.string().min(1).max(60), address: addressSchema }),
  }),
)

export const TOKEN_BRANDS = ["visa", "mastercard", "american-express"] as const

/** The services that a merchant can be enrolled for. */
export const merchantServiceSchema = z.lazy(() =>
  z.enum([
    "network-tokens/visa",
    "network-tokens/mastercard",
    "network-tokens/american-express",
    "pre-chargeback-alerts/verifi",
    "pre-chargeback-alerts/ethoca",
    "intelligent-retries/mastercard",
  ]),
)

const enrolmentReferenceSchema = referenceSchema.describe(
  "Identifies one enrolment. A repeated request returns its state. A newer enrolment of the same merchant or acquirer for the same service replaces an older one; withdrawing the older one then has no effect",
)

export const enrolMerchantRequestSchema = z.lazy(() =>
  z.strictObject({
    reference: enrolmentReferenceSchema,
    requestedAt: requestedAtSchema,
    merchant: networkMerchantSchema,
    service: merchantServiceSchema,
    tokenRequestorIdentifier: networkTextSchema
      .optional()
      .describe("For network tokens: the merchant's existing identifier, if any"),
    refundRule: z
      .strictObject({ maximumAmount: z.int().min(0), currency: networkCurrencySchema })
      .nullable()
      .optional()
      .describe("For Verifi: disputes up to this amount are refunded at once. Null: all disputes"),
  }),
)

export const withdrawMerchantRequestSchema = z.lazy(() =>
  z.strictObject({
    reference: enrolmentReferenceSchema,
    merchant: z.strictObject({ id: idSchema }),
    service: merchantServiceSchema,
  }),
)

export const registerDomainRequestSchema = z.lazy(() =>
  z.strictObject({
    reference: enrolmentReferenceSchema,
    requestedAt: requestedAtSchema,
    merchant: networkMerchantSchema,
    domain: z.string().min(1).max(253).describe("Host name of the pages that offer Apple Pay"),
  }),
)

export const withdrawDomainRequestSchema = z.lazy(() =>
  z.strictObject({
    reference: enrolmentReferenceSchema,
    merchant: z.strictObject({ id: idSchema }),
    domain: z.string().min(1).max(253),
  }),
)

export const acquirerNetworkSchema = z
  .enum(["visa", "mastercard", "american-express", "discover"])
  .describe("`discover` covers Discover, Diners Club and, in the USA, JCB")

const acquirerConfigurationSchema = z.lazy(() =>
  z.strictObject({
    network: acquirerNetworkSchema,
    bin: z.string().regex(/^[0-9]{6,11}$/, "6 to 11 digits"),
    acquirerMerchantIdentifier: networkTextSchema,
    country: networkCountrySchema,
  }),
)

export const enrolAcquirerRequestSchema = z.lazy(() =>
  z.strictObject({
    reference: enrolmentReferenceSchema,
    requestedAt: requestedAtSchema,
    acquirer: z.strictObject({ id: idSchema, name: networkTextSchema }),
    configuration: acquirerConfigurationSchema,
  }),
)

export const withdrawAcquirerRequestSchema = z.lazy(() =>
  z.strictObject({
    reference: enrolmentReferenceSchema,
    acquirer: z.strictObject({ id: idSchema }),
    network: acquirerNetworkSchema,
  }),
)

/** The state of an enrolment. */
export const enrolmentAnswerSchema = z.lazy(() =>
  z.discriminatedUnion("status", [
    z.strictObject({
      status: z.literal("active"),
      tokenRequestorIdentifier: networkTextSchema
        .optional()
        .describe("Only in an enrolment for network tokens"),
    }),
    z.strictObject({ status: z.literal("pending"), checkAfterMs: checkAfterSchema }),
    z.strictObject({ status: z.literal("failed") }),
  ]),
)

/** Answers a withdrawal. What is not enrolled counts as withdrawn. */
export const withdrawalAnswerSchema = z.lazy(() => z.strictObject({ status: z.literal("withdrawn") }))

export type NetworkMerchant = z.infer<typeof networkMerchantSchema>
export type MerchantService = z.infer<typeof merchantServiceSchema>
export type EnrolMerchantRequest = z.infer<typeof enrolMerchantRequestSchema>
export type WithdrawMerchantRequest = z.infer<typeof withdrawMerchantRequestSchema>
export type RegisterDomainRequest = z.infer<typeof registerDomainRequestSchema>
export type WithdrawDomainRequest = z.infer<typeof withdrawDomainRequestSchema>
export type EnrolAcquirerRequest = z.infer<typeof enrolAcquirerRequestSchema>
export type WithdrawAcquirerRequest = z.infer<typeof withdrawAcquirerRequestSchema>
export type EnrolmentAnswer = z.infer<typeof enrolmentAnswerSchema>
export type WithdrawalAnswer = z.infer<typeof withdrawalAnswerSchema>
export type AcquirerNetwork = z.infer<typeof acquirerNetworkSchema>

import * as z from "zod"
import { networkCountrySchema, networkCurrencySchema, networkTextSchema } from "./card-values.ts"

const idSchema = z.string().min(1).max(64)

const addressSchema = z.strictObject({
  line1: z.string().max(200),
  line2: z.string().max(200).optional(),
  city: z.string().max(200),
  state: z.string().max(10).optional(),
  postalCode: z.string().max(20),
  country: networkCountrySchema,
})

/** A merchant, as networks are told of it. */
export const networkMerchantSchema = z.strictObject({
  id: idSchema.describe("Sealway's id of the merchant"),
  name: z.string().min(1).max(60),
  shortName: z.string().min(1).max(40).optional(),
  website: z.string().min(1).max(2048),
  categoryCode: z.string().regex(/^[0-9]{4}$/, "Four digits"),
  business: z.strictObject({ legalName: z.string().min(1).max(60), address: addressSchema }),
})

/** What a merchant is enrolled for. */
export const merchantServiceSchema = z.discriminatedUnion("type", [
  z.strictObject({
    type: z.literal("network-tokens"),
    brand: z.enum(["visa", "mastercard", "american-express"]),
    tokenRequestorIdentifier: networkTextSchema.optional().describe("One that the merchant holds already"),
  }),
  z.strictObject({
    type: z.literal("pre-chargeback-alerts"),
    provider: z.literal("verifi"),
    refundRule: z
      .strictObject({ maximumAmount: z.int().min(0), currency: networkCurrencySchema })
      .nullable()
      .describe("Up to which amount disputes are refunded at once. Null: always"),
  }),
  z.strictObject({ type: z.literal("pre-chargeback-alerts"), provider: z.literal("ethoca") }),
  z.strictObject({ type: z.literal("intelligent-retries"), network: z.literal("mastercard") }),
])

/** Names one request to enrol. Asked again with the same reference, a network answers how that request stands. */
const enrolmentReferenceSchema = z
  .string()
  .min(1)
  .max(200)
  .describe("Names this request. Sent again with the same reference, it asks how the enrolment stands")

const requestedAtSchema = z.int().min(0).describe("Epoch milliseconds of the first request by this reference")

export const enrolMerchantRequestSchema = z.strictObject({
  reference: enrolmentReferenceSchema,
  requestedAt: requestedAtSchema,
  merchant: networkMerchantSchema,
  service: merchantServiceSchema,
})

export const withdrawMerchantRequestSchema = z.strictObject({
  reference: enrolmentReferenceSchema,
  merchant: z.strictObject({ id: idSchema }),
  service: merchantServiceSchema,
})

export const registerDomainRequestSchema = z.strictObject({
  reference: enrolmentReferenceSchema,
  requestedAt: requestedAtSchema,
  merchant: networkMerchantSchema,
  domain: z.string().min(1).max(253).describe("A host name, whose pages offer Apple Pay"),
})

export const withdrawDomainRequestSchema = z.strictObject({
  reference: enrolmentReferenceSchema,
  merchant: z.strictObject({ id: idSchema }),
  domain: z.string().min(1).max(253),
})

const acquirerConfigurationSchema = z.strictObject({
  network: z.enum(["visa", "mastercard", "american-express", "discover"]),
  bin: z.string().regex(/^[0-9]{6,11}$/, "6 to 11 digits"),
  acquirerMerchantIdentifier: networkTextSchema,
  country: networkCountrySchema,
})

export const enrolAcquirerRequestSchema = z.strictObject({
  reference: enrolmentReferenceSchema,
  requestedAt: requestedAtSchema,
  acquirer: z.strictObject({ id: idSchema, name: networkTextSchema }),
  configuration: acquirerConfigurationSchema,
})

export const withdrawAcquirerRequestSchema = z.strictObject({
  reference: enrolmentReferenceSchema,
  acquirer: z.strictObject({ id: idSchema }),
  configuration: acquirerConfigurationSchema,
})

/** How an enrolment stands. */
export const enrolmentAnswerSchema = z.discriminatedUnion("status", [
  z.strictObject({
    status: z.literal("active"),
    tokenRequestorIdentifier: networkTextSchema.optional().describe("Of an enrolment for network tokens"),
  }),
  z.strictObject({
    status: z.literal("pending"),
    checkAfterMs: z
      .int()
      .min(0)
      .max(48 * 60 * 60_000)
      .optional()
      .describe("When to ask again, in milliseconds. Absent: the network tells by itself"),
  }),
  z.strictObject({ status: z.literal("failed") }),
])

/** Answers a withdrawal. What is not enrolled is withdrawn. */
export const withdrawalAnswerSchema = z.strictObject({ status: z.literal("withdrawn") })

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

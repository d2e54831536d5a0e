import {
  addressSchema,
  countrySchema,
  currencySchema,
  moneySchema,
  sealableExpirySchema,
  sealableSchema,
} from "@sealway/bins"
import { MESSAGE_VERSIONS } from "@sealway/three-d-secure"
import * as z from "zod"
import { isPublicWebsite } from "../../merchants/merchant-rules.ts"

/** Ids of records. Looking them up shows what they are. */
const idSchema = z.string().min(1).max(64)

/** The end of 2099, in epoch seconds. */
const LATEST_EXPIRY = 4_102_394_400
const expiryTimeSchema = z.int().min(0).max(LATEST_EXPIRY).describe("Epoch seconds")
const frequencySchema = z.enum(["daily", "weekly", "monthly", "quarterly", "annually"])

export type Frequency = z.infer<typeof frequencySchema>

const merchantSchema = z.lazy(() =>
  z.strictObject({
    name: z.string().regex(/^[\x20-\x7e]{1,40}$/, "1 to 40 printable ASCII characters are allowed"),
    website: z
      .string()
      .max(2_048)
      .refine(isPublicWebsite, "The URL must be http or https, with a public host"),
    categoryCode: z
      .string()
      .regex(/^(?!0000)[0-9]{4}$/, "A merchant category code must have four digits")
      .describe("Merchant category code of ISO 18245"),
    country: countrySchema,
  }),
)

const acquirerSchema = z.lazy(() =>
  z.strictObject({
    bin: z.string().regex(/^[0-9]{6,11}$/, "6 to 11 digits are allowed"),
    merchantIdentifier: z
      .string()
      .regex(/^[0-9A-Za-z ._/-]{1,35}$/, "1 to 35 letters, digits, spaces and ._/- are allowed")
      .describe("The acquirer's identifier of the merchant"),
    country: countrySchema,
  }),
)

const amountFields = { amount: moneySchema, currency: currencySchema }

export const paymentSchema = z.lazy(() =>
  z
    .discriminatedUnion("type", [
      z.strictObject({ type: z.literal("one-off"), ...amountFields }),
      z.strictObject({
        type: z.literal("installment"),
        ...amountFields,
        installments: z.int().min(2).max(999),
        frequency: frequencySchema,
        expiry: expiryTimeSchema.exactOptional(),
      }),
      z.strictObject({
        type: z.literal("recurring"),
        ...amountFields,
        frequency: frequencySchema,
        expiry: expiryTimeSchema,
      }),
    ])
    .meta({ id: "ThreeDSPayment" }),
)

const phoneSchema = z.lazy(() =>
  z.strictObject({
    type: z.enum(["mobile", "home", "work"]),
    countryCode: z.string().regex(/^[0-9]{1,3}$/, "1 to 3 digits are allowed"),
    number: z.string().regex(/^[0-9]{1,15}$/, "1 to 15 digits are allowed"),
  }),
)

export const customerSchema = z.lazy(() =>
  z.strictObject({
    name: z
      .string()
      .regex(/^[\x20-\x7e]{2,45}$/, "2 to 45 printable ASCII characters are allowed")
      .exactOptional(),
    email: z
      .string()
      .max(254)
      .regex(/^[^\s@]+@[^\s@]+$/, "This must be an email address")
      .exactOptional(),
    phone: z
      .array(phoneSchema)
      .max(3)
      .refine(
        (phones) => new Set(phones.map(({ type }) => type)).size === phones.length,
        "A type is listed twice",
      )
      .exactOptional(),
    shipping: z.strictObject({ address: addressSchema.exactOptional() }).exactOptional(),
    billing: z
      .strictObject({
        address: addressSchema.exactOptional(),
        taxIdentifier: z.string().min(1).max(45).exactOptional(),
      })
      .exactOptional(),
  }),
)

export const CHALLENGE_PREFERENCES = [
  ...(["no-preference", "challenge-requested", "challenge-mandated"] as const),
  "no-challenge-requested",
] as const
export const NO_CHALLENGE_REASONS = [
  ...(["data-sharing", "low-value", "low-risk", "secure-corporate-payment"] as const),
  "authentication-already-performed",
] as const

const challengeSchema = z.lazy(() =>
  z
    .strictObject({
      preference: z.enum(CHALLENGE_PREFERENCES),
      reason: z
        .enum(NO_CHALLENGE_REASONS)
        .nullable()
        .exactOptional()
        .describe("Allowed only with the preference no-challenge-requested"),
    })
    .refine(
      ({ preference, reason }) => preference === "no-challenge-requested" || (reason ?? null) === null,
      { path: ["reason"], message: "A reason is allowed only with no-challenge-requested" },
    ),
)

export const INITIATOR_REASONS = [
  ...(["recurring", "installment", "mail-order", "telephone-order", "add-card", "maintain-card"] as const),
  ...(["other-payment", "account-verification", "split-shipment", "delayed-shipment"] as const),
] as const

/** What a merchant may authenticate without a payment. */
const WITHOUT_PAYMENT: ReadonlySet<string> = new Set(["add-card", "maintain-card", "account-verification"])

const initiatorSchema = z.lazy(() =>
  z.discriminatedUnion("type", [
    z.strictObject({ type: z.literal("customer") }),
    z.strictObject({
      type: z.literal("merchant"),
      reason: z.enum(INITIATOR_REASONS),
      initialSession: idSchema
        .exactOptional()
        .describe(
          "An earlier session in which the cardholder took part: its id, or its threeDSServer.transactionIdentifier",
        ),
    }),
  ]),
)

export const sessionInputSchema = z.lazy(() =>
  z
    .strictObject({
      merchant: z.union([idSchema, merchantSchema]).describe("A merchant's id, or the merchant's data"),
      card: z
        .union([
          idSchema,
          z.strictObject({
            number: sealableSchema.describe("12 to 19 digits that pass the Luhn check, plain or as a token"),
            expiry: sealableExpirySchema,
          }),
        ])
        .describe("The id of a registered card, or the card's data"),
      acquirer: z
        .union([idSchema, acquirerSchema])
        .exactOptional()
        .describe("An acquirer's id, or the acquirer's data. Default: the app's default acquirer"),
      payment: paymentSchema.exactOptional().describe("Absent for authentication without a payment"),
      customer: customerSchema.exactOptional(),
      preferredVersions: z
        .array(z.enum(MESSAGE_VERSIONS))
        .min(1)
        .max(MESSAGE_VERSIONS.length)
        .exactOptional()
        .describe("In order of preference. Default: the newest version that all sides support"),
      challenge: challengeSchema.exactOptional(),
      initiator: initiatorSchema.exactOptional(),
    })
    .check(({ value: { initiator, payment }, issues }) => {
      if (initiator?.type !== "merchant") return
      const { reason } = initiator
      if (payment === undefined && !WITHOUT_PAYMENT.has(reason)) {
        const message = `A payment is required for the reason ${reason}`
        issues.push({ code: "custom", message, path: ["payment"], input: undefined })
      }
      const isOfPayments = reason === "recurring" || reason === "installment"
      if (payment !== undefined && isOfPayments && payment.type !== reason) {
        const message = `The reason ${reason} requires a payment of the same type`
        issues.push({ code: "custom", message, path: ["payment", "type"], input: undefined })
      }
    })
    .meta({ id: "ThreeDSSessionInput" }),
)

export type SessionInput = z.infer<typeof sessionInputSchema>
export type Payment = z.infer<typeof paymentSchema>
export type Customer = z.infer<typeof customerSchema>
export type SessionMerchantInput = z.infer<typeof merchantSchema>
export type SessionAcquirerInput = z.infer<typeof acquirerSchema>

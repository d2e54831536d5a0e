import * as z from "zod"

/**
 * The answers of the payments API that existing clients were written against: the fields that they read, with their
 * types and values. Other fields may be added. Differences are in docs/payments.md.
 */

const text = z.string().min(1)
const time = z.int().positive()
const countrySchema = z.string().regex(/^[a-z]{2}$/)
const currencySchema = z.string().regex(/^[a-z]{3}$/)
const expirySchema = z.looseObject({
  month: z.string().regex(/^(?:0[1-9]|1[0-2])$/),
  year: z.string().regex(/^[0-9]{2}$/),
})
const brandSchema = z.enum([
  ...(["visa", "mastercard", "american-express", "discover", "diners-club", "jcb"] as const),
  "unionpay",
])
const fundingSchema = z.enum(["debit", "credit", "prepaid", "deferred-debit", "charge"])
const segmentSchema = z.enum(["consumer", "commercial", "business", "government", "payouts", "all"])

/** Fields of a card's range. An unknown one is absent, never null. */
const facts = {
  brand: brandSchema.optional(),
  funding: fundingSchema.optional(),
  segment: segmentSchema.optional(),
  country: countrySchema.optional(),
  currency: currencySchema.optional(),
  issuer: text.optional(),
}
const times = { createdAt: time, updatedAt: time.optional() }
const pageOf = (item: z.ZodType) =>
  z.looseObject({ data: z.array(item), pageSize: z.int(), nextPage: z.int().nullable(), total: z.int() })

const binSchema = z.looseObject({
  ...facts,
  type: z.enum(["card", "network-token"]).nullable(),
  productName: text.optional(),
  fastFunds: z.looseObject({ domestic: z.boolean(), crossBorder: z.boolean() }).optional(),
  threeDS: z
    .looseObject({
      supportedVersions: z.looseObject({
        accessControlServer: z.array(text),
        directoryServer: z.array(text),
      }),
      acsInfoIndicators: z.array(
        z.looseObject({ code: text, indicator: z.string().regex(/^[0-9]{2}$/), description: text }),
      ),
    })
    .optional(),
})

const matchSchema = z.discriminatedUnion("value", [
  z.looseObject({ value: z.literal("M"), code: z.literal("match") }),
  z.looseObject({ value: z.literal("P"), code: z.literal("partial-match") }),
  z.looseObject({ value: z.literal("N"), code: z.literal("no-match") }),
])
const codesSchema = z.looseObject({
  alphaCode: z.string().regex(/^[a-z]{2,3}$/),
  numericCode: z.string().regex(/^[0-9]{3}$/),
})
const capabilitySchema = z.looseObject({
  enabled: z.boolean(),
  network: brandSchema,
  type: fundingSchema,
  availability: z.enum(["immediate", "next-day", "next-few"]),
  regulated: z.boolean(),
  currency: codesSchema,
  country: codesSchema,
})
const addressResultSchema = z.enum(["match", "no-match", "unknown", "unavailable"])

const addressSchema = z.looseObject({
  line1: text,
  line2: text.optional(),
  city: text,
  state: text.optional(),
  postalCode: z.string(),
  country: countrySchema,
})

const merchantSchema = z.looseObject({
  id: text,
  name: z.string().regex(/^[a-zA-Z0-9 ]{1,60}$/),
  shortName: z
    .string()
    .regex(/^[a-zA-Z0-9 ]{1,40}$/)
    .optional(),
  website: z.url(),
  categoryCode: z.string().regex(/^[0-9]{4}$/),
  business: z.looseObject({ legalName: text, address: addressSchema }),
  networkTokens: z.looseObject({
    enrolment: z.array(
      z.looseObject({
        cardBrand: brandSchema,
        tokenRequestorIdentifier: text.nullable(),
        status: z.enum(["active", "inactive"]),
      }),
    ),
  }),
  applePay: z.looseObject({
    domains: z.array(z.looseObject({ domain: text, status: z.enum(["active", "pending", "failed"]) })),
  }),
  ...times,
})

const acquirerSchema = z.looseObject({
  id: text,
  name: text,
  description: text.optional(),
  default: z.boolean(),
  configurations: z.array(
    z.looseObject({
      network: z.enum(["visa", "mastercard", "american-express", "discover"]),
      bin: z.string().regex(/^[0-9]{6,11}$/),
      acquirerMerchantIdentifier: text,
      state: text,
      country: countrySchema,
    }),
  ),
})

const paymentFields = { amount: z.int(), currency: currencySchema }
const frequencySchema = z.enum(["daily", "weekly", "monthly", "quarterly", "annually"])
const statusSchema = <Value extends z.ZodType>(value: Value) => z.looseObject({ value, detail: text })
const serverSchema = z.looseObject({ transactionIdentifier: z.uuid(), referenceNumber: text })

const threeDSSessionSchema = z.looseObject({
  id: text,
  merchant: z.looseObject({ name: text, website: z.url(), categoryCode: text, country: countrySchema }),
  card: z.looseObject({
    lastFour: z.string().regex(/^[0-9]{4}$/),
    expiry: expirySchema,
    brand: brandSchema,
    funding: fundingSchema,
    segment: segmentSchema,
    country: countrySchema,
    currency: currencySchema,
    issuer: text.optional(),
  }),
  acquirer: z.looseObject({
    bin: z.string().regex(/^[0-9]{6,11}$/),
    merchantIdentifier: text,
    country: countrySchema,
  }),
  payment: z
    .discriminatedUnion("type", [
      z.looseObject({ type: z.literal("one-off"), ...paymentFields }),
      z.looseObject({
        type: z.literal("installment"),
        ...paymentFields,
        installments: z.int(),
        frequency: frequencySchema,
        expiry: time.optional(),
      }),
      z.looseObject({
        type: z.literal("recurring"),
        ...paymentFields,
        frequency: frequencySchema,
        expiry: time,
      }),
    ])
    .optional(),
  challenge: z.looseObject({
    preference: z.enum([
      ...(["no-preference", "challenge-requested", "challenge-mandated"] as const),
      "no-challenge-requested",
    ]),
    reason: z
      .enum([
        ...(["data-sharing", "low-value", "low-risk", "secure-corporate-payment"] as const),
        "authentication-already-performed",
      ])
      .optional(),
  }),
  initiator: z.discriminatedUnion("type", [
    z.looseObject({ type: z.literal("customer") }),
    z.looseObject({ type: z.literal("merchant"), reason: text, initialSession: text.optional() }),
  ]),
  version: z.literal("2.2.0"),
  status: z.enum(["action-required", "success", "failure"]),
  nextAction: z.looseObject({ type: z.literal("use-sdk") }).optional(),
  authentication: z
    .looseObject({
      flow: z.enum(["frictionless", "challenge", "attempt"]),
      methods: z.array(text).optional(),
    })
    .optional(),
  cryptogram: z.base64().min(1).optional(),
  eci: z
    .looseObject({
      value: z.enum(["00", "01", "02", "04", "05", "06", "07"]),
      descriptor: z.enum(["fully-authenticated", "attempted", "not-authenticated"]),
      liabilityShift: z.boolean(),
    })
    .optional(),
  threeDSServer: z.looseObject({ transactionIdentifier: z.uuid() }),
  accessControlServer: serverSchema.extend({ operatorIdentifier: text.nullable() }).optional(),
  directoryServer: serverSchema
    .extend({
      network: z.enum([
        ...(["visa", "mastercard", "american-express", "discover", "jcb", "unionpay"] as const),
        "rupay",
      ]),
    })
    .optional(),
  failureReason: text.optional(),
  ares: z
    .looseObject({
      transStatus: statusSchema(z.enum(["Y", "N", "U", "A", "C", "D", "R", "I"])),
      transStatusReason: statusSchema(z.string().regex(/^[0-9]{2}$/)).nullable(),
      cardholderInfo: z.string().max(128).nullable().optional(),
    })
    .optional(),
  cres: z.looseObject({ transStatus: statusSchema(z.enum(["Y", "N"])) }).nullable(),
  rreq: z.looseObject({ transStatus: statusSchema(z.enum(["Y", "N", "U", "A", "R"])) }).nullable(),
  ...times,
})

const networkTokenSchema = z.looseObject({
  id: text,
  number: text,
  expiry: expirySchema,
  card: z.looseObject({ lastFour: z.string().regex(/^[0-9]{4}$/), expiry: expirySchema, ...facts }),
  tokenRequestorIdentifier: text,
  tokenServiceProvider: z.enum(["mdes", "vts", "aets"]),
  paymentAccountReference: z.string().regex(/^[0-9A-Z]{29}$/),
  status: z.enum(["active", "inactive", "blocked", "provisioning", "suspended", "deleted", "expired"]),
  merchant: text,
  ...times,
})

/** By what an operation answers. */
export const MODEL = {
  insight: z.looseObject({
    id: text,
    fingerprint: text,
    bin: binSchema,
    capabilities: z.looseObject({ push: capabilitySchema, pull: capabilitySchema }),
    fees: z.null(),
    cvv: z.looseObject({
      code: z.enum(["match", "no-match", "not-processed", "not-present"]),
      value: z.enum(["M", "N", "P", "S"]),
    }),
    email: matchSchema,
    phone: matchSchema,
    address: z.looseObject({
      avsIdentifier: text,
      networkIdentifier: text,
      networkResponseCode: z.looseObject({ value: text }),
      result: z.looseObject({ value: text, address: addressResultSchema, zip: addressResultSchema }),
    }),
    cardholder: z.looseObject({
      result: z.looseObject({ value: z.literal("M"), code: z.literal("match-performed") }),
      fullName: matchSchema,
      firstName: matchSchema,
      lastName: matchSchema,
    }),
    paymentAccountReference: text,
    createdAt: time,
  }),
  binLookup: binSchema.extend({ id: text, createdAt: time }),
  parLookup: z.looseObject({ id: text, paymentAccountReference: z.string().regex(/^[0-9A-Z]{29}$/) }),
  merchant: merchantSchema,
  merchants: pageOf(merchantSchema),
  acquirer: acquirerSchema,
  acquirers: pageOf(acquirerSchema),
  card: z.looseObject({
    id: text,
    number: text,
    expiry: expirySchema,
    bin: z.string().regex(/^(?:[0-9]{6}|[0-9]{8})$/),
    lastFour: z.string().regex(/^[0-9]{4}$/),
    ...facts,
    status: z.enum(["active", "replaced", "closed", "invalid"]),
    replacement: text.nullable(),
    automaticUpdates: z.enum(["enabled", "issuer-not-enrolled", "disabled"]),
    ...times,
  }),
  networkToken: networkTokenSchema,
  cryptogram: z.looseObject({ id: text, cryptogram: z.base64(), createdAt: time }),
  cardArt: z.looseObject({ type: text, data: z.base64(), width: z.int(), height: z.int() }),
  threeDSSession: threeDSSessionSchema,
  threeDSMessages: z.looseObject({
    messages: z.array(
      z.looseObject({
        type: z.enum(["AReq", "ARes", "CReq", "CRes", "RReq", "RRes", "Erro"]),
        created_at: time,
        data: z.record(z.string(), z.unknown()),
      }),
    ),
  }),
} as const

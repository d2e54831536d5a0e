import { domainToUnicode } from "node:url"
import { addressSchema, currencySchema, moneySchema } from "@sealway/bins"
import { isHostName } from "@sealway/kernel"
import tlds from "tlds" with { type: "json" }
import * as z from "zod"
import { TOKEN_BRANDS } from "../networks/messages/enrolment.ts"
import type { MerchantChanges, MerchantDetails } from "./merchant.ts"

const MAX_URL_CHARACTERS = 2_048
const MAX_DOMAINS = 50
/** Top-level domains of IANA's root zone, in Unicode. */
const TOP_LEVEL_DOMAINS: ReadonlySet<string> = new Set(tlds)

const isDomain = (text: string) => text.includes(".") && isHostName(text)

const nameSchema = z.string().regex(/^[a-zA-Z0-9 ]{1,60}$/, "1 to 60 letters, digits and spaces are allowed")

const shortNameSchema = z
  .string()
  .regex(/^[a-zA-Z0-9 ]{1,40}$/, "1 to 40 letters, digits and spaces are allowed")
  .describe("Used where the name is too long, as in 3-D Secure")

const websiteSchema = z
  .string()
  .max(MAX_URL_CHARACTERS)
  .refine(isPublicWebsite, "The URL must be http or https, and its host must end in an IANA top-level domain")
  .describe("URL of the website. Its host must end in an IANA top-level domain")

/** Accepts an http URL without credentials at a name under an existing top-level domain. */
export function isPublicWebsite(text: string): boolean {
  const url = URL.parse(text)
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== "" || url.password !== "")
    return false
  return (
    isDomain(url.hostname) && TOP_LEVEL_DOMAINS.has(domainToUnicode(url.hostname).split(".").at(-1) ?? "")
  )
}

/**
 * ISO 18245 leaves 3000 to 3999 to card networks, for airlines, car rental and lodging. It reserves those before 0700, 1000 to
 * 1499 and 9000 to 9199. Which of the others are in use changes with the networks' bulletins.
 */
export const categoryCodeSchema = z
  .string()
  .regex(
    /^(?:0[7-9][0-9]{2}|1[5-9][0-9]{2}|[2-8][0-9]{3}|9[2-9][0-9]{2})$/,
    "Not a merchant category code of ISO 18245",
  )
  .describe("Merchant category code of ISO 18245")

const domainSchema = z
  .string()
  .max(253)
  .transform((domain) => domain.toLowerCase())
  .refine(isDomain, "Use a plain host name, such as shop.example.com")

const applePaySchema = z.lazy(() =>
  z.strictObject({
    domains: z
      .array(domainSchema)
      .max(MAX_DOMAINS)
      .refine((domains) => new Set(domains).size === domains.length, "A domain is listed twice")
      .describe("Replaces the previous list. Domains that are left out are deregistered"),
  }),
)

const refundRuleSchema = z.lazy(() =>
  z
    .strictObject({ maximumAmount: moneySchema, currency: currencySchema })
    .nullable()
    .describe("Disputes up to this amount are refunded at once; null: all disputes"),
)

const alertsSchema = z.lazy(() =>
  z.strictObject({
    verifi: z
      .strictObject({ enabled: z.boolean(), refundRule: refundRuleSchema.exactOptional() })
      .exactOptional(),
    ethoca: z.strictObject({ enabled: z.boolean() }).exactOptional(),
  }),
)

const retriesSchema = z.strictObject({ enabled: z.boolean() })

const enrolmentSchema = z.lazy(() =>
  z
    .array(
      z.strictObject({
        cardBrand: z.enum(TOKEN_BRANDS),
        tokenRequestorIdentifier: z
          .string()
          .regex(/^[0-9A-Za-z-]{1,64}$/, "1 to 64 letters, digits and dashes are allowed")
          .nullable()
          .describe("The merchant's existing identifier; null for none"),
      }),
    )
    .max(TOKEN_BRANDS.length)
    .refine(
      (entries) => new Set(entries.map(({ cardBrand }) => cardBrand)).size === entries.length,
      "A brand is listed twice",
    ),
)

export const merchantInputSchema = z.lazy(() =>
  z
    .strictObject({
      name: nameSchema,
      shortName: shortNameSchema.exactOptional(),
      website: websiteSchema,
      categoryCode: categoryCodeSchema,
      business: z.strictObject({ legalName: nameSchema, address: addressSchema }),
      networkTokens: z.strictObject({ enrolment: enrolmentSchema.default([]) }).exactOptional(),
      applePay: applePaySchema.exactOptional(),
      preChargebackAlerts: alertsSchema.exactOptional(),
      intelligentRetries: retriesSchema.exactOptional(),
    })
    .meta({ id: "MerchantInput" }),
)

export const merchantChangesSchema = z.lazy(() =>
  z
    .strictObject({
      shortName: shortNameSchema.exactOptional(),
      applePay: applePaySchema.exactOptional(),
      preChargebackAlerts: alertsSchema.exactOptional(),
      intelligentRetries: retriesSchema.exactOptional(),
    })
    .refine((changes) => Object.keys(changes).length > 0, "At least one field is required")
    .meta({ id: "MerchantChanges" }),
)

/** Converts a request for a new merchant to its stored details. */
export function detailsOf(input: z.infer<typeof merchantInputSchema>): MerchantDetails {
  const { name, shortName = null, website, categoryCode, business } = input
  const { domains = [], verifi, ethoca, retries } = changesOf(input)
  const held = new Map(
    input.networkTokens?.enrolment.map((each) => [each.cardBrand, each.tokenRequestorIdentifier]),
  )
  return {
    name,
    shortName,
    website,
    categoryCode,
    business,
    heldIdentifiers: Object.fromEntries(
      TOKEN_BRANDS.flatMap((brand) => {
        const identifier = held.get(brand) ?? null
        return identifier === null ? [] : [[brand, identifier]]
      }),
    ),
    domains: [...domains],
    verifi: { isEnabled: verifi?.isEnabled ?? false, refundRule: verifi?.refundRule ?? null },
    ethoca: ethoca ?? { isEnabled: false },
    retries: retries ?? { isEnabled: false },
  }
}

/** Returns a request's changes to a merchant. */
export function changesOf(
  changes: Pick<
    z.infer<typeof merchantInputSchema>,
    "shortName" | "applePay" | "preChargebackAlerts" | "intelligentRetries"
  >,
): MerchantChanges {
  const { shortName, applePay, preChargebackAlerts, intelligentRetries } = changes
  const { verifi, ethoca } = preChargebackAlerts ?? {}
  return {
    ...(shortName !== undefined && { shortName }),
    ...(applePay && { domains: applePay.domains }),
    ...(verifi && {
      verifi: {
        isEnabled: verifi.enabled,
        ...(verifi.refundRule !== undefined && { refundRule: verifi.refundRule }),
      },
    }),
    ...(ethoca && { ethoca: { isEnabled: ethoca.enabled } }),
    ...(intelligentRetries && { retries: { isEnabled: intelligentRetries.enabled } }),
  }
}

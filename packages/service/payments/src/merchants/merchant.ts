import * as z from "zod"
import {
  type EnrolledRecord,
  findEnrolment,
  newRecord,
  requestEnrolment,
  withdrawEnrolment,
} from "../enrolments/enrolled-record.ts"
import { merchantServiceSchema, TOKEN_BRANDS } from "../networks/messages/enrolment.ts"

export type TokenBrand = (typeof TOKEN_BRANDS)[number]

/** The address of a merchant's business, as stored and shown. */
export const businessAddressSchema = z.lazy(() =>
  z.object({
    line1: z.string(),
    line2: z.string().exactOptional(),
    city: z.string(),
    state: z.string().exactOptional(),
    postalCode: z.string(),
    country: z.string(),
  }),
)

/** The stored details of a merchant, as given by the app. */
export const merchantDetailsSchema = z.lazy(() =>
  z.object({
    name: z.string(),
    shortName: z.string().nullable(),
    website: z.string(),
    categoryCode: z.string(),
    business: z.object({ legalName: z.string(), address: businessAddressSchema }),
    /** The token requestor identifiers that it already had. */
    heldIdentifiers: z.object(
      Object.fromEntries(TOKEN_BRANDS.map((brand) => [brand, z.string().optional()])) as Record<
        TokenBrand,
        z.ZodOptional<z.ZodString>
      >,
    ),
    domains: z.array(z.string()),
    verifi: z.object({
      isEnabled: z.boolean(),
      refundRule: z.object({ maximumAmount: z.number(), currency: z.string() }).nullable(),
    }),
    ethoca: z.object({ isEnabled: z.boolean() }),
    retries: z.object({ isEnabled: z.boolean() }),
  }),
)

export type MerchantDetails = z.infer<typeof merchantDetailsSchema>
export type Merchant = EnrolledRecord<MerchantDetails>
export type MerchantService = z.infer<typeof merchantServiceSchema>

/** The changeable details of a merchant. Absent ones stay the same. */
export interface MerchantChanges {
  readonly shortName?: string
  readonly domains?: readonly string[]
  readonly verifi?: {
    readonly isEnabled: boolean
    readonly refundRule?: MerchantDetails["verifi"]["refundRule"]
  }
  readonly ethoca?: { readonly isEnabled: boolean }
  readonly retries?: { readonly isEnabled: boolean }
}

export const VERIFI = "pre-chargeback-alerts/verifi" satisfies MerchantService
export const ETHOCA = "pre-chargeback-alerts/ethoca" satisfies MerchantService
export const RETRIES = "intelligent-retries/mastercard" satisfies MerchantService

export const tokenService = (brand: TokenBrand): MerchantService => `network-tokens/${brand}`

const DOMAIN_PREFIX = "apple-pay/"
export const domainEnrolment = (domain: string): string => DOMAIN_PREFIX + domain

/** Returns the purpose of an enrolment. */
export function purposeOf(name: string): { readonly domain: string } | { readonly service: MerchantService } {
  if (name.startsWith(DOMAIN_PREFIX)) return { domain: name.slice(DOMAIN_PREFIX.length) }
  return { service: merchantServiceSchema.parse(name) }
}

/** Whether an enrolment is shown even though it was not requested: all but domains are. */
export function isListed({ domains }: Pick<MerchantDetails, "domains">, name: string): boolean {
  const purpose = purposeOf(name)
  return "service" in purpose || domains.includes(purpose.domain)
}

/** Creates a merchant and requests all its enrolments. @param nowMs epoch milliseconds */
export function newMerchant(id: string, appId: string, details: MerchantDetails, nowMs: number): Merchant {
  const off = { ...details, domains: [], verifi: OFF, ethoca: OFF, retries: OFF }
  const merchant: Merchant = newRecord(id, appId, off, nowMs)
  const enrolled = TOKEN_BRANDS.reduce(
    (current, brand) => requestEnrolment(current, tokenService(brand), nowMs),
    merchant,
  )
  const { domains, verifi, ethoca, retries } = details
  return withMerchantChanges(enrolled, { domains, verifi, ethoca, retries }, nowMs)
}

const OFF = { isEnabled: false, refundRule: null }

/**
 * Changes a merchant: requests what is newly wanted, was changed, or has failed, and withdraws what is no longer
 * wanted.
 */
export function withMerchantChanges(merchant: Merchant, changes: MerchantChanges, nowMs: number): Merchant {
  const { details } = merchant
  const verifi = changes.verifi && {
    isEnabled: changes.verifi.isEnabled,
    refundRule:
      changes.verifi.refundRule === undefined ? details.verifi.refundRule : changes.verifi.refundRule,
  }
  const changed: MerchantDetails = {
    ...details,
    ...(changes.shortName !== undefined && { shortName: changes.shortName }),
    ...(changes.domains && { domains: [...changes.domains] }),
    ...(verifi && { verifi }),
    ...(changes.ethoca && { ethoca: changes.ethoca }),
    ...(changes.retries && { retries: changes.retries }),
  }
  let next: Merchant = { ...merchant, details: changed }
  const set = (name: string, was: boolean, is: boolean, isOther = false) => {
    if (!is) next = was ? withdrawEnrolment(next, name, nowMs) : next
    else if (!was || isOther || findEnrolment(next, name)?.status === "failed") {
      next = requestEnrolment(next, name, nowMs)
    }
  }
  if (changes.domains) {
    const all = new Set([...details.domains, ...changed.domains])
    for (const domain of all) {
      set(domainEnrolment(domain), details.domains.includes(domain), changed.domains.includes(domain))
    }
  }
  if (verifi) {
    const isOtherRule = JSON.stringify(verifi.refundRule) !== JSON.stringify(details.verifi.refundRule)
    set(VERIFI, details.verifi.isEnabled, verifi.isEnabled, isOtherRule)
  }
  if (changes.ethoca) set(ETHOCA, details.ethoca.isEnabled, changes.ethoca.isEnabled)
  if (changes.retries) set(RETRIES, details.retries.isEnabled, changes.retries.isEnabled)
  return next
}

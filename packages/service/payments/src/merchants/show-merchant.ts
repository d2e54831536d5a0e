import { createdAtSchema, moneySchema, showTimes, updatedAtSchema } from "@sealway/bins"
import * as z from "zod"
import { findEnrolment } from "../enrolments/enrolled-record.ts"
import { TOKEN_BRANDS } from "../networks/messages/enrolment.ts"
import {
  businessAddressSchema,
  domainEnrolment,
  ETHOCA,
  type Merchant,
  RETRIES,
  tokenService,
  VERIFI,
} from "./merchant.ts"

const statusSchema = z
  .enum(["inactive", "pending", "active", "failed"])
  .describe("`pending` until the network decides: usually minutes, in rare cases up to 48 hours")

const shownAddressSchema = businessAddressSchema.meta({ id: "ShownAddress" })

/** A merchant as the API returns it. */
export const merchantSchema = z.lazy(() =>
  z
    .object({
      id: z.string(),
      name: z.string(),
      shortName: z.string().exactOptional(),
      website: z.string(),
      categoryCode: z.string(),
      business: z.object({ legalName: z.string(), address: shownAddressSchema }),
      networkTokens: z.object({
        enrolment: z.array(
          z.object({
            cardBrand: z.enum(TOKEN_BRANDS),
            tokenRequestorIdentifier: z.string().nullable().describe("Null until the enrolment is active"),
            status: statusSchema,
          }),
        ),
      }),
      applePay: z.object({
        domains: z.array(z.object({ domain: z.string(), status: z.enum(["pending", "active", "failed"]) })),
      }),
      preChargebackAlerts: z.object({
        verifi: z.object({
          enabled: z.boolean(),
          refundRule: z.object({ maximumAmount: moneySchema, currency: z.string() }).nullable(),
          status: statusSchema,
        }),
        ethoca: z.object({ enabled: z.boolean(), status: statusSchema }),
      }),
      intelligentRetries: z.object({ enabled: z.boolean(), status: statusSchema }),
      createdAt: createdAtSchema,
      updatedAt: updatedAtSchema,
    })
    .meta({ id: "Merchant" }),
)

export function showMerchant(merchant: Merchant): z.infer<typeof merchantSchema> {
  const { id, details } = merchant
  const { name, shortName, website, categoryCode, business, domains, verifi, ethoca, retries } = details
  return {
    id,
    name,
    ...(shortName !== null && { shortName }),
    website,
    categoryCode,
    business,
    networkTokens: {
      enrolment: TOKEN_BRANDS.map((cardBrand) => ({
        cardBrand,
        tokenRequestorIdentifier:
          findEnrolment(merchant, tokenService(cardBrand))?.identifier ??
          details.heldIdentifiers[cardBrand] ??
          null,
        status: statusOf(merchant, tokenService(cardBrand)),
      })),
    },
    applePay: {
      domains: domains.flatMap((domain) => {
        const status = statusOf(merchant, domainEnrolment(domain))
        return status === "inactive" ? [] : [{ domain, status }]
      }),
    },
    preChargebackAlerts: {
      verifi: {
        enabled: verifi.isEnabled,
        refundRule: verifi.refundRule,
        status: statusOf(merchant, VERIFI),
      },
      ethoca: { enabled: ethoca.isEnabled, status: statusOf(merchant, ETHOCA) },
    },
    intelligentRetries: { enabled: retries.isEnabled, status: statusOf(merchant, RETRIES) },
    ...showTimes(merchant),
  }
}

/** A caller who withdraws an enrolment need not wait for the network to know. */
function statusOf(merchant: Merchant, name: string): z.infer<typeof statusSchema> {
  const status = findEnrolment(merchant, name)?.status ?? "inactive"
  return status === "withdrawing" ? "inactive" : status
}

import { idParameter } from "@sealway/http"
import * as z from "zod"
import {
  CUSTOM_DOMAIN_STATUSES,
  type CustomDomain,
  DOMAIN_PROBLEMS,
  txtNameOf,
  txtTokenOf,
} from "../domains/custom-domain.ts"
import { relayPathSchema } from "./relay-schema.ts"

export const customDomainPathSchema = relayPathSchema.extend({
  custom_domain_id: idParameter("custom_domain", "Id of the custom domain"),
})

export const customDomainSchema = z
  .object({
    id: z.string(),
    relay: z.string().describe("Id of the relay"),
    domain: z.string().describe("In ASCII, lower case"),
    customDomain: z.string().describe("Same as `domain`"),
    status: z
      .enum(CUSTOM_DOMAIN_STATUSES)
      .describe(
        "`pending` before the first check, `verified` when the records are correct, `active` when requests reach the relay",
      ),
    problem: z
      .enum(DOMAIN_PROBLEMS)
      .nullable()
      .describe("Problem found at the last check; null if there was none"),
    records: z
      .array(z.object({ type: z.enum(["CNAME", "TXT"]), name: z.string(), value: z.string() }))
      .describe("DNS records to add"),
    validationRecord: z.string().describe("Value of the TXT record in `records`"),
    checkedAt: z.int().nullable().describe("Epoch milliseconds; null before the first check"),
    createdAt: z.int().describe("Epoch milliseconds"),
    updatedAt: z.int().describe("Epoch milliseconds"),
  })
  .meta({ id: "RelayCustomDomain" })

/** @param target the target of CNAME records */
export function showCustomDomain(
  { id, appId, relayId, domain, status, problem, checkedAt, createdAt, updatedAt }: CustomDomain,
  target: string,
): z.infer<typeof customDomainSchema> {
  const validationRecord = txtTokenOf(appId, domain)
  return {
    id,
    relay: relayId,
    domain,
    customDomain: domain,
    status,
    problem,
    records: [
      { type: "CNAME", name: domain, value: target },
      { type: "TXT", name: txtNameOf(domain), value: validationRecord },
    ],
    validationRecord,
    checkedAt,
    createdAt,
    updatedAt,
  }
}

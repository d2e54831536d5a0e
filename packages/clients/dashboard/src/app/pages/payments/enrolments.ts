import type { Merchant } from "@sealway/sdk/api"

/** One service that a merchant is enrolled with, or could be. */
export interface ShownEnrolment {
  readonly service: string
  readonly status: "inactive" | "pending" | "active" | "failed"
  /** Its identifier at the network, or its rule. */
  readonly detail: string
}

/** Lists the services of a merchant, each with its state. @param refundRule says a refund rule in words */
export function enrolmentsOf(
  { networkTokens, preChargebackAlerts, intelligentRetries, applePay }: Merchant,
  refundRule: (rule: RefundRule) => string = () => "",
): readonly ShownEnrolment[] {
  const { verifi, ethoca } = preChargebackAlerts
  return [
    ...networkTokens.enrolment.map(({ cardBrand, status, tokenRequestorIdentifier }) => ({
      service: `Network tokens of ${cardBrand}`,
      status,
      detail: tokenRequestorIdentifier ?? "",
    })),
    {
      service: "Alerts of Verifi",
      status: verifi.status,
      detail: verifi.enabled ? refundRule(verifi.refundRule) : "",
    },
    { service: "Alerts of Ethoca", status: ethoca.status, detail: "" },
    { service: "Intelligent retries", status: intelligentRetries.status, detail: "" },
    ...applePay.domains.map(({ domain, status }) => ({
      service: `Apple Pay on ${domain}`,
      status,
      detail: "",
    })),
  ]
}

type RefundRule = Merchant["preChargebackAlerts"]["verifi"]["refundRule"]

import type { MerchantDetails } from "../merchants/merchant.ts"

/** An amount in the minor unit of its currency. */
export interface Money {
  readonly amount: number
  /** ISO 4217, in lower case. */
  readonly currency: string
}

/**
 * Decides a dispute at once: refunds it up to the amount of the merchant's rule, always where there is no rule, and
 * declines it above that, in another currency, and for a merchant who has switched this off.
 */
export function decideByRule(
  { isEnabled, refundRule }: MerchantDetails["verifi"],
  { amount, currency }: Money,
): "refunded" | "declined" {
  if (!isEnabled) return "declined"
  if (refundRule === null) return "refunded"
  return currency === refundRule.currency && amount <= refundRule.maximumAmount ? "refunded" : "declined"
}

import { CURRENCIES, currencyExponent } from "@sealway/bins"
import type { Frequency, Payment } from "../record/session-request.ts"

/** The minimum number of days between two payments. 28 means a month. */
const DAYS: Readonly<Record<Frequency, number>> = {
  daily: 1,
  weekly: 7,
  monthly: 28,
  quarterly: 84,
  annually: 365,
}
const DAY_MS = 24 * 60 * 60_000

/** Formats as `YYYYMMDDHHMMSS` in UTC. */
export const secondOf = (atMs: number): string => digitsOf(atMs, 14)
/** Formats as `YYYYMMDDHHMM` in UTC. */
export const minuteOf = (atMs: number): string => digitsOf(atMs, 12)
/** Formats as `YYYYMMDD` in UTC. */
export const dateOf = (atMs: number): string => digitsOf(atMs, 8)

function digitsOf(atMs: number, count: number): string {
  return new Date(atMs).toISOString().replace(/\D/g, "").slice(0, count)
}

/** Returns what an AReq says about a payment, in all versions. */
export function purchaseElements(payment: Payment, createdAt: number) {
  return {
    purchaseAmount: String(payment.amount),
    purchaseCurrency: CURRENCIES.get(payment.currency) ?? "",
    purchaseExponent: String(currencyExponent(payment.currency)),
    purchaseDate: secondOf(createdAt),
  }
}

/** Returns how many payments there are, when the purpose of the request is instalments. */
export function installmentElements(payment: Payment) {
  return payment.type === "installment" ? { purchaseInstalData: String(payment.installments) } : {}
}

/** Returns when the payments end: if a request does not say so for instalments, by their number and frequency. */
function lastPaymentMs(payment: Exclude<Payment, { type: "one-off" }>, createdAt: number): number {
  if (payment.expiry !== undefined) return payment.expiry * 1000
  if (payment.type === "recurring") return createdAt
  return createdAt + payment.installments * DAYS[payment.frequency] * DAY_MS
}

/** Returns what 2.2.0 says about recurring payments. */
export function recurringElementsOf2_2(payment: Payment, createdAt: number) {
  if (payment.type === "one-off") return {}
  return {
    recurringExpiry: dateOf(lastPaymentMs(payment, createdAt)),
    recurringFrequency: String(DAYS[payment.frequency]),
  }
}

/** Returns what 2.3.1 says about recurring payments: always the same amount and interval. */
export function recurringElementsOf2_3(payment: Payment, createdAt: number) {
  if (payment.type === "one-off") return {}
  const { purchaseAmount, purchaseCurrency, purchaseExponent } = purchaseElements(payment, createdAt)
  return {
    recurringInd: { amountInd: "01", frequencyInd: "01" } as const,
    recurringAmount: purchaseAmount,
    recurringCurrency: purchaseCurrency,
    recurringExponent: purchaseExponent,
    recurringDate: dateOf(createdAt),
    recurringFrequency: String(DAYS[payment.frequency]),
    recurringExpiry: dateOf(lastPaymentMs(payment, createdAt)),
  }
}

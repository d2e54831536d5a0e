import { CURRENCIES } from "@sealway/bins"

const CODES: ReadonlyMap<string, string> = new Map([...CURRENCIES].map(([code, number]) => [number, code]))

/** Formats an amount: `10.99 EUR`. Null when there is no payment. */
export function shownAmount({
  purchaseAmount,
  purchaseCurrency,
  purchaseExponent,
}: {
  readonly purchaseAmount?: string
  readonly purchaseCurrency?: string
  readonly purchaseExponent?: string
}): string | null {
  if (purchaseAmount === undefined || purchaseCurrency === undefined) return null
  const decimals = Number(purchaseExponent ?? "0")
  const digits = purchaseAmount.replace(/^0+(?=.)/, "").padStart(decimals + 1, "0")
  const whole = digits.slice(0, digits.length - decimals)
  const number = decimals === 0 ? whole : `${whole}.${digits.slice(-decimals)}`
  return `${number} ${(CODES.get(purchaseCurrency) ?? purchaseCurrency).toUpperCase()}`
}

/** A card as far as it is known. */
interface ShownCard {
  readonly bin?: string
  readonly lastFour: string
  readonly brand?: string | null
}

/** Names a card by what may be shown of its number: `visa 42424242…4242`. */
export function cardInWords({ bin = "", lastFour, brand }: ShownCard): string {
  return `${brand ?? "card"} ${bin}…${lastFour}`
}

export const expiryInWords = ({ month, year }: { readonly month: string; readonly year: string }): string =>
  `${month}/${year}`

/** An amount in the minor unit of its currency. */
interface Money {
  readonly amount: number
  /** ISO 4217, in either case. */
  readonly currency: string
}

/** Returns how many digits of amounts in a currency follow the decimal point. */
function minorDigitsOf(currency: string): number {
  return (
    new Intl.NumberFormat("en", { style: "currency", currency }).resolvedOptions().maximumFractionDigits ?? 0
  )
}

/** Returns an amount for people: `€10.00`. */
export function moneyInWords({ amount, currency }: Money): string {
  const format = new Intl.NumberFormat(undefined, { style: "currency", currency })
  return format.format(amount / 10 ** minorDigitsOf(currency))
}

/** Returns an amount as `parseMoney` reads it: `10.00`. */
export function majorAmountOf({ amount, currency }: Money): string {
  const digits = minorDigitsOf(currency)
  return (amount / 10 ** digits).toFixed(digits)
}

/** Reads an amount that somebody typed, in the major unit. Null when it, or the currency, is none. */
export function parseMoney(text: string, currency: string): number | null {
  if (!/^[A-Za-z]{3}$/.test(currency)) return null
  const digits = minorDigitsOf(currency)
  const match = /^([0-9]{1,12})(?:[.,]([0-9]+))?$/.exec(text.trim())
  const fraction = match?.[2] ?? ""
  if (match === null || fraction.length > digits) return null
  return Number(`${match[1]}${fraction.padEnd(digits, "0")}`)
}

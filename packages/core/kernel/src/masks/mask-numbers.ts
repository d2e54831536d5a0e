import { withAsciiDigits } from "./characters.ts"
import { HIDDEN, type Hide } from "./hidden.ts"

/** The lengths of card numbers of which first and last digits may be shown. Of shorter ones, too few would be hidden. */
const MIN_CARD_DIGITS = 13
const MAX_CARD_DIGITS = 19
/** PCI DSS 3.4.1: the first eight digits may be shown of numbers this long, the first six of others. */
const LONG_CARD_DIGITS = 16

/** Shows the first and the last four digits of a card number. Returns null for anything else. */
export function maskFirstLast(text: string, first: 6 | 8, hide: Hide): string | null {
  const digits = withAsciiDigits(text).replace(/[ -]/g, "")
  if (!/^[0-9]+$/.test(digits) || digits.length < MIN_CARD_DIGITS || digits.length > MAX_CARD_DIGITS)
    return null
  const shown = digits.length < LONG_CARD_DIGITS ? 6 : first
  return digits.slice(0, shown) + hide(digits.length - shown - 4) + digits.slice(-4)
}

/** E.164: country code and national number have at most 15 digits. */
const MAX_PHONE_DIGITS = 15
const MIN_NATIONAL_DIGITS = 6

/** The country codes of ITU-T E.164, where all others have three digits. */
const COUNTRY_CODE = /^(?:1|7|2[07]|3[0-469]|4[013-9]|5[1-8]|6[0-6]|8[1246]|9[0-58]|[0-9]{3})/

/**
 * Shows the country code and the last two digits of a telephone number, as `+44•••89`; of one without `+`, whose country
 * nobody knows, the last two digits. Returns null for anything else.
 */
export function maskPhone(text: string): string | null {
  const compact = withAsciiDigits(text).replace(/[ ().\-/\u00a0]/g, "")
  const isInternational = compact.startsWith("+")
  const digits = isInternational ? compact.slice(1) : compact
  if (!/^[0-9]+$/.test(digits) || digits.length > MAX_PHONE_DIGITS) return null
  const code = isInternational ? (COUNTRY_CODE.exec(digits)?.[0] ?? null) : ""
  if (code === null || digits.length - code.length < MIN_NATIONAL_DIGITS) return null
  return `${isInternational ? "+" : ""}${code}${HIDDEN}${digits.slice(-2)}`
}

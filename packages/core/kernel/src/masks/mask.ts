import { charactersOf } from "./characters.ts"
import { HIDDEN, type Hide, hiding } from "./hidden.ts"
import { maskDate } from "./mask-date.ts"
import { maskEmail } from "./mask-email.ts"
import { maskIp } from "./mask-ip.ts"
import { maskName } from "./mask-name.ts"
import { maskFirstLast, maskPhone } from "./mask-numbers.ts"
import { maskPattern } from "./mask-pattern.ts"

/** How the values of a data role look to those who may see them masked only. */
export type Mask =
  /** The last characters, if there are four times as many. */
  | { readonly type: "last"; readonly count: number; readonly keepLength: boolean }
  /** The first 6 or 8 and the last 4 digits of a card number. */
  | { readonly type: "first-last"; readonly first: 6 | 8; readonly keepLength: boolean }
  /** The first character, and the domain. */
  | { readonly type: "email"; readonly keepLength: boolean }
  /** The initials. */
  | { readonly type: "name" }
  /** The year, or year and month. */
  | { readonly type: "date"; readonly shows: "year" | "month" }
  /** The country code and the last two digits. */
  | { readonly type: "phone" }
  /** The network: /16 of an IPv4 address, /48 of an IPv6 address. */
  | { readonly type: "ip" }
  /** Always the same text. */
  | { readonly type: "fixed"; readonly text: string }
  /** The characters at the places with `#`; see `maskPattern`. */
  | { readonly type: "pattern"; readonly pattern: string }

/** Shows nothing, whatever the value is. */
export const HIDE_ALL: Mask = { type: "fixed", text: HIDDEN }

/**
 * The longest value of which a mask shows anything, in UTF-16 code units. Nobody needs part of a longer one, and it would
 * take long to split it into characters.
 */
export const MAX_MASKED_LENGTH = 512

/** So many bytes of UTF-8 are longer: a code unit takes at most three. */
export const TOO_LONG_BYTES = 3 * MAX_MASKED_LENGTH + 1

/**
 * Masks a value. Every text has a mask, which shows at most what the rule says: nothing of one that does not fit, is too
 * short or too long.
 *
 * @param text the value; a number or boolean as its text in JSON
 */
export function applyMask(mask: Mask, text: string): string {
  if (mask.type === "fixed") return mask.text
  return (text.length <= MAX_MASKED_LENGTH ? shownOf(mask, text) : null) ?? HIDDEN
}

/** Returns null for a value that does not fit. */
function shownOf(mask: Exclude<Mask, { readonly type: "fixed" }>, text: string): string | null {
  switch (mask.type) {
    case "last":
      return maskLast(text, mask.count, hiding(mask))
    case "first-last":
      return maskFirstLast(text, mask.first, hiding(mask))
    case "email":
      return maskEmail(text, hiding(mask))
    case "name":
      return maskName(text)
    case "date":
      return maskDate(text, mask.shows)
    case "phone":
      return maskPhone(text)
    case "ip":
      return maskIp(text)
    case "pattern":
      return maskPattern(text, mask.pattern)
  }
}

/** Shows at most a quarter of the characters. Returns null for a text that is too short for it. */
function maskLast(text: string, count: number, hide: Hide): string | null {
  const characters = charactersOf(text)
  const hidden = characters.length - count
  return characters.length < 4 * count ? null : hide(hidden) + characters.slice(hidden).join("")
}

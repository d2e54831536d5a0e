import { ALPHABETS } from "../alphabet.ts"
import type { CharactersFormat } from "../format.ts"
import { UnfitTextError } from "../unfit-text-error.ts"
import { CharactersLayout } from "./characters.ts"
import type { Layout, Side, SplitText } from "./layout.ts"

/** Encrypts the letters and digits before the last `@`; dots and other signs, and the domain, stay. */
export class EmailLayout implements Layout {
  readonly #local = layoutOf({
    alphabet: ALPHABETS.alphanumeric,
    lengths: { min: 4, max: 64 },
    literals: ".!#$%&'*+/=?^_`{|}~-",
  })
  readonly radix = this.#local.radix

  split(text: string, side: Side): SplitText {
    const at = text.lastIndexOf("@")
    if (at < 0 || at === text.length - 1 || text.length > 320)
      throw new UnfitTextError("It is not an e-mail address.")
    const domain = text.slice(at)
    const local = this.#local.split(text.slice(0, at), side)
    return { ...local, kept: domain, join: (numerals) => local.join(numerals) + domain }
  }
}

const UUID = /^([0-9a-f]{8}-[0-9a-f]{4}-)([0-9a-f])([0-9a-f]{3}-)([0-9a-f])([0-9a-f]{3}-[0-9a-f]{12})$/

/** Encrypts a UUID (RFC 9562) in lower case, but for the digits of version and variant. */
export class UuidLayout implements Layout {
  readonly #digits = layoutOf({ alphabet: ALPHABETS.hex, lengths: { min: 30, max: 30 }, literals: "- " })
  readonly radix = this.#digits.radix

  split(text: string, side: Side): SplitText {
    const [, start, version = "", middle, variant = "", end] = UUID.exec(text) ?? []
    if (start === undefined) throw new UnfitTextError("It is not a UUID in lower case.")
    const digits = this.#digits.split(`${start} ${middle} ${end}`, side)
    const marks = [version, variant]
    return {
      ...digits,
      kept: version + variant,
      join: (numerals) => digits.join(numerals).replace(/ /g, () => marks.shift() ?? ""),
    }
  }
}

const IBAN = /^([A-Z]{2})([0-9]{2})([0-9A-Z]{11,30})$/

/**
 * Encrypts the digits of an IBAN (ISO 13616) in capitals and without spaces. Country and letters stay, and the two check
 * digits are computed again, so that a token is a valid IBAN. Check digits that a country has within its own part are
 * not kept.
 */
export class IbanLayout implements Layout {
  readonly #digits = layoutOf({
    alphabet: ALPHABETS.digits,
    lengths: { min: 6, max: 30 },
    literals: "ABCDEFGHIJKLMNOPQRSTUVWXYZ",
  })
  readonly radix = this.#digits.radix

  split(text: string, side: Side): SplitText {
    const [, country = "", check, account = ""] = IBAN.exec(text) ?? []
    if (check === undefined || check !== checkDigitsOf(country, account)) {
      throw new UnfitTextError(
        "It is not an IBAN in capitals, without spaces, and with its right check digits.",
      )
    }
    const digits = this.#digits.split(account, side)
    return {
      ...digits,
      kept: country + account.replace(/[0-9]/g, "0"),
      join: (numerals) => {
        const joined = digits.join(numerals)
        return country + checkDigitsOf(country, joined) + joined
      },
    }
  }
}

/** The check digits of ISO 7064, MOD 97-10: letters count as 10 to 35. */
function checkDigitsOf(country: string, account: string): string {
  let remainder = 0
  for (const character of `${account}${country}00`) {
    const value = Number.parseInt(character, 36)
    remainder = (remainder * (value > 9 ? 100 : 10) + value) % 97
  }
  return String(98 - remainder).padStart(2, "0")
}

const DATE = /^[1-9][0-9]{3}-[0-9]{2}-[0-9]{2}$/
const DAY = 86_400_000
const FIRST_DAY = Date.UTC(1000, 0, 1) / DAY
const DAYS = Date.UTC(9999, 11, 31) / DAY - FIRST_DAY + 1
const DATE_RADIX = Math.ceil(Math.sqrt(DAYS))

/** Permutes the days of the years 1000 to 9999, which all databases take. Nothing of a date stays. */
export class DateLayout implements Layout {
  readonly radix = DATE_RADIX

  split(text: string): SplitText {
    const time = DATE.test(text) ? Date.parse(text) : Number.NaN
    if (Number.isNaN(time) || dateOf(time / DAY) !== text) {
      throw new UnfitTextError("It is not a date YYYY-MM-DD of the years 1000 to 9999.")
    }
    const day = time / DAY - FIRST_DAY
    return {
      numerals: [Math.floor(day / DATE_RADIX), day % DATE_RADIX],
      kept: "",
      accepts: (numerals) => dayOf(numerals) < DAYS,
      join: (numerals) => dateOf(dayOf(numerals) + FIRST_DAY),
    }
  }
}

function dayOf([high = 0, low = 0]: readonly number[]): number {
  return high * DATE_RADIX + low
}

/** @param day since 1970 */
function dateOf(day: number): string {
  return new Date(day * DAY).toISOString().slice(0, 10)
}

function layoutOf(format: Pick<CharactersFormat, "alphabet" | "lengths" | "literals">): CharactersLayout {
  return new CharactersLayout({ kind: "characters", keep: { first: 0, last: 0 }, luhn: "any", ...format })
}

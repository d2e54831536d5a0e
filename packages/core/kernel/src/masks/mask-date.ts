import { withAsciiDigits } from "./characters.ts"

/** ISO 8601, with or without a time; or with points or slashes. */
const YEAR_FIRST = /^([0-9]{4})([-/.])([0-9]{1,2})\2([0-9]{1,2})(?:[T ][0-9:.,Z+-]*)?$/
/** Day and month in either order: nobody can tell which is which. */
const YEAR_LAST = /^([0-9]{1,2})([-/.])([0-9]{1,2})\2([0-9]{4})$/

/**
 * Shows the year of a date, as `1985-••-••`, or year and month, as `1985-04-••`. The month is shown only of a date that
 * begins with its year. Returns null for anything that is not a date.
 */
export function maskDate(text: string, shows: "year" | "month"): string | null {
  const ascii = withAsciiDigits(text)
  const [, year, , month, day] = YEAR_FIRST.exec(ascii) ?? []
  if (year !== undefined && month !== undefined) {
    if (!isMonth(month) || !isDay(day)) return null
    return `${year}-${shows === "month" ? month.padStart(2, "0") : "••"}-••`
  }
  const [, first, , second, lastYear] = YEAR_LAST.exec(ascii) ?? []
  return isDay(first) && isDay(second) ? `${lastYear}-••-••` : null
}

const isMonth = (text: string) => Number(text) >= 1 && Number(text) <= 12
const isDay = (text: string | undefined) => Number(text) >= 1 && Number(text) <= 31

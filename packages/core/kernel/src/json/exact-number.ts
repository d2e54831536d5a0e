/**
 * True for a JSON number literal that keeps its value when converted to a double and back: `0.1`, `1.0` and `1e3` do,
 * `12345678901234567890` and `1e400` do not.
 */
export function isExactNumber(literal: string): boolean {
  const value = Number(literal)
  return Number.isFinite(value) && normalise(literal) === normalise(String(value))
}

/** Normalises a literal: significant digits without zeros around them, and the exponent of the last one. */
function normalise(literal: string): string {
  const [mantissa = "", exponent = "0"] = literal.toLowerCase().split("e")
  const sign = mantissa.startsWith("-") ? "-" : ""
  const [whole = "", fraction = ""] = mantissa.slice(sign.length).split(".")
  let digits = whole + fraction
  let first = 0
  while (digits[first] === "0") first++
  digits = digits.slice(first)
  let last = digits.length
  while (last > 0 && digits[last - 1] === "0") last--
  if (last === 0) return "0"
  return `${sign}${digits.slice(0, last)}e${Number(exponent) - fraction.length + digits.length - last}`
}

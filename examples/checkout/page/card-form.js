// What the fields of the card form hold, and what is wrong with it. Nothing here leaves the browser.

/** Digits in groups of four, as they stand on the card. */
export function groupDigits(text) {
  const digits = text.replace(/\D/g, "").slice(0, 19)
  return digits.replace(/(.{4})(?=.)/g, "$1 ")
}

/** `09 / 39` */
export function writeExpiry(text) {
  const digits = text.replace(/\D/g, "").slice(0, 4)
  return digits.length > 2 ? `${digits.slice(0, 2)} / ${digits.slice(2)}` : digits
}

/** @returns {{card?: {number: string, cvc: string, expiry: {month: string, year: string}}, problems: Record<string, string>}} */
export function readCard({ number, expiry, cvc }, now = new Date()) {
  const digits = number.replace(/\D/g, "")
  const [, month = "", year = ""] = /^(0[1-9]|1[0-2])\D*(\d\d)$/.exec(expiry.trim()) ?? []
  const problems = {}
  if (!/^\d{12,19}$/.test(digits) || !passesLuhn(digits)) problems.number = "Check the card number."
  if (month === "") problems.expiry = "Write the month and the year, such as 09 / 39."
  else if (isOver(month, year, now)) problems.expiry = "This card has expired."
  if (!/^\d{3,4}$/.test(cvc)) problems.cvc = "3 or 4 digits, on the back of the card."
  if (Object.keys(problems).length > 0) return { problems }
  return { card: { number: digits, cvc, expiry: { month, year } }, problems }
}

/** A card is good until the end of its month. Months count from 0 here, so this is the first day of the next one. */
function isOver(month, year, now) {
  return new Date(2000 + Number(year), Number(month)) <= now
}

/** The check digit: every second digit from the right counts double, and the sum ends in 0. */
function passesLuhn(digits) {
  const values = Array.from(digits).toReversed().map(Number)
  const sum = values.reduce((total, digit, index) => {
    const doubled = index % 2 === 1 ? digit * 2 : digit
    return total + (doubled > 9 ? doubled - 9 : doubled)
  }, 0)
  return sum % 10 === 0
}

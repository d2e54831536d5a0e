import { invalidField } from "@sealway/kernel"
import { isCardNumber } from "../card-number-of.ts"

const REASON =
  "The number must have 12 to 19 digits and pass the Luhn check, or be the first 6 to 10 digits of a card number."

/**
 * Returns the digits for a BIN look-up: a whole number, or the first 6 to 10 digits of one.
 *
 * @param pointer JSON Pointer of the field
 * @throws InvalidRequestError when the text is neither a card number nor the start of one
 */
export function digitsToLookUp(pointer: string, text: string | undefined): string {
  const isPrefix = text !== undefined && /^[0-9]{6,10}$/.test(text)
  if (text === undefined || (!isPrefix && !isCardNumber(text))) throw invalidField(pointer, REASON)
  return text
}

import type { FieldSettings, InputName, TextName } from "@sealway/sdk/protocol"
import {
  asciiDigits,
  brandOfDigits,
  digitsOf,
  groupCardNumber,
  hasNumberLength,
  isCardNumber,
  isFullNumber,
} from "./card-number-rules.ts"
import { expiryDigitsOf, isCurrent, parseExpiry, writeExpiry } from "./expiry-rules.ts"

/** What an input holds, and how it is judged. */
export interface InputRule {
  readonly name: InputName
  /** The token of `autocomplete`, and the name by which password managers know the input. */
  readonly autocomplete: string
  readonly inputMode: "numeric" | "text"
  readonly isMasked: boolean
  /** Whether what is written is formatted digits, whose caret must be kept. */
  readonly isFormatted: boolean
  /** Returns what is kept of a text: the value itself. */
  read(text: string): string
  /** Returns how a value is shown. */
  write(value: string): string
  /** Returns what is wrong with a value that is not empty; null when nothing is. */
  judge(value: string, context: JudgeContext): TextName | null
  /** Whether nothing can follow, so that a mistake can be named at once. */
  isFull(value: string): boolean
}

export interface JudgeContext {
  /** Epoch milliseconds. */
  readonly nowMs: number
  /** Of the number, if it is known: it decides how many digits a CVC has. */
  readonly brand: string | null
}

const digitsInput = { inputMode: "numeric", isMasked: false, isFormatted: true } as const

const NUMBER: InputRule = {
  ...digitsInput,
  name: "number",
  autocomplete: "cc-number",
  read: (text) => digitsOf(text),
  write: groupCardNumber,
  judge(digits) {
    if (isCardNumber(digits)) return null
    const canGoOn = brandOfDigits(digits) !== null && !hasNumberLength(digits)
    return canGoOn || digits.length < 4 ? "numberIncomplete" : "numberInvalid"
  },
  isFull: isFullNumber,
}

const EXPIRY: InputRule = {
  ...digitsInput,
  name: "expiry",
  autocomplete: "cc-exp",
  read: (text) => expiryDigitsOf(asciiDigits(text)),
  write: writeExpiry,
  judge(digits, { nowMs }) {
    const expiry = parseExpiry(digits)
    if (expiry === null) return "expiryInvalid"
    return isCurrent(expiry, nowMs) ? null : "expired"
  },
  isFull: (digits) => digits.length === 4,
}

const CVC: InputRule = {
  ...digitsInput,
  name: "cvc",
  autocomplete: "cc-csc",
  read: (text) => digitsOf(text, 4),
  write: (digits) => digits,
  judge(digits, { brand }) {
    if (brand === null) return digits.length >= 3 ? null : "cvcInvalid"
    return digits.length === (brand === "american-express" ? 4 : 3) ? null : "cvcInvalid"
  },
  isFull: () => false,
}

const pinRule = ({ minLength, maxLength }: FieldSettings): InputRule => ({
  name: "pin",
  autocomplete: "off",
  inputMode: "numeric",
  isMasked: true,
  isFormatted: false,
  read: (text) => digitsOf(text, maxLength),
  write: (digits) => digits,
  judge: (digits) => (digits.length >= minLength ? null : "pinInvalid"),
  isFull: () => false,
})

const textRule = ({ minLength, maxLength, isMasked }: FieldSettings): InputRule => ({
  name: "text",
  autocomplete: "off",
  inputMode: "text",
  isMasked,
  isFormatted: false,
  read: (text) => firstCharacters(text, maxLength),
  write: (text) => text,
  judge: (text) => (text.isWellFormed() && Array.from(text).length >= minLength ? null : "textInvalid"),
  isFull: () => false,
})

const firstCharacters = (text: string, count: number) => Array.from(text).slice(0, count).join("")

/** Returns the inputs of a frame, in the order in which they are filled in. */
export function inputRulesOf(settings: FieldSettings): readonly InputRule[] {
  switch (settings.kind) {
    case "card":
      return [NUMBER, EXPIRY, CVC]
    case "number":
      return [NUMBER]
    case "expiry":
      return [EXPIRY]
    case "cvc":
      return [CVC]
    case "pin":
      return [pinRule(settings)]
    case "text":
      return [textRule(settings)]
  }
}

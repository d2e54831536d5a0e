import { luhnDigit } from "@sealway/kernel/card-number"
import type { ValueType } from "@sealway/tokens"

/** What a made-up value looks like. */
export const SHAPES = ["card-number", "email", "string", "number"] as const

export type Shape = (typeof SHAPES)[number]

/** A value to seal. */
export interface MadeUpValue {
  readonly type: ValueType
  /** As it is sealed: the text of a string, the JSON literal of another. */
  readonly text: string
}

/** How many random bytes a made-up value of a shape takes. */
export const SHAPE_BYTES = 32

const LETTERS = "abcdefghijklmnopqrstuvwxyz"
const CARD_DIGITS = 16
const MIN_WORD = 6
const WORD_LENGTHS = 8

/** @param random `SHAPE_BYTES` unpredictable bytes */
export function makeUp(shape: Shape, random: Uint8Array): MadeUpValue {
  const [length = 0, ...rest] = random
  const wordLength = MIN_WORD + (length % WORD_LENGTHS)
  switch (shape) {
    case "card-number":
      return { type: "string", text: cardNumberOf(rest) }
    case "email":
      return { type: "string", text: `${lettersOf(rest.slice(0, wordLength))}@example.com` }
    case "string":
      return { type: "string", text: lettersOf(rest.slice(0, wordLength)) }
    case "number":
      return { type: "number", text: numberOf(rest.slice(0, 1 + (length % 6))) }
  }
}

/**
 * Makes up a value as long as another one. Nobody ever sees its content, so that only the type and the length count.
 *
 * @param random as many unpredictable bytes as the value has
 */
export function makeUpLike(type: ValueType, random: Uint8Array): MadeUpValue {
  if (type === "string") return { type, text: lettersOf(random) }
  if (type === "number") return { type, text: numberOf(random) }
  return { type, text: random.length === "true".length ? "true" : "false" }
}

function lettersOf(random: Iterable<number>): string {
  return Array.from(random, (byte) => LETTERS.charAt(byte % LETTERS.length)).join("")
}

/** The first digit is not 0, so that it is a JSON number of that many characters. */
function numberOf(random: Iterable<number>): string {
  return Array.from(random, (byte, index) => (index === 0 ? 1 + (byte % 9) : byte % 10)).join("")
}

/** 16 digits that pass the Luhn check. */
function cardNumberOf(random: readonly number[]): string {
  const body = ["4", ...random.slice(0, CARD_DIGITS - 2).map((byte) => byte % 10)].join("")
  return body + luhnDigit(body)
}

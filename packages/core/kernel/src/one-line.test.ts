import { expect, test } from "vitest"
import { LINES, ONE_LINE } from "./one-line.ts"

test.each(["Ada's shop", "متجر \u200f1", "<b>'\"&", "", "🛒"])("%j is one line of text", (text) => {
  expect([ONE_LINE.test(text), LINES.test(`${text}\n\t${text}`)]).toEqual([true, true])
})

test.each([
  "\u202a",
  "\u202b",
  "\u202c",
  "\u202d",
  "\u202e",
  "\u2066",
  "\u2067",
  "\u2068",
  "\u2069",
  "\n",
  "\r",
  "\t",
  "\0",
  "\u007f",
  "\u0085",
  "\u2028",
  "\u2029",
])("%j changes what is around it", (character) => {
  const text = `a${character}b`
  expect([ONE_LINE.test(text), LINES.test(text)]).toEqual([false, character === "\n" || character === "\t"])
})

import type { Mask } from "@sealway/kernel/masks"
import type { OpenedValue } from "@sealway/tokens"
import { expect, test } from "vitest"
import { maskedValue } from "./masked-value.ts"

const masked = (type: OpenedValue["type"], text: string, mask: Mask) => {
  const shown = maskedValue({ type, value: Buffer.from(text), role: "flag", encryptedAt: null }, mask)
  return [shown.type, shown.value.toString()]
}

test.each<Mask>([
  { type: "name" },
  { type: "last", count: 1, keepLength: true },
  { type: "pattern", pattern: "#***" },
  { type: "pattern", pattern: "#****" },
])("%o shows nothing of a boolean", (mask) => {
  for (const text of ["true", "false"]) expect(masked("boolean", text, mask)).toEqual(["string", "•••"])
})

test("a fixed text replaces a boolean, and a number is masked as its text", () => {
  expect(masked("boolean", "true", { type: "fixed", text: "a flag" })).toEqual(["string", "a flag"])
  expect(masked("number", "12345678", { type: "last", count: 2, keepLength: false })).toEqual([
    "string",
    "•••78",
  ])
})

import { expect, test } from "vitest"
import { namesPcrsOf, shortPcr } from "./measurements.ts"

const A = "a".repeat(96)
const B = "b".repeat(96)

test.each([
  ["the same image", { pcr0: A }, { pcr0: A }, true],
  ["the same image, and a PCR that is not registered", { pcr0: A }, { pcr0: A, pcr8: B }, true],
  ["another image", { pcr0: A }, { pcr0: B }, false],
  ["the same signer, but another image", { pcr0: A, pcr8: B }, { pcr0: B, pcr8: B }, false],
  ["only PCRs that are not registered", { pcr0: A }, { pcr8: B }, false],
  ["no PCR", { pcr0: A }, undefined, false],
])("a policy that names %s is told from others", (_, pcrs, enclavePcrs, expected) => {
  const conditions = enclavePcrs === undefined ? {} : { enclavePcrs }
  expect(namesPcrsOf({ pcrs }, { conditions })).toBe(expected)
})

test("a PCR is shortened to its first and its last digits", () => {
  expect(shortPcr(`12345678${"0".repeat(80)}9abcdef0`)).toBe("12345678…9abcdef0")
})

import { readFileSync } from "node:fs"
import { join } from "node:path"
import { CURRENCIES, currencyExponent } from "@sealway/bins"
import { expect, test } from "vitest"

const DOCUMENT = readFileSync(join(import.meta.dirname, "../../docs/payments.md"), "utf8")

test("the documentation lists the currencies whose amounts have other than two decimal places", () => {
  const listed = [...DOCUMENT.matchAll(/^\| ([034]) \| ([a-z]{3}(?:, [a-z]{3})*) \|$/gm)].flatMap(
    ([, places, codes = ""]) => codes.split(", ").map((code) => [code, Number(places)] as const),
  )
  const others = [...CURRENCIES.keys()]
    .map((code) => [code, currencyExponent(code)] as const)
    .filter(([, places]) => places !== 2)
  expect(new Map(listed)).toEqual(new Map(others))
})

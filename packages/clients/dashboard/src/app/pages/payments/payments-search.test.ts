import { expect, test } from "vitest"
import { readPaymentsSearch } from "./payments-search.ts"

test.each([
  [{}, {}],
  [
    { tab: "cards", status: "closed", lastFour: "4242" },
    { status: "closed", lastFour: "4242" },
  ],
  [{ lastFour: 4242 }, { lastFour: "4242" }],
  [{ tab: "sessions", status: "closed", lastFour: "4242" }, { tab: "sessions" }],
  [
    { tab: "alerts", status: "open", network: "ethoca" },
    { tab: "alerts", status: "open", network: "ethoca" },
  ],
  [
    { tab: "merchants", name: "Shop" },
    { tab: "merchants", name: "Shop" },
  ],
  [{ tab: "elsewhere", lastFour: "42424242", name: "Shop", network: "visa" }, {}],
])("the address %j leads to %j: what does not belong to its tab is left out", (search, expected) => {
  expect(readPaymentsSearch(search)).toEqual(expected)
})

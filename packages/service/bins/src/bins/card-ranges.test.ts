import { TEST_APP } from "@sealway/accounts/testing"
import { expect, test } from "vitest"
import { createCardRanges } from "./card-ranges.ts"

const NUMBER = { leading: "62000000", digits: "6200000000000047" }

test("a team's table is asked for the leading digits of a fingerprinted number, and for no more", async () => {
  const asked: string[] = []
  const ranges = createCardRanges({
    async lookUp(_, digits) {
      asked.push(digits)
      return { facts: { brand: "visa", issuer: "Bank" }, matchPrecision: 8 }
    },
  })
  expect(await ranges.find(TEST_APP, NUMBER)).toEqual({ brand: "visa", issuer: "Bank" })
  expect(asked).toEqual(["62000000"])
})

test("a published test number is known as a whole in a sandbox app, and not in a production app", async () => {
  const ranges = createCardRanges({ lookUp: async (_, digits, withoutTable) => withoutTable(digits) })
  expect(await ranges.find(TEST_APP, NUMBER)).toMatchObject({ brand: "unionpay", funding: "debit" })
  expect(await ranges.find({ ...TEST_APP, environment: "production" }, NUMBER)).toBeNull()
})

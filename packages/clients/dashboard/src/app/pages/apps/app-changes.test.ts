import { expect, test } from "vitest"
import { type AppChanges, changesInWords, changesOf } from "./app-changes.ts"

const APP: AppChanges = {
  name: "Shop",
  allowedOrigins: ["https://a.example"],
  sealing: "public-key",
  custody: "envelope",
  erasureDays: 7,
  cardInsights: false,
  limits: { requestsPerSecond: 5_000, valuesPerSecond: 500_000 },
}

test("only what differs is changed", () => {
  const equal = { allowedOrigins: ["https://a.example"], limits: { ...APP.limits } }
  expect(changesOf(APP, { ...APP, ...equal })).toEqual({})
  const settings = { ...APP, name: "Kiosk", allowedOrigins: [] }
  expect(changesOf(APP, settings)).toEqual({ name: "Kiosk", allowedOrigins: [] })
})

test("each change has a sentence that says what it does", () => {
  const settings: AppChanges = {
    name: "Kiosk",
    allowedOrigins: [],
    sealing: "symmetric",
    custody: "hsm",
    erasureDays: 0,
    cardInsights: true,
    limits: { requestsPerSecond: 5_000, valuesPerSecond: 10 },
  }
  expect(changesInWords(changesOf(APP, settings))).toHaveLength(7)
  expect(changesInWords({ erasureDays: 30 })).toEqual([
    "Whoever is erased from now on can be restored for 30 days.",
  ])
  expect(changesInWords({ allowedOrigins: ["https://a.example", "https://b.example"] })).toEqual([
    "Only pages of https://a.example, https://b.example may embed its frames.",
  ])
})

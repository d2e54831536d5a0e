import { expect, test } from "vitest"
import { readBinRows } from "./read-bin-rows.ts"

const ROW = { from: "400000", to: "400000", brand: "visa" }
const read = async (text: string) => [...readBinRows(Buffer.from(text))].filter((row) => row !== null)

test("reads one row per line, in upper or lower case, and skips empty lines", async () => {
  const full = {
    ...ROW,
    funding: "deferred-debit",
    segment: "payouts",
    country: "US",
    currency: "Usd",
    issuer: "Bank",
    productName: "Card",
    type: "network-token",
    fastFunds: { domestic: true, crossBorder: false },
    threeDS: {
      supportedVersions: { accessControlServer: ["2.2.0"], directoryServer: [] },
      acsInfoIndicators: [
        { code: "attempts-supported", indicator: "02" },
        { code: "data-only-supported", indicator: "81", description: "Own words" },
      ],
    },
  }
  const rows = await read(`${JSON.stringify(ROW)}\r\n\n  \n${JSON.stringify(full)}`)
  expect(rows).toEqual([
    { ...ROW, type: "card" },
    {
      ...full,
      country: "us",
      currency: "usd",
      threeDS: {
        ...full.threeDS,
        acsInfoIndicators: [
          { code: "attempts-supported", indicator: "02", description: expect.any(String) },
          { code: "data-only-supported", indicator: "81", description: "Own words" },
        ],
      },
    },
  ])
})

test.each([
  ["[]", "/1"],
  ["{", "/1"],
  ["null", "/1"],
  ['{"from":"400000","to":"400000","brand":"visa","__proto__":{"issuer":"x"}}', "/1"],
  ['{"from":"400000","to":"400000","brand":"visa","issuer":"\\ud800"}', "/1"],
  ['{"from":"400000","to":"400000","brand":"visa","constructor":{}}', "/1"],
  ['{"from":"400000","from":"400000","to":"400000","brand":"visa"}', "/1"],
  [JSON.stringify({ ...ROW, from: "40000" }), "/1/from"],
  [JSON.stringify({ ...ROW, from: "40000000000" }), "/1/from"],
  [JSON.stringify({ ...ROW, from: 400000 }), "/1/from"],
  [JSON.stringify({ ...ROW, to: "4000000" }), "/1/to"],
  [JSON.stringify({ ...ROW, to: "399999" }), "/1/to"],
  [JSON.stringify({ ...ROW, brand: "elo" }), "/1/brand"],
  [JSON.stringify({ ...ROW, funding: "cash" }), "/1/funding"],
  [JSON.stringify({ ...ROW, country: "zz" }), "/1/country"],
  [JSON.stringify({ ...ROW, currency: "xxx" }), "/1/currency"],
  [JSON.stringify({ ...ROW, issuer: "two\nlines" }), "/1/issuer"],
  [JSON.stringify({ ...ROW, issuer: "x".repeat(151) }), "/1/issuer"],
  [JSON.stringify({ ...ROW, fastFunds: { domestic: true } }), "/1/fastFunds/crossBorder"],
  [JSON.stringify({ ...ROW, marker: true }), "/1"],
  [JSON.stringify({ ...ROW, issuer: "x".repeat(9_000) }), "/1"],
])("refuses with invalid-request a line that is %s, and names it", async (line, pointer) => {
  const reading = read(`${JSON.stringify(ROW)}\n${line}\n`)
  await expect(reading).rejects.toMatchObject({ code: "invalid-request", fields: [{ pointer }] })
})

test("reveals nothing of a refused line", async () => {
  const error: unknown = await read('{"secretmarker":"secretmarker"}').catch((caught: unknown) => caught)
  expect(JSON.stringify(error)).not.toContain("secretmarker")
  expect(String(error)).not.toContain("secretmarker")
})

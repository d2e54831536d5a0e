import { problemOfAReq } from "@sealway/three-d-secure"
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { keepMessage } from "../record/keep-message.ts"
import type { SessionDetails } from "../record/session.ts"
import { CHALLENGE_PREFERENCES, INITIATOR_REASONS, NO_CHALLENGE_REASONS } from "../record/session-request.ts"
import { afterSessionEvent } from "../steps/session-steps.ts"
import { BROWSER, NOW_MS, sampleSession } from "../testing/messages.ts"
import { buildAReq } from "./build-areq.ts"

const NUMBER = "4242424242424242"

function areqOf(details: Partial<SessionDetails> = {}, browser: Partial<typeof BROWSER> = {}) {
  const session = afterSessionEvent(sampleSession(details), {
    type: "browser-known",
    browser: { ...BROWSER, ...browser },
    frame: null,
    atMs: NOW_MS,
  })
  return buildAReq({ session, number: NUMBER, resultsProof: "proof" })
}

const amounts = { amount: 1_234, currency: "jpy" }
const payments = fc.constantFrom<SessionDetails["payment"][]>(
  null,
  { type: "one-off", ...amounts },
  { type: "installment", ...amounts, installments: 12, frequency: "monthly" },
  { type: "installment", ...amounts, installments: 2, frequency: "daily", expiry: 1_900_000_000 },
  { type: "recurring", ...amounts, frequency: "annually", expiry: 4_102_394_400 },
)
const address = {
  line1: "x".repeat(80),
  line2: "Flat 2",
  city: "Sydney",
  state: "nsw",
  postalCode: "2000",
  country: "au",
}
const customers = fc.constantFrom<SessionDetails["customer"][]>(
  null,
  {},
  {
    name: "Ada Lovelace",
    email: "ada@example.com",
    phone: [
      { type: "mobile", countryCode: "353", number: "123456" },
      { type: "home", countryCode: "1", number: "2" },
    ],
    billing: { address, taxIdentifier: "IE123" },
    shipping: { address: { ...address, line1: "1 High Street" } },
  },
)
const challenges = fc.oneof(
  fc.constantFrom(...CHALLENGE_PREFERENCES).map((preference) => ({ preference, reason: null })),
  fc
    .constantFrom(...NO_CHALLENGE_REASONS)
    .map((reason) => ({ preference: "no-challenge-requested", reason }) as const),
)

describe("the AReq of a session", () => {
  test("is valid for any browser and session request, in each version", () => {
    const details = fc.record({
      payment: payments,
      customer: customers,
      challenge: challenges,
      version: fc.constantFrom("2.2.0", "2.3.1"),
      methodUrl: fc.constantFrom(null, "https://acs.example.com/method"),
    })
    const browsers = fc.record({
      javaScriptEnabled: fc.boolean(),
      colorDepth: fc.integer({ min: 1, max: 99 }),
      language: fc.stringMatching(/^[a-z]{2,8}(-[0-9A-Za-z]{1,8}){0,3}$/).filter((tag) => tag.length <= 35),
      acceptLanguage: fc.constantFrom("", "*", "de-CH,de;q=0.9,en;q=0.8", ";;,,", "ü"),
      acceptHeader: fc.constantFrom("", "*/*", "a".repeat(5_000)),
      userAgent: fc.constantFrom("", "Test", "a".repeat(5_000)),
      timeZone: fc.integer({ min: -840, max: 840 }),
      ip: fc.constantFrom("192.0.2.1", "2001:db8::1"),
    })
    fc.assert(
      fc.property(details, browsers, (session, browser) => {
        expect(problemOfAReq(areqOf(session, browser))).toBeNull()
      }),
    )
  })

  test("of the merchant is valid for each reason, with its prior session", () => {
    for (const version of ["2.2.0", "2.3.1"] as const) {
      for (const reason of INITIATOR_REASONS) {
        const payment =
          reason === "recurring"
            ? ({ type: "recurring", ...amounts, frequency: "weekly", expiry: 1_900_000_000 } as const)
            : ({ type: "installment", ...amounts, installments: 3, frequency: "weekly" } as const)
        const session = sampleSession({
          version,
          payment,
          initiator: { type: "merchant", reason },
          prior: { reference: "33333333-3333-4333-8333-333333333333", flow: "challenge", at: NOW_MS },
        })
        const areq = buildAReq({ session, number: NUMBER, resultsProof: "proof" })
        expect({ reason, version, problem: problemOfAReq(areq) }).toEqual({ reason, version, problem: null })
      }
    }
  })

  test("states an amount in the currency's own digits", () => {
    expect(areqOf({ payment: { type: "one-off", amount: 5, currency: "kwd" } })).toMatchObject({
      purchaseAmount: "5",
      purchaseCurrency: "414",
      purchaseExponent: "3",
      messageCategory: "01",
      threeDSRequestorAuthenticationInd: "01",
      purchaseDate: "20231114221320",
    })
    expect(areqOf({ payment: { type: "one-off", amount: 5, currency: "clf" } })).toMatchObject({
      purchaseCurrency: "990",
      purchaseExponent: "4",
    })
    expect(areqOf({ payment: null })).toMatchObject({
      messageCategory: "02",
      threeDSRequestorAuthenticationInd: "04",
    })
  })

  test.each([
    ["en", "en"],
    ["zh-Hant", "zh-Hant"],
    ["zh-Hant-TW", "zh-Hant"],
    ["de-CH-1996", "de-CH"],
    ["en-a-bbb-x-c", "en-a-bbb"],
    ["en-x-private", "en"],
    ["sr-Latn1234", "sr"],
  ])("states the language %s as the tag %s in 2.2.0, and whole in 2.3.1", (language, told) => {
    expect(areqOf({ version: "2.2.0" }, { language })).toMatchObject({ browserLanguage: told })
    expect(areqOf({ version: "2.3.1" }, { language })).toMatchObject({ browserLanguage: language })
  })

  test("states the state of a billing address only if ISO 3166-2 has it", () => {
    const billing = (state: string) => ({
      customer: { billing: { address: { ...address, country: "us", state } } },
    })
    expect(areqOf(billing("ny"))).toMatchObject({ billAddrState: "NY", billAddrCountry: "840" })
    expect(areqOf(billing("ae"))).toMatchObject({ billAddrCountry: "840" })
    expect(areqOf(billing("ae"))).not.toHaveProperty("billAddrState")
  })

  test.each([
    [24, "24"],
    [30, "24"],
    [48, "48"],
    [10, "8"],
    [1, "1"],
  ])("states a colour depth of %i as %s in 2.2.0", (colorDepth, told) => {
    expect(areqOf({}, { colorDepth })).toMatchObject({ browserColorDepth: told })
  })

  test.each([
    ["low-value", "2.2.0", "02"],
    ["low-value", "2.3.1", ["10"]],
    ["data-sharing", "2.2.0", "06"],
    ["low-risk", "2.3.1", ["05"]],
  ] as const)("requests no challenge because of %s in %s with %j", (reason, version, told) => {
    const challenge = { preference: "no-challenge-requested", reason } as const
    expect(areqOf({ challenge, version })).toMatchObject({ threeDSRequestorChallengeInd: told })
  })

  test("is stored with the last four digits of the number, and without the proof for the sender of results", () => {
    const kept = keepMessage(areqOf(), NOW_MS)
    expect(kept.data).toMatchObject({ acctNumber: "************4242" })
    expect(JSON.stringify(kept)).not.toContain(NUMBER)
    expect(JSON.stringify(kept)).not.toContain("proof")
  })
})

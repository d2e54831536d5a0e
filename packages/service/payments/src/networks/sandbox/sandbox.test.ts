import { TEST_APP } from "@sealway/accounts/testing"
import { parseCardNumber } from "@sealway/kernel"
import { describe, expect, test } from "vitest"
import type { EnrolMerchantRequest } from "../messages/enrolment.ts"
import { enrolmentAnswerSchema } from "../messages/enrolment.ts"
import { type ParAnswer, parAnswerSchema } from "../messages/par.ts"
import { type VerifyRequest, verifyAnswerSchema } from "../messages/verify.ts"
import { createSandboxNetwork } from "./create-sandbox-network.ts"
import { outcomeNumber, outcomeOf, TEST_BINS, testBrandOf } from "./outcome-of.ts"
import type { SandboxAccounts } from "./sandbox-accounts.ts"

const START_MS = 1_700_000_000_000

function createWorld(key = Buffer.alloc(32, 7)) {
  const clock = { nowMs: START_MS }
  const joined = new Map<string, ParAnswer>()
  const accounts: SandboxAccounts = {
    find: async (_, number) => joined.get(number) ?? null,
    assign: async (_, number, account) => void joined.set(number, account),
  }
  const network = createSandboxNetwork({
    app: TEST_APP,
    accounts,
    storeChallenge: async () => undefined,
    wallClock: () => clock.nowMs,
    key: async () => key,
  })
  return { clock, network }
}

const merchant = (name: string): EnrolMerchantRequest => ({
  reference: "merchant_1.1",
  requestedAt: START_MS,
  service: "network-tokens/visa",
  merchant: {
    id: "merchant_1",
    name,
    website: "https://shop.example.com",
    categoryCode: "5411",
    business: {
      legalName: name,
      address: { line1: "1 High Street", city: "Dublin", postalCode: "D01", country: "ie" },
    },
  },
})

describe("an outcome number", () => {
  test("is one of those in the contract", () => {
    expect(outcomeNumber("visa", "303")).toBe("4000000000003030")
    expect(outcomeNumber("american-express", "303")).toBe("340000000003037")
  })

  test.each(Object.keys(TEST_BINS) as (keyof typeof TEST_BINS)[])(
    "of %s is a card number of the brand with its outcome",
    (brand) => {
      for (const outcome of ["200", "401", "501", "999"]) {
        const number = outcomeNumber(brand, outcome)
        expect(parseCardNumber(number)?.brand).toBe(brand)
        expect(testBrandOf(number)).toBe(brand)
        expect(outcomeOf(number)).toBe(outcome)
      }
    },
  )

  test.each(["4242424242424242", "4000001234563030", "5555555555554444", ""])(
    "is not recognised in another number: %j",
    (number) => expect(outcomeOf(number)).toBeNull(),
  )
})

describe("the sandbox", () => {
  test("returns the same reference for the same number, different ones for different numbers, and none for 501", async () => {
    const { network } = createWorld()
    const par = async (number: string) => (await network.par({ number })).paymentAccountReference
    const first = await par("4242424242424242")
    expect(parAnswerSchema.parse({ paymentAccountReference: first })).toEqual({
      paymentAccountReference: first,
    })
    expect(await par("4242424242424242")).toBe(first)
    expect(await par("5555555555554444")).not.toBe(first)
    expect(await par(outcomeNumber("visa", "501"))).toBeNull()
  })

  test("returns references that reveal nothing of the number without the app's key", async () => {
    const { network: other } = createWorld(Buffer.alloc(32, 8))
    const { network } = createWorld()
    const number = "4242424242424242"
    expect(await other.par({ number })).not.toEqual(await network.par({ number }))
  })

  test.each<[string, Partial<VerifyRequest>, object]>([
    [
      "push off by 401",
      { instrument: { type: "card", number: outcomeNumber("visa", "401") } },
      { capabilities: { push: { enabled: false }, pull: { enabled: true } } },
    ],
    [
      "pull off by 402",
      { instrument: { type: "card", number: outcomeNumber("visa", "402") } },
      { capabilities: { push: { enabled: true }, pull: { enabled: false } } },
    ],
    [
      "both off by 403",
      { instrument: { type: "card", number: outcomeNumber("visa", "403") } },
      { capabilities: { push: { enabled: false }, pull: { enabled: false } } },
    ],
    ["cvv 200", { instrument: { type: "card", number: "4242424242424242", cvv: "200" } }, { cvv: "N" }],
    ["cvv 201", { instrument: { type: "card", number: "4242424242424242", cvv: "201" } }, { cvv: "P" }],
    ["cvv 202", { instrument: { type: "card", number: "4242424242424242", cvv: "202" } }, { cvv: "S" }],
    ["cvv 203", { instrument: { type: "card", number: "4242424242424242", cvv: "203" } }, { cvv: "U" }],
    ["another cvv", {}, { cvv: "M" }],
    [
      "line 1 that starts with No",
      { address: { line1: "No Street", postalCode: "1" } },
      { address: { result: "Z" } },
    ],
    [
      "postal code 99998",
      { address: { line1: "1 Street", postalCode: "99998" } },
      { address: { result: "A" } },
    ],
    ["both", { address: { line1: "No Street", postalCode: "99998" } }, { address: { result: "N" } }],
    [
      "postal code 99997",
      { address: { line1: "1 Street", postalCode: "99997" } },
      { address: { result: "U" } },
    ],
    [
      "postal code 99996",
      { address: { line1: "1 Street", postalCode: "99996" } },
      { address: { result: "R" } },
    ],
    [
      "a first name Mismatch",
      { cardholder: { firstName: "Mismatch", lastName: "Doe" } },
      { cardholder: { result: "M", fullName: "N", firstName: "N", lastName: "M" } },
    ],
    [
      "a last name Partial",
      { cardholder: { firstName: "Jo", lastName: "Partial" } },
      { cardholder: { result: "M", fullName: "P", firstName: "M", lastName: "P" } },
    ],
    [
      "a name Unsupported",
      { cardholder: { firstName: "Jo", lastName: "Unsupported" } },
      { cardholder: { result: "U" } },
    ],
    ["an e-mail address mismatch@", { email: "mismatch@example.com" }, { email: "N" }],
    ["an e-mail address Partial@", { email: "Partial@example.com" }, { email: "P" }],
    ["an e-mail address unsupported@", { email: "unsupported@example.com" }, { email: "U" }],
    ["a telephone number ending in 0001", { phone: "003531000001" }, { phone: "N" }],
    ["a telephone number ending in 0002", { phone: "003531000002" }, { phone: "P" }],
    ["a telephone number ending in 0003", { phone: "003531000003" }, { phone: "U" }],
  ])("answers checks by the values sent: %s", async (_, given, expected) => {
    const { network } = createWorld()
    const answer = await network.verify({
      instrument: { type: "card", number: "4242424242424242", cvv: "123" },
      checks: ["capabilities", "cvv", "cardholder", "address", "email", "phone"],
      cardholder: { firstName: "Jo", lastName: "Doe" },
      address: { line1: "1 High Street", postalCode: "12345" },
      email: "jo@example.com",
      phone: "00353100009999",
      ...given,
    })
    expect(answer).toMatchObject(expected)
    expect(verifyAnswerSchema.parse(answer)).toEqual(answer)
  })

  test("only answers the requested checks", async () => {
    const { network } = createWorld()
    const instrument = { type: "card", number: "4242424242424242" } as const
    expect(Object.keys(await network.verify({ instrument, checks: ["email"], email: "a@b.ie" }))).toEqual([
      "email",
    ])
  })

  test.each([
    ["Shop", "active"],
    ["Shop Failed", "failed"],
    ["Shop Pending", "pending"],
    ["Shop Slow", "pending"],
  ])("enrols the merchant %j as %s", async (name, status) => {
    const { network } = createWorld()
    const answer = await network.enrolMerchant(merchant(name))
    expect(answer.status).toBe(status)
    expect(enrolmentAnswerSchema.parse(answer)).toEqual(answer)
  })

  test("enrols a slow merchant after two minutes, and a pending one never", async () => {
    const { clock, network } = createWorld()
    expect(await network.enrolMerchant(merchant("Shop Slow"))).toEqual({
      status: "pending",
      checkAfterMs: 120_000,
    })
    clock.nowMs += 119_999
    expect(await network.enrolMerchant(merchant("Shop Slow"))).toEqual({ status: "pending", checkAfterMs: 1 })
    clock.nowMs += 1
    expect((await network.enrolMerchant(merchant("Shop Slow"))).status).toBe("active")
    clock.nowMs += 365 * 86_400_000
    expect(await network.enrolMerchant(merchant("Shop Pending"))).toEqual({ status: "pending" })
  })

  test("keeps the token requestor identifier that a merchant already has", async () => {
    const { network } = createWorld()
    const given = { ...merchant("Shop"), tokenRequestorIdentifier: "50110030273" }
    expect(await network.enrolMerchant(given)).toEqual({
      status: "active",
      tokenRequestorIdentifier: "50110030273",
    })
    expect(await network.enrolMerchant(merchant("Shop"))).toMatchObject({
      tokenRequestorIdentifier: expect.stringMatching(/^[0-9]{11}$/),
    })
  })

  test("registers a domain after a second, and none that starts with fail", async () => {
    const { clock, network } = createWorld()
    const { merchant: shop, reference, requestedAt } = merchant("Shop")
    const register = (domain: string) =>
      network.registerDomain({ merchant: shop, reference, requestedAt, domain })
    expect((await register("shop.example.com")).status).toBe("pending")
    expect((await register("fail.example.com")).status).toBe("failed")
    clock.nowMs += 1_000
    expect((await register("shop.example.com")).status).toBe("active")
  })

  test.each([
    ["123456000001", "failed"],
    ["123456000002", "pending"],
    ["123456000003", "active"],
  ])("enrols the acquirer's merchant %s as %s", async (acquirerMerchantIdentifier, status) => {
    const { network } = createWorld()
    const configuration = {
      network: "visa",
      bin: "400000",
      country: "ie",
      acquirerMerchantIdentifier,
    } as const
    const answer = await network.enrolAcquirer({
      reference: "acquirer_1.1",
      requestedAt: START_MS,
      acquirer: { id: "acquirer_1", name: "Bank" },
      configuration,
    })
    expect(answer.status).toBe(status)
  })
})

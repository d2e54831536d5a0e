import { luhnDigit } from "@sealway/kernel/card-number"
import { describe, expect, test } from "vitest"
import * as z from "zod"
import { CARD, MERCHANT, WATCHED_CARD } from "../support/payment-requests.ts"
import { type Answer, useService } from "../support/service.ts"

const service = useService()

const ROUNDS = 8
const EXPIRY = { month: "01", year: "45" }

const idOf = ({ status, text, json }: Answer): string => {
  expect(status, text).toBeLessThan(300)
  return z.object({ id: z.string() }).parse(json).id
}
const newMerchant = async (changes: object = {}) =>
  idOf(await service.post("/payments/merchants", { ...MERCHANT, ...changes }))
const post = async (path: string, body: object) => idOf(await service.post(path, body))

let numbers = 0
/** Returns a number that no other test uses. */
function newNumber(): string {
  numbers += 1
  const body = `411111${String(numbers).padStart(9, "6")}`
  return body + luhnDigit(body)
}

/** A record of each kind that a worker writes after a simulation. */
const SIMULATED = [
  {
    kind: "card",
    path: "/payments/cards",
    bodyOf: () => ({ ...CARD, number: newNumber() }),
    update: { updateType: "new-account-number" },
  },
  {
    kind: "network token",
    path: "/payments/network-tokens",
    bodyOf: (merchant: string) => ({ card: CARD, merchant }),
    update: { updateType: "new-token-status" },
  },
  {
    kind: "subscription",
    path: "/payments/account-updater/subscriptions",
    bodyOf: (merchant: string) => ({ ...CARD, number: newNumber(), merchant }),
    update: { updateType: "new-expiry-date" },
  },
  {
    kind: "retry watch",
    path: "/payments/retry-watches",
    bodyOf: (merchant: string) => ({
      merchant,
      card: WATCHED_CARD,
      declinedAmount: 1_000,
      currency: "eur",
      declinedAt: Date.now(),
    }),
    update: { signal: "retry-now" },
  },
] as const

describe("a caller who is alone", () => {
  test.each(SIMULATED)("deletes a $kind right after a simulation", async ({ path, bodyOf, update }) => {
    const merchant = await newMerchant({ intelligentRetries: { enabled: true } })
    for (let round = 0; round < ROUNDS; round++) {
      const id = await post(path, bodyOf(merchant))
      expect((await service.post(`${path}/${id}/simulate`, update)).status).toBe(200)
      const { status, text } = await service.delete(`${path}/${id}`)
      expect(status, text).toBe(204)
    }
  })

  test("registers again, with another expiry, a card right after a simulation", async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const number = newNumber()
      const id = await post("/payments/cards", { ...CARD, number })
      await service.post(`/payments/cards/${id}/simulate`, { updateType: "new-expiry-date" })
      const { status, text, json } = await service.post("/payments/cards", { number, expiry: EXPIRY })
      expect(status, text).toBe(200)
      expect(json).toMatchObject({ expiry: EXPIRY, status: "active" })
    }
  })

  test("changes and deletes a merchant while its domain and its enrolments are decided", async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const path = `/payments/merchants/${await newMerchant({ applePay: { domains: ["pay.example.com"] } })}`
      for (const shortName of ["A", "B", "C"]) {
        const domains = [`pay.example.com`, `${shortName.toLowerCase()}.example.com`]
        const { status, text, json } = await service.patch(path, { shortName, applePay: { domains } })
        expect(status, text).toBe(200)
        expect(json).toMatchObject({ shortName })
      }
      const { status, text } = await service.delete(path)
      expect(status, text).toBe(204)
    }
  })
})

import { luhnDigit } from "@sealway/kernel/card-number"
import fc from "fast-check"
import { beforeAll, expect, test, vi } from "vitest"
import * as z from "zod"
import { MERCHANT } from "../support/payment-requests.ts"
import { type Answer, useService } from "../support/service.ts"

const service = useService()

const RUNS = 6
const EXPIRY = { month: "09", year: "39" }
const DECLINED = { declinedAmount: 1, currency: "eur", declinedAt: Date.now() }

let merchant = ""
beforeAll(async () => {
  const { id } = await post("/payments/merchants", { ...MERCHANT, intelligentRetries: { enabled: true } })
  merchant = String(id)
})

const bodyOf = ({ status, text, json }: Answer) => {
  expect(status, text).toBeLessThan(300)
  return z.record(z.string(), z.unknown()).parse(json)
}
const post = async (path: string, body: object) => bodyOf(await service.post(path, body))
const tokenOf = async (number: string) =>
  z.string().parse((await service.post("/encrypt", JSON.stringify(number))).json)
const objectOf = (value: unknown) => z.record(z.string(), z.unknown()).parse(value)

/** Numbers of the test ranges of brands with network tokens, and of no range, which no other run uses. */
const number = fc
  .tuple(
    fc.constantFrom(
      "424242",
      "400005",
      "40000025",
      "555555",
      "510510",
      "520082",
      "378282",
      "371449",
      "401999",
    ),
    fc.noBias(fc.integer({ min: 1_000_000_000, max: 2_000_000_000 })),
  )
  .map(([beginning, rest]) => {
    const length = beginning.startsWith("3") ? 15 : 16
    const body = (beginning + String(rest)).slice(0, length - 1)
    return body + luhnDigit(body)
  })

const lookUpPar = async (number: unknown) =>
  (await post("/payments/par-lookups", { number })).paymentAccountReference
const insightOf = (instrument: object) =>
  post("/insights/cards", { ...instrument, extensions: ["paymentAccountReference"] })

/** Creates a network token of a card, and returns the references that it, its number and its cryptogram give. */
async function parsOfNetworkToken(card: unknown): Promise<unknown[]> {
  const token = await post("/payments/network-tokens", { card, merchant })
  const path = `/payments/network-tokens/${token.id}`
  const { cryptogram } = bodyOf(await service.post(`${path}/cryptograms`, undefined))
  const networkToken = { number: token.number, cryptogram, expiry: EXPIRY, funding: "credit", brand: "amex" }
  const insight = await insightOf({ networkToken: { ...networkToken, transactionIdentifier: "1" } })
  const changed = await post(`${path}/simulate`, { updateType: "new-token-expiry-and-number" })
  expect(changed.number).not.toBe(token.number)
  return [
    token.paymentAccountReference,
    await lookUpPar(token.number),
    insight.paymentAccountReference,
    changed.paymentAccountReference,
    await lookUpPar(changed.number),
  ]
}

test("a card, its network tokens and its replacements have one payment account reference, whichever way it is asked for", async () => {
  await fc.assert(
    fc.asyncProperty(number, async (digits) => {
      const card = await post("/payments/cards", { number: digits, expiry: EXPIRY })
      const replaced = await post(`/payments/cards/${card.id}/simulate`, { updateType: "new-account-number" })
      const replacement = bodyOf(await service.get(`/payments/cards/${replaced.replacement}`))
      const references = [
        await lookUpPar(digits),
        await lookUpPar(await tokenOf(digits)),
        await lookUpPar(card.number),
        (await insightOf({ card: { number: digits } })).paymentAccountReference,
        (await insightOf({ card: { number: card.number } })).paymentAccountReference,
        ...(await parsOfNetworkToken({ number: digits, expiry: EXPIRY })),
        await lookUpPar(replacement.number),
        (await insightOf({ card: { number: replacement.number } })).paymentAccountReference,
        ...(await parsOfNetworkToken(card.id)),
      ]
      expect(references).toEqual(Array(references.length).fill(references[0]))
      expect(references[0]).toMatch(/^[0-9A-Z]{29}$/)
    }),
    { numRuns: RUNS, endOnFailure: true },
  )
})

test("a card that the network replaces by itself, and one that a subscription follows, keep their reference", async () => {
  const number = "4000000000006041"
  const reference = await lookUpPar(number)
  const { id } = await post("/payments/cards", { number, expiry: EXPIRY })
  const replacement = await vi.waitFor(async () => {
    const card = bodyOf(await service.get(`/payments/cards/${id}`))
    return z.string().parse(card.replacement)
  }, 10_000)
  const { number: replaced } = bodyOf(await service.get(`/payments/cards/${replacement}`))
  expect(await lookUpPar(replaced)).toBe(reference)

  const path = "/payments/account-updater/subscriptions"
  const followed = await post(path, { number: "4242424242424242", merchant })
  const given = "4242420000000000"
  await post(`${path}/${followed.id}/simulate`, { updateType: "new-account-number", number: given })
  expect(await lookUpPar(given)).toBe(await lookUpPar("4242424242424242"))
})

test("fingerprint, BIN, last four digits and what is known of a card are the same, whichever way they are asked for", async () => {
  await fc.assert(
    fc.asyncProperty(number, async (digits) => {
      const token = await tokenOf(digits)
      const printed = await post("/fingerprint", { token })
      const card = await post("/payments/cards", { number: digits, expiry: EXPIRY })
      const lookup = await post("/payments/bin-lookups", { number: digits })
      const insights = [
        await insightOf({ card: { number: digits } }),
        await insightOf({ card: { number: token } }),
      ]
      const networkToken = objectOf(
        (await post("/payments/network-tokens", { card: card.id, merchant })).card,
      )
      const session = await post("/payments/3ds-sessions", {
        merchant,
        card: { number: digits, expiry: EXPIRY },
      })
      const subscription = await post("/payments/account-updater/subscriptions", {
        number: digits,
        expiry: EXPIRY,
        merchant,
      })

      const fingerprints = [
        printed.fingerprint,
        (await post("/fingerprint", { token: card.number })).fingerprint,
        ...insights.map(({ fingerprint }) => fingerprint),
      ]
      expect(fingerprints).toEqual(fingerprints.map(() => printed.fingerprint))

      const metadata = objectOf(printed.metadata)
      const holders = [metadata, card, networkToken, objectOf(session.card), objectOf(subscription.card)]
      if (lookup.brand === "mastercard") {
        const asked = { merchant, card: { number: digits, expiry: EXPIRY }, ...DECLINED }
        holders.push(objectOf((await post("/payments/retry-watches", asked)).card))
      }
      expect(holders.map(({ lastFour }) => lastFour)).toEqual(holders.map(() => digits.slice(-4)))
      expect(metadata.bin).toBe(digits.slice(0, 6))
      expect(card.bin).toBe(digits.slice(0, digits.length < 16 ? 6 : 8))

      const bins = [lookup, ...insights.map(({ bin }) => objectOf(bin)), metadata, card, networkToken]
      for (const name of ["funding", "segment", "country", "currency", "issuer"]) {
        expect([name, ...bins.map((bin) => bin[name])]).toEqual([name, ...bins.map(() => lookup[name])])
      }
      // A number outside of the test ranges has a brand only by its first digits, which no lookup of ranges shows.
      const brands = [card, networkToken, objectOf(subscription.card), objectOf(session.card), metadata]
      expect(brands.map(({ brand }) => brand)).toEqual(brands.map(() => lookup.brand ?? metadata.brand))
    }),
    { numRuns: RUNS, endOnFailure: true },
  )
})

import { readFileSync } from "node:fs"
import { join } from "node:path"
import { SANDBOX_VALUES } from "@sealway/payments/testing"
import { describe, expect, test, vi } from "vitest"
import * as z from "zod"
import { MERCHANT } from "../support/payment-requests.ts"
import { expectProblem } from "../support/problem.ts"
import { type Answer, useService } from "../support/service.ts"
import { BROWSER_STEP, THREE_DS_SESSION } from "../support/three-d-secure-requests.ts"

const service = useService()

const CARD = "4242424242424242"

type Value = (typeof SANDBOX_VALUES)[number]

/** What the service answers for each outcome of the table. */
const INSIGHTS: Readonly<Record<string, object>> = {
  "capabilities.push.enabled is false": {
    capabilities: { push: { enabled: false }, pull: { enabled: true } },
  },
  "capabilities.pull.enabled is false": {
    capabilities: { push: { enabled: true }, pull: { enabled: false } },
  },
  "push and pull are not enabled": { capabilities: { push: { enabled: false }, pull: { enabled: false } } },
  "cvv N no-match": { cvv: { code: "no-match", value: "N" } },
  "cvv P not-processed": { cvv: { code: "not-processed", value: "P" } },
  "cvv S not-present": { cvv: { code: "not-present", value: "S" } },
  "cvv U unsupported": { cvv: { code: "unsupported", value: "U" } },
  "address no-match": { address: { result: { address: "no-match", zip: "match" } } },
  "zip no-match": { address: { result: { address: "match", zip: "no-match" } } },
  "address and zip unavailable": { address: { result: { address: "unavailable", zip: "unavailable" } } },
  "address and zip unknown": { address: { result: { address: "unknown", zip: "unknown" } } },
  "firstName N no-match": { cardholder: { firstName: { code: "no-match", value: "N" } } },
  "firstName P partial-match": { cardholder: { firstName: { code: "partial-match", value: "P" } } },
  "lastName N no-match": { cardholder: { lastName: { code: "no-match", value: "N" } } },
  "lastName P partial-match": { cardholder: { lastName: { code: "partial-match", value: "P" } } },
  "result U unsupported, no parts": { cardholder: { result: { code: "unsupported", value: "U" } } },
  "email N no-match": { email: { code: "no-match", value: "N" } },
  "email P partial-match": { email: { code: "partial-match", value: "P" } },
  "email U unsupported": { email: { code: "unsupported", value: "U" } },
  "phone N no-match": { phone: { code: "no-match", value: "N" } },
  "phone P partial-match": { phone: { code: "partial-match", value: "P" } },
  "phone U unsupported": { phone: { code: "unsupported", value: "U" } },
}

describe("the test values of the sandbox", () => {
  test("are accepted from any API key of a sandbox app, and from no other", async () => {
    const auth = await service.newKey(service.sandbox.app, [])
    expect((await service.get("/payments/sandbox", { auth })).json).toEqual({ data: SANDBOX_VALUES })
    const production = { auth: service.production.auth }
    expectProblem(await service.get("/payments/sandbox", production), "forbidden")
    expectProblem(await service.get("/payments/sandbox", { auth: null }), "unauthorized")
  })

  test("are those of the documentation", async () => {
    const file = join(import.meta.dirname, "../../docs/payments-sandbox.md")
    const rows = SANDBOX_VALUES.map(
      ({ area, field, value, outcome }) => `| ${area} | \`${field}\` | \`${value}\` | ${outcome} |`,
    )
    const table = ["| area | field | value | outcome |", "|---|---|---|---|", ...rows].join("\n")
    expect(readFileSync(file, "utf8")).toContain(`<!-- values -->\n${table}\n<!-- end of values -->`)
  })

  test.each(SANDBOX_VALUES)(
    "provoke what they say: $area $field $value",
    async (value) => {
      await PROVOKE[value.area](value)
    },
    20_000,
  )
})

const PROVOKE: Readonly<Record<Value["area"], (value: Value) => Promise<void>>> = {
  async insights({ field, value, outcome }) {
    const [, member = ""] = field.split(".")
    const given = {
      card: { number: CARD, expiry: { month: "12", year: "40" }, cvv: "123" },
      cardholder: { firstName: "Jo", lastName: "Doe" },
      address: { line1: "1 High Street", city: "Dublin", postalCode: "12345", country: "ie" },
      email: "jo@example.com",
      phone: "00353100009999",
      extensions: ["capabilities", "cvv", "cardholder", "address", "email", "phone"],
    }
    const part = field.split(".")[0] as "card" | "cardholder" | "address" | "email" | "phone"
    const body = { ...given, [part]: member === "" ? value : { ...Object(given[part]), [member]: value } }
    const answer = await service.post("/insights/cards", body)
    expect(answer.status, answer.text).toBe(201)
    expect(answer.json).toMatchObject(INSIGHTS[outcome] ?? { missing: outcome })
    if (outcome.endsWith("no parts")) {
      expect(Object.keys(z.object({ cardholder: z.looseObject({}) }).parse(answer.json).cardholder)).toEqual([
        "result",
      ])
    }
  },

  async par({ value }) {
    expectProblem(await service.post("/payments/par-lookups", { number: value }), "invalid-request")
  },

  async "3ds"({ value, outcome }) {
    const card = { ...THREE_DS_SESSION.card, number: value }
    const created = await service.post("/payments/3ds-sessions", { ...THREE_DS_SESSION, card })
    const { id } = z.object({ id: z.string() }).parse(created.json)
    const step = (body: object) =>
      service.patch(`/frontend/3ds/browser-sessions/${id}`, body, {
        auth: null,
        headers: { "x-service-app-id": service.sandbox.app.id },
      })
    await step(BROWSER_STEP)
    const answer = await step({ browserFingerprint: "complete" })
    expect(answer.status, answer.text).toBe(200)
    const session = (await service.get(`/payments/3ds-sessions/${id}`)).json
    const [status, rest = ""] = outcome.split(/,? /)
    if (outcome.startsWith("a challenge"))
      expect(answer.json).toMatchObject({ nextAction: { type: "challenge" } })
    else if (status === "success") expect(session).toMatchObject({ status, authentication: { flow: rest } })
    else expect(session).toMatchObject({ status, failureReason: rest.replace(",", "") })
    if (outcome.endsWith("cardholderInfo")) {
      expect(session).toMatchObject({ ares: { cardholderInfo: expect.stringMatching(/./) } })
    }
  },

  async merchants({ value, outcome }) {
    const answer = await service.post("/payments/merchants", { ...MERCHANT, name: value })
    expect(statusesOf(answer)).toEqual(new Set([outcome.split(",")[0]]))
  },

  async "apple-pay"({ value, outcome }) {
    const answer = await service.post("/payments/merchants", { ...MERCHANT, applePay: { domains: [value] } })
    const [first, later] = outcome.split(", ")
    expect(domainOf(answer)).toBe(first)
    const { id } = z.object({ id: z.string() }).parse(answer.json)
    if (later === undefined) return
    await vi.waitFor(async () => {
      expect(domainOf(await service.get(`/payments/merchants/${id}`))).toBe(later.split(" ")[0])
    }, 10_000)
  },

  async acquirers({ value, outcome }) {
    const configuration = { network: "visa", bin: "400000", acquirerMerchantIdentifier: value, country: "ie" }
    const answer = await service.post("/payments/acquirers", {
      name: "Bank",
      configurations: [configuration],
    })
    expect(answer.json).toMatchObject({ configurations: [{ state: outcome }] })
  },

  async "network-tokens"({ value, outcome }) {
    const answer = await tokenize(value)
    const [, code] = /^[0-9]{3} (.*)$/.exec(outcome) ?? []
    if (code !== undefined) {
      expect(answer.json).toMatchObject({ code, status: Number(outcome.slice(0, 3)) })
      return
    }
    expect(answer.json).toMatchObject({ status: "provisioning" })
    const { id } = z.object({ id: z.string() }).parse(answer.json)
    await vi.waitFor(async () => {
      expect((await service.get(`/payments/network-tokens/${id}`)).json).toMatchObject({ status: "active" })
    }, 15_000)
  },

  async "card-art"({ value, outcome }) {
    expect(outcome).toBe("404 not-found")
    const { id } = z.object({ id: z.string() }).parse((await tokenize(value)).json)
    expectProblem(await service.get(`/payments/network-tokens/${id}/card-art`), "not-found")
  },

  async "account-updater"({ value, outcome }) {
    const { json } = await service.post("/payments/merchants", MERCHANT)
    const { id: merchant } = z.object({ id: z.string() }).parse(json)
    const path = "/payments/account-updater/subscriptions"
    const answer = await service.post(path, { number: value, merchant })
    const [first, later] = outcome.split(", ")
    expect(answer.json).toMatchObject({ status: first })
    if (later === undefined) return
    const { id } = z.object({ id: z.string() }).parse(answer.json)
    await vi.waitFor(async () => {
      expect((await service.get(`${path}/${id}`)).json).toMatchObject({ status: later.split(" ")[0] })
    }, 10_000)
  },

  async retries({ value, outcome }) {
    const [first = "", later] = outcome.split(", ")
    const watch = await service.post("/payments/retry-watches", {
      merchant: await alertMerchant(),
      card: { number: value, expiry: { month: "12", year: "40" } },
      declinedAmount: 1_000,
      currency: "eur",
      declinedAt: Date.now(),
    })
    expect(watch.json).toMatchObject({ status: first })
    await becomes(`/payments/retry-watches/${idOf(watch)}`, later?.split(" ")[0])
  },

  async "pre-chargeback-alerts"({ value, outcome }) {
    const alert = await service.post("/payments/pre-chargeback-alerts/simulate", {
      merchant: await alertMerchant(),
      network: "ethoca",
      amount: Number(value),
    })
    const path = `/payments/pre-chargeback-alerts/${idOf(alert)}`
    expect(alert.json).toMatchObject({ status: "open" })
    if (outcome.includes("answer")) {
      const answered = await service.patch(path, { outcome: "refunded" })
      expect(answered.json).toMatchObject({ status: "resolved" })
    }
    await becomes(path, "expired")
  },

  async cards({ value, outcome }) {
    const body = { number: value, expiry: { month: "12", year: "40" } }
    const answer = await service.post("/payments/cards", body)
    if (outcome === "automaticUpdates issuer-not-enrolled") {
      expect(answer.json).toMatchObject({ status: "active", automaticUpdates: "issuer-not-enrolled" })
      return
    }
    expect(answer.json).toMatchObject({ status: "active", automaticUpdates: "enabled" })
    const { id } = z.object({ id: z.string() }).parse(answer.json)
    const later = /, ([a-z]+) after/.exec(outcome)?.[1]
    await vi.waitFor(async () => {
      expect((await service.get(`/payments/cards/${id}`)).json).toMatchObject({ status: later })
    }, 10_000)
  },
}

async function tokenize(number: string): Promise<Answer> {
  const { json } = await service.post("/payments/merchants", MERCHANT)
  const { id: merchant } = z.object({ id: z.string() }).parse(json)
  const card = { number, expiry: { month: "12", year: "40" } }
  return service.post("/payments/network-tokens", { card, merchant })
}

async function alertMerchant(): Promise<string> {
  const switches = {
    preChargebackAlerts: { ethoca: { enabled: true } },
    intelligentRetries: { enabled: true },
  }
  return idOf(await service.post("/payments/merchants", { ...MERCHANT, ...switches }))
}

const idOf = ({ json }: Answer): string => z.object({ id: z.string() }).parse(json).id

/** Waits until a record has a status. */
async function becomes(path: string, status: string | undefined): Promise<void> {
  await vi.waitFor(async () => expect((await service.get(path)).json).toMatchObject({ status }), 10_000)
}

function statusesOf({ json }: Answer): ReadonlySet<string> {
  const enrolment = z.array(z.object({ status: z.string() }))
  const { networkTokens } = z.object({ networkTokens: z.object({ enrolment }) }).parse(json)
  return new Set(networkTokens.enrolment.map(({ status }) => status))
}

function domainOf({ json }: Answer): string | undefined {
  const domains = z.array(z.object({ status: z.string() }))
  return z.object({ applePay: z.object({ domains }) }).parse(json).applePay.domains[0]?.status
}

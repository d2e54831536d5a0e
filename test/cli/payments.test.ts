import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import * as z from "zod"
import { CARD, MERCHANT } from "../support/payment-requests.ts"
import { useService } from "../support/service.ts"
import { withFolder } from "../support/start.ts"
import { THREE_DS_SESSION } from "../support/three-d-secure-requests.ts"
import { type CliOptions, runAgainst } from "./cli.ts"

const service = useService()
const sealway = (args: readonly string[], options?: CliOptions) => runAgainst(service, args, options)

const ACQUIRER = {
  name: "Bank",
  configurations: [{ network: "visa", bin: "400000", acquirerMerchantIdentifier: "1", country: "ie" }],
}

describe.each([
  ["merchants", MERCHANT, { shortName: "Shop" }],
  ["acquirers", ACQUIRER, { description: "Other" }],
])("%s", (group, record, changes) => {
  test("are created from a file or standard input, shown, changed, listed and deleted", () =>
    withFolder(async (folder) => {
      const file = join(folder, "record.json")
      await writeFile(file, JSON.stringify(record))
      const created = await sealway([group, "create", file, "-q"])
      expect(created).toMatchObject({ exitCode: 0, stderr: "" })
      const id = created.stdout.trim()
      expect((await sealway([group, "get", id, "--json"])).json()).toMatchObject({ ...record, id })
      const changed = await sealway([group, "update", id, "-", "--json"], { stdin: JSON.stringify(changes) })
      expect(changed.json()).toMatchObject({ ...record, ...changes })
      const listed = (await sealway([group, "list"])).rows()
      expect(listed[0]?.slice(0, 2)).toEqual([id, record.name])
      expect((await sealway([group, "delete", id, "--yes"])).exitCode).toBe(0)
      expect((await sealway([group, "get", id])).exitCode).toBe(4)
    }))

  test("are refused before anything is sent when the file holds no JSON object", async () => {
    const fetch = () => Promise.reject(new Error("Something was sent"))
    for (const stdin of ["", "[]", "null", "{"]) {
      expect(await sealway([group, "create", "-"], { stdin, fetch })).toMatchObject({ exitCode: 2 })
    }
    expect(await sealway([group, "create", "nothing.json"], { fetch })).toMatchObject({ exitCode: 2 })
  })
})

test("lists merchants over several pages, and those with a name", async () => {
  for (let count = 0; count < 52; count++) {
    const created = await service.post("/payments/merchants", { ...MERCHANT, name: `Many ${count}` })
    expect(created.status).toBe(201)
  }
  const lines = async (...args: string[]) =>
    (await sealway(["merchants", "list", "--name", "mAnY", "-q", ...args])).stdout.trim().split("\n")
  expect(await lines()).toHaveLength(10)
  expect(await lines("--limit", "51")).toHaveLength(51)
  expect(await lines("--all")).toHaveLength(52)
  const shown = await sealway(["merchants", "list", "--name", "many"])
  expect(shown.stderr).toContain("10 of 52")
})

test("registers cards from a file or standard input, and shows, changes and deletes them", () =>
  withFolder(async (folder) => {
    const file = join(folder, "card.json")
    await writeFile(file, JSON.stringify(CARD))
    const registered = await sealway(["cards", "register", file, "-q"])
    expect(registered).toMatchObject({ exitCode: 0, stderr: "" })
    const id = registered.stdout.trim()
    expect(
      (await sealway(["cards", "register", "-", "-q"], { stdin: JSON.stringify(CARD) })).stdout.trim(),
    ).toBe(id)
    const shown = await sealway(["cards", "get", id])
    expect(shown.stdout).toContain("42424242...4242 visa")
    expect(shown.stdout).not.toContain(CARD.number)
    const listed = (...options: string[]) => sealway(["cards", "list", "--last-four", "4242", ...options])
    expect((await listed()).stdout).toContain("42424242...4242 visa")
    expect((await listed("--status", "active", "-q")).stdout.trim()).toBe(id)
    expect((await listed("--status", "closed", "-q")).stdout.trim()).toBe("")
    const update = { stdin: JSON.stringify({ updateType: "account-closure" }) }
    expect((await sealway(["cards", "simulate", id, "-", "--json"], update)).json()).toMatchObject({
      status: "closed",
    })
    expect((await sealway(["cards", "delete", id, "--yes"])).exitCode).toBe(0)
    expect((await sealway(["cards", "get", id])).exitCode).toBe(4)
  }))

test("creates, shows, uses, changes and deletes network tokens", async () => {
  const { json } = await service.post("/payments/merchants", MERCHANT)
  const { id: merchant } = z.object({ id: z.string() }).parse(json)
  const made = await sealway(["network-tokens", "create", "-", "-q"], {
    stdin: JSON.stringify({ card: CARD, merchant }),
  })
  expect(made).toMatchObject({ exitCode: 0, stderr: "" })
  const id = made.stdout.trim()
  expect((await sealway(["network-tokens", "get", id])).stdout).toContain("...4242 visa")
  const listed = await sealway(["network-tokens", "list", "--merchant", merchant, "--status", "active", "-q"])
  expect(listed.stdout.trim()).toBe(id)
  const cryptogram = await sealway(["network-tokens", "cryptogram", id, "-q"])
  expect(Buffer.from(cryptogram.stdout.trim(), "base64")).toHaveLength(20)
  expect((await sealway(["network-tokens", "card-art", id])).stdout).toContain("1536 x 969")
  const update = { stdin: JSON.stringify({ updateType: "new-token-status" }) }
  expect((await sealway(["network-tokens", "simulate", id, "-", "--json"], update)).json()).toMatchObject({
    status: "inactive",
  })
  expect((await sealway(["network-tokens", "delete", id, "--yes"])).exitCode).toBe(0)
  expect((await sealway(["network-tokens", "get", id])).exitCode).toBe(4)
})

test("3-D Secure sessions are created, listed by their outcome, and shown with their messages", async () => {
  const body = { ...THREE_DS_SESSION, initiator: { type: "merchant", reason: "other-payment" } }
  const made = await sealway(["3ds-sessions", "create", "-", "-q"], { stdin: JSON.stringify(body) })
  expect(made).toMatchObject({ exitCode: 0, stderr: "" })
  const id = made.stdout.trim()
  const listed = (status: string) => sealway(["3ds-sessions", "list", "--status", status, "-q"])
  expect([(await listed("success")).stdout.trim(), (await listed("failure")).stdout.trim()]).toEqual([id, ""])
  expect((await sealway(["3ds-sessions", "list"])).rows()[0]).toContain("frictionless")
  expect((await sealway(["3ds-sessions", "messages", id])).rows().map(([type]) => type)).toEqual([
    "AReq",
    "ARes",
  ])
})

test("subscriptions to account updates are made, listed, shown, changed and deleted", async () => {
  const { json } = await service.post("/payments/merchants", MERCHANT)
  const { id: merchant } = z.object({ id: z.string() }).parse(json)
  const subscribe = () =>
    sealway(["account-updater", "subscribe", "-", "-q"], { stdin: JSON.stringify({ ...CARD, merchant }) })
  const made = await subscribe()
  expect(made).toMatchObject({ exitCode: 0, stderr: "" })
  const id = made.stdout.trim()
  expect((await subscribe()).stdout.trim()).toBe(id)
  const shown = await sealway(["account-updater", "get", id])
  expect(shown.stdout).toContain("...4242 visa")
  expect(shown.stdout).not.toContain(CARD.number)
  const listed = (status: string) =>
    sealway(["account-updater", "list", "--merchant", merchant, "--status", status, "-q"])
  expect([(await listed("active")).stdout.trim(), (await listed("ended")).stdout.trim()]).toEqual([id, ""])
  const update = { stdin: JSON.stringify({ updateType: "account-closure" }) }
  expect((await sealway(["account-updater", "simulate", id, "-", "--json"], update)).json()).toMatchObject({
    status: "ended",
  })
  expect((await sealway(["account-updater", "delete", id, "--yes"])).exitCode).toBe(0)
  expect((await sealway(["account-updater", "get", id])).exitCode).toBe(4)
})

test("retries are enrolled, cards watched, signalled and let go", async () => {
  const { json } = await service.post("/payments/merchants", MERCHANT)
  const { id: merchant } = z.object({ id: z.string() }).parse(json)
  const enrolled = await sealway(["retry-enrolments", "create", merchant, "-q"])
  expect(enrolled).toMatchObject({ exitCode: 0, stderr: "" })
  const enrolment = enrolled.stdout.trim()
  expect((await sealway(["retry-enrolments", "list", merchant])).stdout).toContain("active")
  expect((await sealway(["retry-enrolments", "get", merchant, enrolment])).stdout).toContain("mastercard")
  const card = { number: "5555555555554444", expiry: { month: "09", year: "39" } }
  const declined = { declinedAmount: 1_000, currency: "eur", declinedAt: Date.now() }
  const stdin = JSON.stringify({ merchant, card, ...declined })
  const made = await sealway(["retry-watches", "create", "-", "-q"], { stdin })
  expect(made).toMatchObject({ exitCode: 0, stderr: "" })
  const id = made.stdout.trim()
  expect((await sealway(["retry-watches", "get", id])).stdout).toContain("...4444 mastercard")
  const filters = ["--merchant", merchant, "--status", "watching"]
  expect((await sealway(["retry-watches", "list", ...filters])).stdout).toContain(id)
  const signal = { stdin: JSON.stringify({ signal: "retry-now" }) }
  expect((await sealway(["retry-watches", "simulate", id, "-", "--json"], signal)).json()).toMatchObject({
    status: "signalled",
  })
  expect((await sealway(["retry-watches", "delete", id, "--yes"])).exitCode).toBe(0)
  expect((await sealway(["retry-watches", "get", id])).exitCode).toBe(4)
  expect((await sealway(["retry-enrolments", "delete", merchant, enrolment, "--yes"])).exitCode).toBe(0)
  expect((await sealway(["retry-enrolments", "get", merchant, enrolment])).exitCode).toBe(4)
})

test("pre-chargeback alerts are simulated, listed, shown and answered", async () => {
  const preChargebackAlerts = { ethoca: { enabled: true } }
  const { json } = await service.post("/payments/merchants", { ...MERCHANT, preChargebackAlerts })
  const { id: merchant } = z.object({ id: z.string() }).parse(json)
  const stdin = JSON.stringify({ merchant, network: "ethoca", amount: 1_234, currency: "eur" })
  const made = await sealway(["pre-chargeback-alerts", "simulate", "-", "-q"], { stdin })
  expect(made).toMatchObject({ exitCode: 0, stderr: "" })
  const id = made.stdout.trim()
  const filters = ["--merchant", merchant, "--network", "ethoca", "--status", "open"]
  expect((await sealway(["pre-chargeback-alerts", "list", ...filters])).stdout).toContain("1234 eur")
  const answer = { stdin: JSON.stringify({ outcome: "declined" }) }
  expect((await sealway(["pre-chargeback-alerts", "update", id, "-"], answer)).stdout).toContain("declined")
  expect((await sealway(["pre-chargeback-alerts", "update", id, "-"], answer)).exitCode).not.toBe(0)
  expect((await sealway(["pre-chargeback-alerts", "get", id])).stdout).toContain("resolved")
})

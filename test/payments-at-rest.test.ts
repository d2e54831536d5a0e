import { randomUUID } from "node:crypto"
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { startLocalService } from "@sealway/local"
import { expect, test } from "vitest"
import * as z from "zod"
import { MERCHANT } from "./support/payment-requests.ts"
import { basic } from "./support/service.ts"

const NUMBER = "4000001357924687"
const NEW_NUMBER = "4000001357924695"
const NEW_TOKEN_NUMBER = "4895371357924682"
const WATCHED_NUMBER = "5200001357924682"
const CVV = "86421357"

/** Sent values that must not be found in any file. */
const SECRETS = [
  ...[NUMBER, NUMBER.slice(0, 10), NUMBER.slice(4, 14), CVV],
  ...["Firstmarker", "Lastmarker", "Linemarker", "Citymarker", "mailmarker", "5559876"],
]

/** A value that stays readable: without it, the test would find nothing anywhere. */
const READABLE = "Tablemarker"

test("leaves no number, security code or cardholder of a request in any file of a data folder", async () => {
  const folder = await mkdtemp(join(tmpdir(), "sealway-at-rest-"))
  try {
    const service = await startLocalService({
      unconfinedFunctions: true,
      port: 0,
      dataFolder: folder,
      hosting: "container",
    })
    const { credentials, url } = service
    const [app] = credentials.apps
    if (app === undefined) throw new Error("The service has no app")
    const asApp = basic({ user: app.id, key: app.apiKey })
    const send = async (path: string, body: unknown, authorization = asApp, method = "POST") => {
      const headers = { "content-type": "application/json", authorization, "idempotency-key": randomUUID() }
      const response = await fetch(url + path, { method, body: JSON.stringify(body), headers })
      return { status: response.status, json: (await response.json()) as unknown }
    }
    const token = (await send("/encrypt", NUMBER)).json
    const cardholder = { firstName: "Firstmarker", lastName: "Lastmarker" }
    const address = { postalCode: "98765", line1: "Linemarker", city: "Citymarker" }
    const contact = { email: "mailmarker@example.com", phone: "0014155559876" }
    const extensions = ["capabilities", "cardholder", "address", "email", "phone", "paymentAccountReference"]
    for (const number of [NUMBER, token]) {
      const card = { number, expiry: { month: "09", year: "39" } }
      const asked = await send("/insights/cards", { card, cardholder, address, ...contact, extensions })
      expect(asked).toMatchObject({ status: 201 })
      expect(await send("/insights/cards", { card: { ...card, cvv: CVV } })).toMatchObject({ status: 400 })
      expect(await send("/payments/bin-lookups", { number })).toMatchObject({ status: 201 })
      expect(await send("/payments/par-lookups", { number })).toMatchObject({ status: 201 })
      await send("/fingerprint", { token })
    }
    const kept = await keepCards(send, token)
    const cryptogram = await keepSessions(send)
    const asTeam = basic({ user: credentials.teamId, key: credentials.teamKey })
    expect(await send("/payments/bin-tables", { name: READABLE }, asTeam)).toMatchObject({ status: 201 })
    await service.close()

    const files = await filesOf(folder)
    const holding = (text: string) =>
      files.filter(({ bytes }) => bytes.includes(text)).map(({ path }) => path)
    expect(holding(READABLE).length).toBeGreaterThan(0)
    const secrets = [...SECRETS, ...kept, cryptogram]
    expect(Object.fromEntries(secrets.map((secret) => [secret, holding(secret)]))).toEqual(
      Object.fromEntries(secrets.map((secret) => [secret, []])),
    )
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})

/** Starts a 3-D Secure session and has another one decided. @returns what must not be found in any file */
async function keepSessions(send: Send): Promise<string> {
  const address = { line1: "Linemarker", city: "Citymarker", postalCode: "98765", country: "ie" }
  const session = {
    merchant: { name: "Shop", website: "https://shop.example.com", categoryCode: "5411", country: "ie" },
    card: { number: NUMBER, expiry: { month: "09", year: "39" } },
    payment: { type: "one-off", amount: 1_000, currency: "eur" },
    customer: {
      name: "Firstmarker Lastmarker",
      email: "mailmarker@example.com",
      billing: { address },
      phone: [{ type: "mobile", countryCode: "1", number: "4155559876" }],
    },
  }
  expect(await send("/payments/3ds-sessions", session)).toMatchObject({ status: 201 })
  const initiator = { type: "merchant", reason: "other-payment" }
  const { json } = await send("/payments/3ds-sessions", { ...session, initiator })
  return z.object({ cryptogram: z.string().length(28) }).parse(json).cryptogram
}

type Send = (
  path: string,
  body: unknown,
  authorization?: string,
  method?: string,
) => Promise<{ status: number; json: unknown }>

/** Registers a card, replaces it, and pays with its network token. @returns what must not be found in any file */
async function keepCards(send: Send, number: unknown): Promise<readonly string[]> {
  const expiry = { month: "09", year: "39" }
  const idOf = async (path: string, body: unknown) => {
    const { status, json } = await send(path, body)
    expect(status).toBeLessThan(300)
    return z.object({ id: z.string() }).parse(json).id
  }
  const card = await idOf("/payments/cards", { number, expiry })
  const merchant = await idOf("/payments/merchants", MERCHANT)
  const network = await idOf("/payments/network-tokens", {
    card: { number: NUMBER, expiry, cvc: "864" },
    merchant,
  })
  await idOf("/payments/network-tokens", { card, merchant })
  const made = await send(`/payments/network-tokens/${network}/cryptograms`, {})
  const { cryptogram } = z.object({ cryptogram: z.string() }).parse(made.json)
  const updates = { updateType: "new-account-number", number: NEW_NUMBER }
  await idOf(`/payments/cards/${card}/simulate`, updates)
  const other = { updateType: "new-token-expiry-and-number", number: NEW_TOKEN_NUMBER }
  await idOf(`/payments/network-tokens/${network}/simulate`, other)
  const subscription = await idOf("/payments/account-updater/subscriptions", { number, expiry, merchant })
  await idOf(`/payments/account-updater/subscriptions/${subscription}/simulate`, updates)
  await keepWatchAndAlert(idOf, send)
  // The routes of a card's number are its BIN and the last four digits: the rest stands nowhere.
  return [
    cryptogram,
    ...[NEW_NUMBER, NEW_TOKEN_NUMBER, WATCHED_NUMBER].flatMap((each) => [each, each.slice(4, 14)]),
  ]
}

/** Has a card watched, and answers an alert, with what must not be found. */
async function keepWatchAndAlert(
  idOf: (path: string, body: unknown) => Promise<string>,
  send: Send,
): Promise<void> {
  const switches = {
    preChargebackAlerts: { ethoca: { enabled: true } },
    intelligentRetries: { enabled: true },
  }
  const merchant = await idOf("/payments/merchants", { ...MERCHANT, name: "Firstmarker", ...switches })
  const card = { number: WATCHED_NUMBER, expiry: { month: "09", year: "39" } }
  const declined = { declinedAmount: 1_000, currency: "eur", declinedAt: Date.now() }
  const watch = await idOf("/payments/retry-watches", { merchant, card, ...declined })
  await idOf(`/payments/retry-watches/${watch}/simulate`, { signal: "retry-now" })
  const alert = await idOf("/payments/pre-chargeback-alerts/simulate", { merchant, network: "ethoca" })
  const answer = { outcome: "declined", comment: "Lastmarker" }
  expect(await send(`/payments/pre-chargeback-alerts/${alert}`, answer, undefined, "PATCH")).toMatchObject({
    status: 200,
  })
}

async function filesOf(folder: string) {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  return Promise.all(paths.map(async (path) => ({ path, bytes: await readFile(path) })))
}

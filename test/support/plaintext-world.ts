import { setTimeout as delay } from "node:timers/promises"
import type { Receiver } from "@sealway/http/testing"
import * as z from "zod"
import { createFileTransfer } from "./file-transfer.ts"
import { codeOf } from "./functions.ts"
import { CARD, MERCHANT, WATCHED_CARD } from "./payment-requests.ts"
import { sendToRelay } from "./relay-request.ts"
import type { Identity, TestService } from "./service.ts"
import { THREE_DS_SESSION } from "./three-d-secure-requests.ts"

/** What customers have encrypted, and what they call a person by. */
export const PLAINTEXT = {
  value: "plain-marker-7f3a",
  person: "person-marker-7f3a",
  cards: [CARD.number, WATCHED_CARD.number, THREE_DS_SESSION.card.number],
} as const

const SOURCE = `export const handler = async (payload) => {
  console.log(JSON.stringify(payload))
  if (payload.fails) throw new Error(payload.value)
  return payload
}`
const idSchema = z.looseObject({ id: z.string() })

/**
 * Sends plaintext into an app by every way in: values, formats, functions, relays, events, honey tokens, data subjects,
 * files, and in a sandbox payments. Some requests fail or are refused, because refusals leave records too.
 *
 * @param receiver destination of the relay and of events
 */
export async function sendPlaintext(service: TestService, { app, auth }: Identity, receiver: Receiver) {
  const { value, person } = PLAINTEXT
  const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
    service.post(path, body, { auth, headers })
  const create = async (path: string, body: unknown, headers: Record<string, string> = {}) => {
    const answer = await post(path, body, headers)
    if (answer.status > 202) throw new Error(`POST ${path} answers ${answer.status}: ${answer.text}`)
    return answer
  }
  const idOf = async (path: string, body: unknown) => idSchema.parse((await create(path, body)).json).id
  const seal = async (headers: Record<string, string> = {}) =>
    z.string().parse((await create("/encrypt", JSON.stringify(value), headers)).json)

  await create("/webhook-endpoints", { url: receiver.url, events: ["*"] })
  const listener = await idOf("/webhook-listeners", { events: ["*"] })
  await create("/data-roles", { slug: "open", name: "Open" })
  await create("/data-roles", { slug: "closed", name: "Closed", accessLog: "strict" })
  await create("/data-policies", { name: "All", effect: "permit", roles: ["open"], conditions: {} })
  const token = await seal({ "x-service-data-role": "open" })
  const ofPerson = await seal({ "x-service-data-subject": person })
  const refused = await seal({ "x-service-data-role": "closed" })
  await create("/decrypt", { [value]: token, ofPerson })
  await post("/decrypt", { [value]: refused })
  for (const path of ["/fingerprint", "/inspect"]) await create(path, { token })
  await create("/client-side-tokens", { action: "api:decrypt", payload: { value: token } })

  const honey = z
    .looseObject({ token: z.string() })
    .parse((await create("/honey-tokens", { name: "Trap", like: token })).json)
  await post("/decrypt", JSON.stringify(honey.token))
  await create("/enclaves", { name: "Checkout", pcrs: { pcr0: "01".repeat(48) } })

  const format = { alphabet: "alphanumeric", lengths: { min: 4, max: 40 }, literals: "-" }
  await create("/formats", { name: "markers", role: "open", ...format })
  const { json: fitting } = await create("/formats/markers/encrypt", [value])
  await create("/formats/markers/decrypt", fitting)
  await create("/formats/markers/rewrap?version=1", fitting)
  await post("/formats/markers/encrypt", [`${value}!`])

  await create("/functions", {
    name: "echo",
    language: "node@24",
    handler: "index.mjs",
    code: codeOf({ "index.mjs": SOURCE }),
  })
  const functionPath = "/functions/echo"
  const statusOf = async (path: string) =>
    z.looseObject({ status: z.string() }).parse((await service.get(path, { auth })).json).status
  while ((await statusOf(functionPath)) === "deploying") await delay(20)
  const payload = { value: token, plain: value }
  await create(`${functionPath}/runs`, { payload }, { "idempotency-key": "once" })
  await create(`${functionPath}/run-tokens`, { payload })
  for (const asked of [payload, { ...payload, fails: true }, { ...payload, ofPerson }]) {
    const { headers } = await create(`${functionPath}/runs`, { payload: asked, async: true })
    while ((await statusOf(headers.get("location") ?? "")) === "scheduled") await delay(20)
  }

  const selections = [{ type: "json", selector: "$.value" }]
  const relayed = await create("/relays", {
    destinationDomain: receiver.url.slice(0, -1),
    leakWatch: "alert",
    routes: [
      {
        path: "/",
        request: [{ action: "encrypt", selections }],
        response: [{ action: "decrypt", selections }],
      },
    ],
  })
  const relay = z.looseObject({ id: z.string(), relayDomain: z.string() }).parse(relayed.json)
  await create(`/relays/${relay.id}/alerts`, { type: "webhook", url: receiver.url })
  await post(`/relays/${relay.id}/custom-domains`, {
    domain: `${app.id.slice(4, 14).toLowerCase()}.example.com`,
  })
  const headers = { "content-type": "application/json", "x-value": value }
  for (const body of [JSON.stringify({ value, card: CARD.number }), `{"value": ${value}`]) {
    await sendToRelay(service.service.relayUrl, { relayDomain: relay.relayDomain, headers, body })
  }

  if (app.environment === "sandbox") {
    await create("/webhook-events", { type: "relay.error" })
    await createFileTransfer(service).upload(Buffer.from(value), { role: "open" }, { auth })
    await pay(create, idOf)
  }
  return { listener }
}

type Create = (path: string, body: unknown) => Promise<{ readonly json: unknown }>

async function pay(create: Create, idOf: (path: string, body: unknown) => Promise<string>): Promise<void> {
  const seal = async (number: string) =>
    z.string().parse((await create("/encrypt", JSON.stringify(number))).json)
  const alerts = { verifi: { enabled: true }, ethoca: { enabled: true } }
  const merchant = await idOf("/payments/merchants", {
    ...MERCHANT,
    preChargebackAlerts: alerts,
    intelligentRetries: { enabled: true },
  })
  await create("/payments/acquirers", {
    name: "Bank",
    configurations: [{ network: "visa", bin: "400000", acquirerMerchantIdentifier: "123456", country: "ie" }],
  })
  const card = { ...CARD, number: await seal(CARD.number) }
  await create("/payments/cards", card)
  const networkToken = await idOf("/payments/network-tokens", { card, merchant })
  await create(`/payments/network-tokens/${networkToken}/cryptograms`, {})
  await create("/payments/account-updater/subscriptions", { number: card.number, merchant })
  const watched = { ...WATCHED_CARD, number: await seal(WATCHED_CARD.number) }
  const declined = { declinedAmount: 1_000, currency: "eur", declinedAt: Date.now() }
  await create("/payments/retry-watches", { card: watched, merchant, ...declined })
  await create("/payments/pre-chargeback-alerts/simulate", { merchant, network: "ethoca" })
  const { card: given, ...session } = THREE_DS_SESSION
  // Without a browser, it succeeds at once.
  const initiator = { type: "merchant", reason: "other-payment" }
  await create("/payments/3ds-sessions", {
    ...session,
    initiator,
    card: { ...given, number: await seal(given.number) },
  })
}

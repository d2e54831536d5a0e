import type { IncomingMessage } from "node:http"
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest"
import * as z from "zod"
import { type Checkout, startCheckout } from "../../examples/checkout/start.mjs"
import { type Browser, type BrowserPage, findChromium, startChromium } from "../support/chromium.ts"
import { useService } from "../support/service.ts"

const service = useService()
const chromium = findChromium()
const WAIT = { timeout: 30_000, interval: 100 }

const CHALLENGED = "4000000000003030"
const UNQUESTIONED = "4000000000003014"
const REFUSED = "4000000000003048"

const chargeSchema = z.object({
  amount: z.number(),
  currency: z.string(),
  card: z.object({ number: z.string(), cryptogram: z.string() }),
  authentication: z.object({ cryptogram: z.string(), eci: z.string() }),
})

let browser: Browser
let checkout: Checkout
/** Everything that the shop's server receives, byte for byte. */
let received = ""
const charges: z.infer<typeof chargeSchema>[] = []

beforeAll(async () => {
  if (chromium === null) return
  browser = await startChromium(chromium)
  const { credentials, relayUrl } = service.service
  const { app, auth } = await service.newApp("sandbox")
  checkout = await startCheckout({
    sealway: { url: service.url, relayUrl, teamKey: credentials.teamKey, appId: app.id, apiKey: auth.key },
    shopPort: 0,
    processorPort: 0,
    onCharge: (charge) => void charges.push(chargeSchema.parse(charge)),
  })
  checkout.server.prependListener("request", (request: IncomingMessage) => {
    received += `${request.method} ${request.url} ${JSON.stringify(request.rawHeaders)}\n`
    request.on("data", (chunk: Buffer | string) => {
      received += `${chunk}\n`
    })
  })
}, 60_000)
afterAll(async () => {
  await browser?.[Symbol.asyncDispose]()
  await checkout?.close()
})

/** Opens the shop and pays with a card, as a customer does. */
async function pay(number: string, cvc = "915"): Promise<BrowserPage> {
  const page = await browser.open(checkout.url)
  await isAt(page, "card")
  await fillIn(page, number, cvc)
  return page
}
const isAt = (page: BrowserPage, part: string) =>
  vi.waitFor(async () => expect(await page.evaluate("document.body.dataset.part")).toBe(part), WAIT)
const FIELDS = "/elements/"
/** Types a card into Sealway's frame, and pays with the enter key. */
async function fillIn(page: BrowserPage, number: string, cvc: string): Promise<void> {
  const frame = await page.frame(service.url + FIELDS)
  await page.evaluate(`document.querySelector("#fields iframe").focus()`)
  await frame?.evaluate(`document.getElementById("number").focus()`)
  for (const text of [number, "0939"]) {
    await page.type(text)
    await page.press("Tab")
  }
  await page.type(cvc)
  await page.press("Enter")
}
const shows = (page: BrowserPage, text: string) =>
  vi.waitFor(async () => expect(await page.evaluate("document.body.innerText")).toContain(text), WAIT)

/** Waits until the bank asks, and answers it. The bank's page is in a frame of Sealway's, which is in a frame of the shop's. */
async function answerBank(page: BrowserPage, act: string): Promise<void> {
  await vi.waitFor(async () => {
    const bank = await page.frame(`${service.url}/sandbox/3ds/challenges/`)
    expect(await bank?.evaluate("document.getElementById('code') !== null")).toBe(true)
    await bank?.evaluate(act)
  }, WAIT)
}
const enter = (code: string) =>
  `(() => { document.getElementById("code").value = "${code}"; document.querySelector("[value=code]").click() })()`

const title =
  chromium === null ? "the example checkout (skipped: no Chromium on this machine)" : "the example checkout"

describe.skipIf(chromium === null)(title, { timeout: 60_000 }, () => {
  test("is paid with the right code, and neither the shop's server nor the processor receives the card", async () => {
    const page = await pay(CHALLENGED)
    await answerBank(page, enter("123456"))
    await shows(page, "Your order is paid")
    expect(await page.evaluate("document.body.innerText")).toContain("ev:debug:QkTC:")
    expect(charges).toHaveLength(1)
    const [charge] = charges
    expect(charge).toMatchObject({
      amount: 1_800,
      currency: "eur",
      card: { number: expect.stringMatching(/^\d{16}$/), cryptogram: expect.stringMatching(/.{20}/) },
      authentication: { cryptogram: expect.stringMatching(/.{20}/), eci: "05" },
    })
    expect(charge?.card.number).not.toBe(CHALLENGED)
    expect(received).toMatch(
      /"number":"ev:debug:QkTC:[^"]+:\$","cvc":"ev:debug:QkTC:[^"]+:\$","expiry":\{"month":"ev:debug:/,
    )
    expect(received).not.toContain(charge?.card.number)
  })

  test("is paid without a question when the bank asks none", async () => {
    const before = charges.length
    const page = await pay(UNQUESTIONED)
    await shows(page, "Your order is paid")
    expect(charges).toHaveLength(before + 1)
    const path = [...received.matchAll(/^POST (\/orders\/[0-9a-f-]{36}\/payment) /gm)].at(-1)?.[1] ?? ""
    const again = await page.evaluate(`Promise.all(Array.from({ length: 5 }, () => ${post(path, {})}))`)
    expect(again).toEqual(Array(5).fill([200, expect.objectContaining({ status: "paid" })]))
    expect(charges).toHaveLength(before + 1)
  })

  test("is not paid with wrong codes, and charges nothing", async () => {
    const before = charges.length
    const page = await pay(CHALLENGED)
    for (let tries = 1; tries <= 3; tries++) {
      await answerBank(page, `${enter("000000")}`)
      if (tries === 3) break
      await vi.waitFor(async () => {
        const bank = await page.frame(`${service.url}/sandbox/3ds/challenges/`)
        const isWrong = await bank?.evaluate(
          `(() => { const alert = document.querySelector("[role=alert]"); alert?.remove(); return alert !== null })()`,
        )
        expect(isWrong).toBe(true)
      }, WAIT)
    }
    await shows(page, "Your card was not charged")
    expect(charges).toHaveLength(before)
  })

  test.each([
    ["the customer cancels", CHALLENGED, `document.querySelector("[value=cancel]").click()`, "You cancelled"],
    ["the bank refuses", REFUSED, null, "could not confirm"],
  ])("is not paid when %s", async (_, number, act, reason) => {
    const before = charges.length
    const page = await pay(number)
    if (act !== null) await answerBank(page, act)
    await shows(page, reason)
    expect(charges).toHaveLength(before)
  })

  test("lets a customer leave the bank, and is paid once with another card", async () => {
    const before = charges.length
    const page = await pay(CHALLENGED)
    await answerBank(page, "0")
    await page.evaluate(`document.querySelector("#bank .leave").click()`)
    await isAt(page, "card")
    expect(await page.evaluate("document.querySelector('#frame iframe')")).toBeNull()
    await fillIn(page, UNQUESTIONED, "915")
    await shows(page, "Your order is paid")
    expect(charges).toHaveLength(before + 1)
  })

  test("says what is wrong with a card before anything is sent", async () => {
    const before = received.length
    const page = await pay("4000000000003031")
    await vi.waitFor(async () => {
      const frame = await page.frame(service.url + FIELDS)
      expect(await frame?.evaluate("document.body.innerText")).toContain("Check the card number")
    }, WAIT)
    expect(received.slice(before)).not.toContain("POST /orders")
  })

  test("believes neither a message that does not come from the bank's page, nor a browser that claims to be done", async () => {
    const before = charges.length
    const page = await pay(CHALLENGED)
    await answerBank(page, "0")
    const [, id = ""] = /"id":"([0-9a-f-]{36})"/.exec(await lastOrder(page)) ?? []
    await page.evaluate(`postMessage({ event: "ev-3ds-trampoline", cres: null }, "*")`)
    const [status, body] = z
      .tuple([z.number(), z.object({ status: z.string() })])
      .parse(await page.evaluate(post(`/orders/${id}/payment`, {})))
    expect([status, body.status]).toEqual([200, "authenticating"])
    expect(await page.evaluate("document.body.dataset.part")).toBe("bank")
    expect(charges).toHaveLength(before)
  })

  test("sends nothing to another origin than the shop's and Sealway's, and nothing unencrypted", async () => {
    const page = await pay(UNQUESTIONED)
    await shows(page, "Your order is paid")
    const asked = z
      .array(z.string())
      .parse(await page.evaluate(`performance.getEntriesByType("resource").map(({ name }) => name)`))
    expect(new Set(asked.map((url) => new URL(url).origin))).toEqual(new Set([checkout.url, service.url]))
    for (const number of [CHALLENGED, UNQUESTIONED, REFUSED]) {
      expect(received).not.toContain(number)
      expect(received).not.toContain(number.replace(/(.{4})(?=.)/g, "$1 "))
    }
    expect(received).not.toMatch(/"915"|\b915\b/)
  })
})

const post = (path: string, body: object) =>
  `fetch("${path}", { method: "POST", headers: { "content-type": "application/json" }, body: '${JSON.stringify(body)}' }).then(async (response) => [response.status, await response.json()])`

/** Returns the shop's answer to the page's order, requested again with the same card. */
async function lastOrder(page: BrowserPage): Promise<string> {
  const line =
    received
      .trim()
      .split("\n")
      .findLast((each) => each.startsWith('{"card"')) ?? "{}"
  return JSON.stringify(await page.evaluate(post("/orders", JSON.parse(line))))
}

import { once } from "node:events"
import { createServer } from "node:http"
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest"
import * as z from "zod"
import { type Browser, type BrowserPage, findChromium, startChromium } from "../support/chromium.ts"
import { useService } from "../support/service.ts"
import {
  CHALLENGE_NUMBER,
  FRICTIONLESS_NUMBER,
  THREE_DS_SESSION,
} from "../support/three-d-secure-requests.ts"

const service = useService()
const chromium = findChromium()
const WAIT = { timeout: 30_000, interval: 200 }

const sessionSchema = z.looseObject({
  id: z.string(),
  status: z.string(),
  nextAction: z.object({ url: z.string() }).optional(),
})

let browser: Browser
beforeAll(async () => {
  if (chromium !== null) browser = await startChromium(chromium)
}, 60_000)
afterAll(() => browser?.[Symbol.asyncDispose]())

async function create(number: string) {
  const body = { ...THREE_DS_SESSION, card: { ...THREE_DS_SESSION.card, number } }
  const { id, nextAction } = sessionSchema.parse((await service.post("/payments/3ds-sessions", body)).json)
  return { id, url: nextAction?.url ?? "" }
}
const show = async (id: string) =>
  sessionSchema.parse((await service.get(`/payments/3ds-sessions/${id}`)).json)
const decided = (id: string, expected: object) =>
  vi.waitFor(async () => expect(await show(id)).toMatchObject(expected), WAIT)

/** The document of the issuer's page, in its frame. */
const ISSUER = `document.querySelector("iframe.challenge")?.contentDocument`

/** Opens a session's page, up to the issuer's. */
async function openChallenge() {
  const session = await create(CHALLENGE_NUMBER)
  const page = await browser.open(session.url)
  await issuerShows(page, "One-time code")
  return { ...session, page }
}
const issuerShows = (page: BrowserPage, text: string) =>
  vi.waitFor(async () => expect(await page.evaluate(`${ISSUER}?.body?.innerText`)).toContain(text), WAIT)
const enter = (page: BrowserPage, code: string) =>
  page.evaluate(
    `(() => { const page = ${ISSUER}; page.getElementById("code").value = "${code}"; page.querySelector("[value=code]").click() })()`,
  )
const hasEnded = (page: BrowserPage) =>
  vi.waitFor(async () => expect(await page.evaluate("document.body.dataset.ended")).toBe("true"), WAIT)

/** Starts a shop's page that frames a session's, and keeps the messages it gets. */
async function startShop(url: string) {
  const page = `<!doctype html><script>
    const told = []
    addEventListener("message", ({ origin, data }) => told.push({ origin, data }))
  </script><iframe src="${url}" onload="told.loaded = true"></iframe>`
  const server = createServer((_, response) => response.setHeader("content-type", "text/html").end(page))
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const address = server.address()
  const port = typeof address === "object" && address !== null ? address.port : 0
  return {
    origin: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
const allow = (origins: readonly string[]) =>
  service.patch(`/apps/${service.sandbox.app.id}`, { allowedOrigins: origins }, { auth: service.team.auth })

const title =
  chromium === null
    ? "a cardholder in a browser (skipped: no Chromium on this machine)"
    : "a cardholder in a browser"

describe.skipIf(chromium === null)(title, { timeout: 120_000 }, () => {
  test("is authenticated without a question", async () => {
    const { id, url } = await create(FRICTIONLESS_NUMBER)
    const page = await browser.open(url)
    await decided(id, { status: "success", authentication: { flow: "frictionless" } })
    await hasEnded(page)
    expect(await page.evaluate("document.body.innerText")).toContain("You can return to the shop")
    const { json } = await service.get(`/payments/3ds-sessions/${id}/messages`)
    expect(json).toMatchObject({ messages: [{ data: { threeDSCompInd: "Y" } }, { type: "ARes" }] })
  })

  test("is authenticated by the right code", async () => {
    const { id, page } = await openChallenge()
    await enter(page, "123456")
    await decided(id, {
      status: "success",
      authentication: { flow: "challenge" },
      cres: { transStatus: { value: "Y" } },
      rreq: { transStatus: { value: "Y" } },
    })
    await hasEnded(page)
  })

  test("is refused after three wrong codes", async () => {
    const { id, page } = await openChallenge()
    for (let tries = 0; tries < 3; tries++) {
      await enter(page, "000000")
      // The page that says so is a new one: its text is removed, so that the next one can be told from it.
      if (tries < 2) await issuerShows(page, "wrong")
      if (tries < 2) await page.evaluate(`${ISSUER}.querySelector("[role=alert]").remove()`)
    }
    await decided(id, { status: "failure", failureReason: "failed-authentication" })
    await hasEnded(page)
  })

  test("can cancel on the issuer's page", async () => {
    const { id, page } = await openChallenge()
    await page.evaluate(`${ISSUER}.querySelector("[value=cancel]").click()`)
    await decided(id, { status: "failure", failureReason: "cancelled" })
    await hasEnded(page)
  })

  test("can cancel on the session's page", async () => {
    const { id, page } = await openChallenge()
    await page.evaluate(`document.getElementById("cancel").click()`)
    await decided(id, { status: "failure", failureReason: "cancelled" })
    await hasEnded(page)
  })

  test("who does nothing leaves the session undecided", async () => {
    const { id, page } = await openChallenge()
    expect(await page.evaluate("document.body.dataset.ended ?? null")).toBeNull()
    expect(await show(id)).toMatchObject({ status: "action-required" })
  })

  test("sees as text what a page posts to the sandbox's issuer", async () => {
    const { page } = await openChallenge()
    const markup = `"><img src=x onerror=alert(1)>'><script>alert(2)</script>`
    await page.evaluate(`(() => {
      const form = ${ISSUER}.querySelector("[value=code]").form
      const field = form.elements.threeDSSessionData ?? form.appendChild(form.ownerDocument.createElement("input"))
      Object.assign(field, { type: "hidden", name: "threeDSSessionData", value: ${JSON.stringify(markup).replaceAll("<", "\\u003c")} })
    })()`)
    await enter(page, "000000")
    await issuerShows(page, "wrong")
    expect(await page.evaluate(`${ISSUER}.querySelector("[name=threeDSSessionData]").value`)).toBe(markup)
    expect(await page.evaluate(`${ISSUER}.querySelectorAll("img, [onerror]").length`)).toBe(0)
  })

  test("cannot open the page a second time", async () => {
    const { url } = await openChallenge()
    const again = await browser.open(url)
    await vi.waitFor(
      async () => expect(await again.evaluate("document.body?.innerText")).toContain("already opened"),
      WAIT,
    )
  })

  test("completes a session in a frame of an allowed origin, which is told of the end", async () => {
    const { id, url } = await create(FRICTIONLESS_NUMBER)
    await using shop = await startShop(url)
    await allow([shop.origin])
    // Apps are cached for so long.
    await vi.waitFor(async () => {
      const { headers } = await service.get(new URL(url).pathname, { auth: null })
      expect(headers.get("content-security-policy")).toContain(shop.origin)
    }, WAIT)
    const page = await browser.open(shop.origin)
    await decided(id, { status: "success" })
    await vi.waitFor(async () => {
      expect(await page.evaluate("told")).toEqual([
        { origin: service.url, data: { event: "ev-3ds-trampoline", cres: null } },
      ])
    }, WAIT)
  })

  test("sees nothing in a frame of another origin, which is told nothing", async () => {
    const { id, url } = await create(FRICTIONLESS_NUMBER)
    await using shop = await startShop(url)
    const page = await browser.open(shop.origin)
    await vi.waitFor(async () => expect(await page.evaluate("told.loaded === true")).toBe(true), WAIT)
    expect(await page.evaluate("told.length")).toBe(0)
    expect(await show(id)).toMatchObject({ status: "action-required" })
    expect((await service.get(new URL(url).pathname, { auth: null })).text).toContain(id)
  })
})

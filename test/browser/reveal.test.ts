import { Sealway } from "@sealway/sdk"
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest"
import { type Browser, type BrowserPage, findChromium, startChromium } from "../support/chromium.ts"
import { allowOrigins, type FieldPages, startFieldPages } from "../support/field-page.ts"
import { useService } from "../support/service.ts"

const service = useService()
const chromium = findChromium()
const WAIT = { timeout: 15_000, interval: 25 }
const NUMBER = "4242424242424242"

let browser: Browser
let shop: FieldPages
let sealway: Sealway
let document: { number: string }
/** Everything that the shop's pages have received from its server. */
const tokens: string[] = []

beforeAll(async () => {
  if (chromium === null) return
  const { user, key } = service.sandbox.auth
  sealway = new Sealway({ appId: user, apiKey: key, baseUrl: service.url })
  ;[browser, shop] = await Promise.all([startChromium(chromium), startFieldPages()])
  document = await sealway.encrypt({ number: NUMBER })
  shop.onRequest = async ({ url = "" }) => {
    const frameKey = new URL(url, shop.origin).searchParams.get("key") ?? ""
    if (url.startsWith("/api/redirect")) {
      return {
        redirect: await sealway.clientTokens.revealUrl(document, frameKey, { teamId: service.team.id }),
      }
    }
    const { token } = await sealway.clientTokens.createForFrame(document, frameKey)
    tokens.push(token)
    return { token, document }
  }
  await allowOrigins(service, [shop.origin])
}, 60_000)
afterAll(async () => {
  await browser?.[Symbol.asyncDispose]()
  await shop?.[Symbol.asyncDispose]()
})

const framePath = () => `/elements/${service.team.id}/${service.sandbox.app.id}/reveal`
const BY_TOKEN = `token: (key) => fetch("/api/token?key=" + key).then((response) => response.json())`
const BY_REDIRECT = `from: "/api/redirect"`

/** Opens a page of the shop that shows a value in a frame, and keeps whatever it can learn. */
async function open(options: string): Promise<BrowserPage> {
  const script = `
    const learned = []
    for (const type of ["message", "copy", "selectionchange", "scroll", "resize"])
      addEventListener(type, (event) => learned.push({ type, data: event.data }), true)
    const sealway = new sdk.SealwayPage(${JSON.stringify({ teamId: service.team.id, appId: service.sandbox.app.id, baseUrl: service.url })})
    const reveal = sealway.reveal("#a", { ${options} })
  `
  return browser.open(
    shop.page(`<body><div id="a"></div><button id="outside">Outside</button>
      <script src="/sdk.js"></script><script>${script}</script>`),
  )
}
const isShown = async (page: BrowserPage) => {
  await vi.waitFor(async () => expect(await page.evaluate("typeof reveal")).toBe("object"), WAIT)
  expect(await page.evaluate("reveal.shown.then(() => 'shown', ({ code }) => code)")).toBe("shown")
}
const inFrame = async (page: BrowserPage, expression: string) =>
  (await page.frame(service.url + framePath()))?.evaluate(expression)
const VALUE = "document.querySelector('.value').textContent"

const title =
  chromium === null ? "a value in a frame (skipped: no Chromium on this machine)" : "a value in a frame"

describe.skipIf(chromium === null)(title, { timeout: 40_000 }, () => {
  test.each([
    ["with a token of the page's server", BY_TOKEN],
    ["by a redirect of the page's server", BY_REDIRECT],
  ])("is shown %s, and nothing of it reaches the page", async (_, how) => {
    const page = await open(`${how}, format: "digits", label: "Your card"`)
    await isShown(page)
    expect(await inFrame(page, VALUE)).toBe("4242 4242 4242 4242")
    expect(await page.evaluate("document.querySelectorAll('iframe').length")).toBe(1)
    const seen = await page.evaluate(
      "document.documentElement.outerHTML + JSON.stringify(learned) + JSON.stringify(performance.getEntries())",
    )
    expect(String(seen)).not.toMatch(/4242 ?4242/)
    const height = await page.evaluate("document.querySelector('iframe').style.height")
    await page.evaluate("reveal.hide()")
    await page.evaluate("reveal.hidden")
    expect(await inFrame(page, VALUE)).toBe("Hidden")
    expect(await page.evaluate("document.querySelector('iframe').style.height")).toBe(height)
  })

  test("is hidden when its time is over", async () => {
    const page = await open(`${BY_TOKEN}, seconds: 1`)
    await isShown(page)
    await page.evaluate("reveal.hidden")
    expect(await inFrame(page, VALUE)).toBe("Hidden")
  })

  test("has the same height however many lines it has", async () => {
    const height = "document.querySelector('iframe').style.height"
    const heights = []
    for (const text of ["one", "one\n\ntwo\nthree\u2028four"]) {
      document = { number: text }
      document = await sealway.encrypt(document)
      const page = await open(BY_TOKEN)
      await isShown(page)
      expect(await inFrame(page, VALUE)).toBe(text)
      await page.evaluate("new Promise((resolve) => setTimeout(resolve, 200))")
      heights.push(await page.evaluate(height))
    }
    document = await sealway.encrypt({ number: NUMBER })
    expect(heights[1]).toBe(heights[0])
  })

  test("does not appear once the page has hidden it", async () => {
    const page = await open(
      `token: async (key) => { const answer = await fetch("/api/token?key=" + key); setTimeout(() => reveal.hide(), 0); return answer.json() }`,
    )
    await vi.waitFor(async () => expect(await page.evaluate("typeof reveal")).toBe("object"), WAIT)
    await page.evaluate("reveal.hidden")
    await page.evaluate("new Promise((resolve) => setTimeout(resolve, 500))")
    expect(await inFrame(page, VALUE)).toBe("Hidden")
  })

  test("fails if the page's server does not redirect, if it is removed, or in a shadow tree", async () => {
    const page = await open(`from: "/api/token"`)
    await vi.waitFor(async () => expect(await page.evaluate("typeof reveal")).toBe("object"), WAIT)
    expect(await page.evaluate("reveal.shown.catch(({ code }) => code)")).toBe("no-token")
    const removed = `(() => { const other = sealway.reveal("#a", { from: "/api/redirect" }); other.remove(); return other.shown.catch(({ code }) => code) })()`
    expect(await page.evaluate(removed)).toBe("frame-removed")
    const shadow = `(() => { const root = document.getElementById("a").attachShadow({ mode: "open" }); root.innerHTML = "<p></p>"; try { sealway.reveal(root.firstChild, { from: "/api/redirect" }) } catch (error) { return error.message } })()`
    expect(await page.evaluate(shadow)).toContain("shadow tree")
  })

  test("is copied by its button, and by nothing else", async () => {
    const page = await open(BY_TOKEN)
    await page.grant(["clipboard-read", "clipboard-write"], shop.origin)
    await isShown(page)
    expect(
      await inFrame(
        page,
        `["copy", "cut", "dragstart"].map((type) => document.querySelector(".value").dispatchEvent(new Event(type, { cancelable: true, bubbles: true })))`,
      ),
    ).toEqual([false, false, false])
    const place = (await inFrame(
      page,
      "(({ x, y, width, height }) => ({ x: x + width / 2, y: y + height / 2 }))(document.querySelector('button').getBoundingClientRect())",
    )) as { x: number; y: number }
    const frame = (await page.evaluate(
      "(({ x, y }) => ({ x, y }))(document.querySelector('iframe').getBoundingClientRect())",
    )) as { x: number; y: number }
    await page.click(frame.x + place.x, frame.y + place.y)
    await vi.waitFor(
      async () => expect(await inFrame(page, "document.querySelector('button').textContent")).toBe("Copied"),
      WAIT,
    )
  })

  test("cannot be had with the page's token, by the page or by a thief", async () => {
    const page = await open(BY_TOKEN)
    await isShown(page)
    const token = tokens.at(-1) ?? ""
    const use = (path: string) =>
      `fetch(${JSON.stringify(service.url + path)}, { method: "POST", headers: { authorization: "Token ${token}", "content-type": "application/json" }, body: ${JSON.stringify(JSON.stringify(document))} }).then(async (response) => [response.status, await response.text()])`
    const [refused] = (await page.evaluate(use("/decrypt"))) as [number, string]
    expect(refused).toBe(401)
    const [status, sealed] = (await page.evaluate(use("/reveal"))) as [number, string]
    expect(status).toBe(200)
    expect(sealed).toMatch(/^\{"sealed":"[\w.-]+"\}$/)
    const thief = await open(`token: () => (${JSON.stringify({ token, document })})`)
    await vi.waitFor(async () => expect(await thief.evaluate("typeof reveal")).toBe("object"), WAIT)
    expect(await thief.evaluate("reveal.shown.catch(({ code }) => code)")).toBe("unexpected-response")
    expect(await inFrame(thief, VALUE)).toBe("This value cannot be shown.")
  })

  test("says why the service refuses", async () => {
    const page = await open(`token: () => ({ token: "none", document: {} })`)
    await vi.waitFor(async () => expect(await page.evaluate("typeof reveal")).toBe("object"), WAIT)
    expect(await page.evaluate("reveal.shown.catch(({ code }) => code)")).toBe("unauthorized")
  })

  test("does not tell a script where a redirect leads, so that it never holds a token", async () => {
    const page = await open(BY_REDIRECT)
    await isShown(page)
    const learned = await page.evaluate(
      `(async () => {
      const attempts = []
      for (const redirect of ["follow", "manual"]) {
        const answer = await fetch("/api/redirect?key=" + sessionKey, { redirect }).catch((error) => error)
        attempts.push(answer.url, answer.type, String(answer.headers?.get("location")), await answer.text?.().catch(() => ""))
      }
      return JSON.stringify(attempts)
    })()`.replace("sessionKey", JSON.stringify(createKey())),
    )
    expect(String(learned)).not.toMatch(/eyJ|ev:debug/)
  })
})

/** The public key of an attacker, a point of the curve. */
function createKey(): string {
  return "BGsX0fLhLEJH-Lzm5WOkQPJ3A32BLeszoPShOUXYmMKWT-NC4v4af5uO5-tKfA-eFivOM1drMV7Oy7ZAaDe_UfU"
}

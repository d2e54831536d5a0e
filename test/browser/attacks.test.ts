// What pages do to frames, and to pages of the service that they would like to frame or to control.
import { Sealway } from "@sealway/sdk"
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest"
import * as z from "zod"
import { type Browser, type BrowserPage, findChromium, startChromium } from "../support/chromium.ts"
import { allowOrigins, type FieldPages, startFieldPages } from "../support/field-page.ts"
import { useService } from "../support/service.ts"
import { CHALLENGE_NUMBER, THREE_DS_SESSION } from "../support/three-d-secure-requests.ts"

const service = useService()
const chromium = findChromium()
const WAIT = { timeout: 15_000, interval: 25 }
const NUMBER = "4242424242424242"
/** What `learned` must never contain. */
const DIGITS = /4242[ -]?4242/
const MARKUP = `"><img src=x onerror=alert(1)><script>alert(2)</script>javascript:alert(3)`

let browser: Browser
let shop: FieldPages
let stranger: FieldPages
let sealway: Sealway
let sealed: { readonly number: string }

beforeAll(async () => {
  if (chromium === null) return
  const { user, key } = service.sandbox.auth
  sealway = new Sealway({ appId: user, apiKey: key, baseUrl: service.url })
  ;[browser, shop, stranger] = await Promise.all([
    startChromium(chromium),
    startFieldPages(),
    startFieldPages(),
  ])
  sealed = await sealway.encrypt({ number: NUMBER })
  shop.onRequest = async ({ url = "" }) => {
    const key = new URL(url, shop.origin).searchParams.get("key") ?? ""
    const { token } = await sealway.clientTokens.createForFrame(sealed, key)
    return { token, document: sealed }
  }
  await allowOrigins(service, [shop.origin])
}, 60_000)
afterAll(async () => {
  await browser?.[Symbol.asyncDispose]()
  await shop?.[Symbol.asyncDispose]()
  await stranger?.[Symbol.asyncDispose]()
})

const frameUrl = (kind: "fields" | "reveal") =>
  `${service.url}/elements/${service.team.id}/${service.sandbox.app.id}/${kind}`
const TOKEN = `token: (key) => fetch("/api/token?key=" + key).then((response) => response.json())`

/** Opens a page of the shop that has a field, or shows a value, and runs `first` before everything else. */
async function open(shown: string, first = ""): Promise<BrowserPage> {
  const options = JSON.stringify({
    teamId: service.team.id,
    appId: service.sandbox.app.id,
    baseUrl: service.url,
  })
  const page = await browser.open(
    shop.page(`<body><div id="a"></div><div id="b"></div><script>const learned = []; ${first}</script>
      <script src="/sdk.js"></script><script>
        addEventListener("message", ({ data }) => learned.push(data), true)
        const sealway = new sdk.SealwayPage(${options})
        const shown = ${shown}
      </script>`),
  )
  await vi.waitFor(async () => expect(await page.evaluate("typeof shown")).toBe("object"), WAIT)
  expect(await page.evaluate("(shown.ready ?? shown.shown).then(() => 'done', ({ code }) => code)")).toBe(
    "done",
  )
  return page
}
const inFrame = async (page: BrowserPage, kind: "fields" | "reveal", expression: string) =>
  (await page.frame(frameUrl(kind)))?.evaluate(expression)

async function typeNumber(page: BrowserPage): Promise<void> {
  await page.evaluate(`document.querySelector("iframe").focus()`)
  await inFrame(page, "fields", `document.getElementById("number").focus()`)
  await page.type(NUMBER)
}
const learnedBy = async (page: BrowserPage) =>
  String(await page.evaluate("JSON.stringify(learned) + document.documentElement.outerHTML"))

/** Keeps both ends of each channel that the page creates, and what arrives at them. */
const STEAL_PORTS = `
  const ports = []
  const { MessageChannel: Channel } = window
  window.MessageChannel = class extends Channel {
    constructor() {
      super()
      ports.push(this.port1)
      this.port1.addEventListener("message", ({ data }) => learned.push(data))
    }
  }`
/** Whatever the protocol knows, and what it does not. */
const ASK_EVERYTHING = `
  for (const type of ["seal", "focus", "blur", "value", "values", "reveal", "show", "get", "state", "copy", "hide"])
    for (const port of ports) port.postMessage({ type, id: 1 })
  new Promise((resolve) => setTimeout(resolve, 1_000))`

const title =
  chromium === null ? "frames under attack (skipped: no Chromium on this machine)" : "frames under attack"

describe.skipIf(chromium === null)(title, { timeout: 60_000 }, () => {
  test("show labels and errors of the page as text", async () => {
    // The page is the merchant's own; in a script of it, the markup must not end the script.
    const markup = JSON.stringify(MARKUP).replaceAll("<", "\\u003c")
    const page = await open(
      `sealway.fields.number("#a", { texts: { number: ${markup}, required: ${markup} } })`,
    )
    await page.evaluate("shown.submit().catch(() => null)")
    expect(await inFrame(page, "fields", "document.querySelector('.error').textContent")).toBe(MARKUP)
    expect(await inFrame(page, "fields", "document.body.innerText")).toContain(MARKUP)
    expect(await inFrame(page, "fields", "document.title")).toBe(MARKUP)
    expect(
      await inFrame(page, "fields", `document.querySelectorAll("img, a, script[src=''], [onerror]").length`),
    ).toBe(0)
    const reveal = await open(`sealway.reveal("#a", { ${TOKEN}, label: ${markup} })`)
    expect(await inFrame(reveal, "reveal", "document.title")).toBe(MARKUP)
    expect(await inFrame(reveal, "reveal", `document.querySelectorAll("img, a, [onerror]").length`)).toBe(0)
  })

  test("show a value as text, whatever it is", async () => {
    const before = sealed
    sealed = await sealway.encrypt({ number: `${MARKUP}\u202E\n{{1}}` })
    const page = await open(`sealway.reveal("#a", { ${TOKEN} })`)
    sealed = before
    expect(await inFrame(page, "reveal", "document.querySelector('.value').textContent")).toContain(MARKUP)
    expect(await inFrame(page, "reveal", "document.querySelector('.value').children.length")).toBe(0)
  })

  test("say nothing of what is typed to a page that has stolen their port", async () => {
    const page = await open(`sealway.fields.number("#a")`, STEAL_PORTS)
    await typeNumber(page)
    await page.evaluate(ASK_EVERYTHING)
    const learned = await learnedBy(page)
    expect(learned).toContain('"sealed"')
    expect(learned).not.toMatch(DIGITS)
  })

  test("say nothing of a value to a page that has stolen their port", async () => {
    const page = await open(`sealway.reveal("#a", { ${TOKEN} })`, STEAL_PORTS)
    await page.evaluate(ASK_EVERYTHING)
    const learned = await learnedBy(page)
    expect(learned).toContain('"shown"')
    expect(learned).not.toMatch(DIGITS)
  })

  test("say nothing of what is typed to another origin that was given their port", async () => {
    const evil = stranger.page(`<script>
      const learned = []
      addEventListener("message", ({ ports: [port] }) => {
        port.onmessage = ({ data }) => learned.push(data)
        port.postMessage({ type: "seal", id: 7 })
      })
    </script>`)
    const page = await open(`sealway.fields.number("#a")`, STEAL_PORTS)
    await typeNumber(page)
    await page.evaluate(`new Promise((resolve) => {
      const frame = document.body.appendChild(document.createElement("iframe"))
      frame.onload = () => { frame.contentWindow.postMessage(null, "*", [ports[0]]); setTimeout(resolve, 1_000) }
      frame.src = ${JSON.stringify(evil)}
    })`)
    const learned = String(await (await page.frame(evil))?.evaluate("JSON.stringify(learned)"))
    expect(learned).toContain('"sealed"')
    expect(learned).not.toMatch(DIGITS)
  })

  test.each([
    ["appended elsewhere", "document.getElementById('b').append(frame)"],
    ["removed and put back", "(frame.remove(), document.getElementById('a').append(frame))"],
    ["put into a shadow tree", "document.getElementById('b').attachShadow({ mode: 'open' }).append(frame)"],
    [
      "put into another document",
      "document.getElementById('b').innerHTML = '<iframe></iframe>'; frames[1].document.body.append(frame)",
    ],
    ["sandboxed", "(frame.sandbox = 'allow-scripts', frame.src = frame.src)"],
    ["reloaded", "frame.src = frame.src"],
  ])("forget what was typed, and tell the page nothing, when their element is %s", async (_, move) => {
    for (const kind of ["fields", "reveal"] as const) {
      const shown = kind === "fields" ? `sealway.fields.number("#a")` : `sealway.reveal("#a", { ${TOKEN} })`
      const page = await open(shown, STEAL_PORTS)
      if (kind === "fields") await typeNumber(page)
      await page.evaluate(`(() => { const frame = document.querySelector("iframe"); ${move} })()`)
      await page.evaluate(ASK_EVERYTHING)
      const typed = (await page.frames(frameUrl("fields"))).map((frame) =>
        frame.evaluate("[...document.querySelectorAll('input')].map(({ value }) => value)"),
      )
      expect((await Promise.all(typed)).flat().filter((value) => value !== "")).toEqual([])
      expect(await learnedBy(page)).not.toMatch(DIGITS)
    }
  })

  test("tell the page nothing of a value by their size, however narrow they are and whatever font they have", async () => {
    const before = sealed
    const measured: unknown[] = []
    for (const number of ["1", "W".repeat(200), "4242 4242 4242 4242", "one\ntwo\nthree"]) {
      sealed = await sealway.encrypt({ number })
      const page = await open(`sealway.reveal("#a", { ${TOKEN}, theme: { fontSize: "30px" } })`, STEAL_PORTS)
      const sizes = await page.evaluate(`(async () => {
        const frame = document.querySelector("iframe")
        const sizes = []
        for (const width of ["600px", "120px", "20px", "1px"]) {
          frame.style.width = width
          await new Promise((resolve) => setTimeout(resolve, 250))
          sizes.push([frame.style.height, frame.scrollHeight, frame.scrollWidth, document.documentElement.scrollHeight])
        }
        return sizes
      })()`)
      measured.push([sizes, await page.evaluate("learned.filter(({ type }) => type === 'height')")])
    }
    sealed = before
    for (const each of measured) expect(each).toEqual(measured[0])
  })

  test("work for nobody who opens their page in a window", async () => {
    const page = await browser.open(shop.page("<body>"))
    for (const kind of ["fields", "reveal"] as const) {
      const answers = await page.evaluate(`(async () => {
        const opened = open(${JSON.stringify(frameUrl(kind))})
        await new Promise((resolve) => setTimeout(resolve, 1_000))
        const { port1, port2 } = new MessageChannel()
        const answers = []
        port1.onmessage = ({ data }) => answers.push(data)
        const appearance = { theme: {}, scheme: "auto", locale: null, texts: {}, showLabels: true, isDisabled: false, brand: null }
        const settings = ${kind === "fields" ? `{ kind: "number", role: null, minLength: 1, maxLength: 9, isMasked: false }` : `{ field: null, format: "text", showsForSeconds: 60, hasCopyButton: false }`}
        opened.postMessage({ sealway: 1, settings, appearance }, "*", [port2])
        await new Promise((resolve) => setTimeout(resolve, 500))
        opened.close()
        return answers
      })()`)
      expect({ kind, answers }).toEqual({ kind, answers: [] })
    }
  })
})

const sessionSchema = z.looseObject({ nextAction: z.object({ url: z.string() }) })

describe.skipIf(chromium === null)(`${title}: pages of the service`, { timeout: 60_000 }, () => {
  const embeddings = {
    iframe: (url: string) => `<iframe src="${url}"></iframe>`,
    "sandboxed iframe": (url: string) =>
      `<iframe sandbox="allow-scripts allow-forms allow-same-origin allow-popups" src="${url}"></iframe>`,
    object: (url: string) => `<object data="${url}" type="text/html"></object>`,
    embed: (url: string) => `<embed src="${url}" type="text/html">`,
    "nested iframe": (url: string) => `<iframe srcdoc="<iframe src='${url}'></iframe>"></iframe>`,
  }

  test.each(Object.entries(embeddings))(
    "are shown by no page of another origin, in an %s",
    async (_, embed) => {
      const own = stranger.page("<p>shown</p>")
      const session = await service.post("/payments/3ds-sessions", {
        ...THREE_DS_SESSION,
        card: { ...THREE_DS_SESSION.card, number: CHALLENGE_NUMBER },
      })
      const { nextAction } = sessionSchema.parse(session.json)
      const urls = [
        "/",
        "/dashboard",
        "/dashboard/team/apps",
        "/sign-in",
        "/docs",
        "/nothing",
        frameUrl("reveal"),
        nextAction.url,
      ].map((path) => new URL(path, service.url).href)
      const page = await browser.open(stranger.page([own, ...urls].map((url) => embed(url)).join("")))
      await page.evaluate(
        "new Promise((resolve) => document.readyState === 'complete' ? resolve() : addEventListener('load', resolve))",
      )
      await page.evaluate("new Promise((resolve) => setTimeout(resolve, 500))")
      const [control] = await page.frames(own)
      expect(await control?.evaluate("document.body.innerText")).toBe("shown")
      const shown = await Promise.all(
        (await page.frames(service.url)).map((frame) =>
          frame.evaluate("location.pathname + ' ' + document.body?.innerText"),
        ),
      )
      // JSON has nothing to click.
      expect(shown.filter((text) => !/^\S+ \{"code":/.test(String(text)))).toEqual([])
    },
  )

  test.each(["/dashboard", "/sign-in", "/docs"])(
    "are out of reach of the page that opened %s",
    async (path) => {
      const page = await browser.open(stranger.page("<body>"))
      const reached = await page.evaluate(`(async () => {
        const opened = open(${JSON.stringify(service.url + path)})
        // A browsing context of its own is closed to its opener.
        for (let tries = 0; tries < 100 && !opened.closed; tries++) await new Promise((resolve) => setTimeout(resolve, 50))
        return opened.closed
      })()`)
      expect(reached).toBe(true)
    },
  )
})

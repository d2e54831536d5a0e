import { readFileSync } from "node:fs"
import { join } from "node:path"
import { Sealway } from "@sealway/sdk"
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest"
import { type Browser, type BrowserPage, findChromium, startChromium } from "../support/chromium.ts"
import { allowOrigins, type FieldPages, startFieldPages } from "../support/field-page.ts"
import { useService } from "../support/service.ts"
import { ROOT } from "../support/start.ts"

const service = useService()
const chromium = findChromium()
const WAIT = { timeout: 15_000, interval: 25 }
const AXE = readFileSync(join(ROOT, "node_modules/axe-core/axe.min.js"), "utf8")

let browser: Browser
let shop: FieldPages
let reactShop: FieldPages
let sealway: Sealway

beforeAll(async () => {
  if (chromium === null) return
  const { user, key } = service.sandbox.auth
  sealway = new Sealway({ appId: user, apiKey: key, baseUrl: service.url })
  ;[browser, shop, reactShop] = await Promise.all([
    startChromium(chromium),
    startFieldPages(),
    startFieldPages(true),
  ])
  await allowOrigins(service, [shop.origin, reactShop.origin])
}, 60_000)
afterAll(async () => {
  await browser?.[Symbol.asyncDispose]()
  await shop?.[Symbol.asyncDispose]()
  await reactShop?.[Symbol.asyncDispose]()
})

const framePath = () => `/elements/${service.team.id}/${service.sandbox.app.id}`
const options = () => ({ teamId: service.team.id, appId: service.sandbox.app.id, baseUrl: service.url })
const framesOf = (page: BrowserPage) => page.frames(`${service.url}${framePath()}`)
const until = (page: BrowserPage, expression: string, expected: unknown) =>
  vi.waitFor(async () => expect(await page.evaluate(expression)).toEqual(expected), WAIT)

async function typeCard(page: BrowserPage): Promise<void> {
  const [frame] = await framesOf(page)
  await page.evaluate(`document.querySelector("iframe").focus()`)
  await frame?.evaluate(`document.getElementById("number").focus()`)
  await page.type("4242424242424242")
  await page.press("Tab")
  await page.type("1239")
  await page.press("Tab")
  await page.type("123")
}

const title =
  chromium === null ? "fields in a framework (skipped: no Chromium on this machine)" : "fields in a framework"

describe.skipIf(chromium === null)(title, { timeout: 40_000 }, () => {
  test("are React components, also in strict mode, and are submitted by their ref", async () => {
    const page = await browser.open(
      reactShop.page(`<body><div id="root"></div><script src="/sdk.js"></script><script>
        const { React, createRoot, SealwayProvider, CardFields } = sdk
        const h = React.createElement
        const seen = { ready: 0, changes: [] }
        const card = React.createRef()
        let setLook
        function App() {
          const [look, set] = React.useState({ locale: "en" })
          setLook = set
          return h(CardFields, { ref: card, ...look, onReady: () => seen.ready++, onChange: (state) => seen.changes.push(state) })
        }
        const root = createRoot(document.getElementById("root"))
        root.render(h(React.StrictMode, null, h(SealwayProvider, ${JSON.stringify(options())}, h(App))))
      </script>`),
    )
    await until(page, "seen.ready", 1)
    expect(await page.evaluate("document.querySelectorAll('iframe').length")).toBe(1)
    await typeCard(page)
    await until(page, "seen.changes.at(-1)?.isComplete", true)
    await page.evaluate(`setLook({ locale: "de", scheme: "dark" })`)
    await vi.waitFor(async () => {
      const [frame] = await framesOf(page)
      expect(await frame?.evaluate("document.querySelector('.number label').textContent")).toBe(
        "Kartennummer",
      )
    }, WAIT)
    const { number } = (await page.evaluate("card.current.submit()")) as { number: string }
    expect(await sealway.decrypt(number)).toBe("4242424242424242")
    await page.evaluate("root.unmount()")
    await until(page, "document.querySelectorAll('iframe').length", 0)
  })

  test("show values in React, and say when they are shown", async () => {
    const document = await sealway.encrypt({ iban: "IE29AIBK93115212345678" })
    reactShop.onRequest = async ({ url = "" }) => {
      const key = new URL(url, reactShop.origin).searchParams.get("key") ?? ""
      return { redirect: await sealway.clientTokens.revealUrl(document, key, { teamId: service.team.id }) }
    }
    const page = await browser.open(
      reactShop.page(`<body><div id="root"></div><script src="/sdk.js"></script><script>
        const { React, createRoot, SealwayProvider, Reveal } = sdk
        const h = React.createElement
        const seen = []
        createRoot(document.getElementById("root")).render(h(SealwayProvider, ${JSON.stringify(options())},
          h(Reveal, { from: "/api/iban", label: "IBAN", onShown: () => seen.push("shown"), onError: ({ code }) => seen.push(code) })))
      </script>`),
    )
    await until(page, "seen", ["shown"])
    const [frame] = await framesOf(page)
    expect(await frame?.evaluate("document.querySelector('.value').textContent")).toBe(
      "IE29AIBK93115212345678",
    )
  })

  test("are an element of HTML, which begins anew when it is moved", async () => {
    const { teamId, appId, baseUrl } = options()
    const page = await browser.open(
      shop.page(`<body><form id="a"></form><section id="b"><sealway-fields team-id="${teamId}" app-id="${appId}" base-url="${baseUrl}" locale="fr"></sealway-fields></section>
        <script src="/sdk.js"></script><script>
        let ready = 0
        const states = []
        addEventListener("sealway-ready", () => ready++)
        addEventListener("sealway-change", ({ detail }) => states.push(detail))
        sdk.defineSealwayElements()
        const element = document.querySelector("sealway-fields")
      </script>`),
    )
    await until(page, "ready", 1)
    await typeCard(page)
    await until(page, "states.at(-1)?.isComplete", true)
    const { cvc } = (await page.evaluate("element.submit()")) as { cvc: string }
    expect(await sealway.decrypt(cvc)).toBe("123")
    await page.evaluate(`element.setAttribute("disabled", ""); element.theme = { color: "#123456" }`)
    await vi.waitFor(async () => {
      const [frame] = await framesOf(page)
      expect(
        await frame?.evaluate(
          "[document.getElementById('cvc').disabled, getComputedStyle(document.body).color]",
        ),
      ).toEqual([true, "rgb(18, 52, 86)"])
    }, WAIT)
    await page.evaluate(`document.getElementById("a").append(element)`)
    await until(page, "ready", 2)
    expect(await page.evaluate("element.fields.state.isEmpty")).toBe(true)
  })
})

describe.skipIf(chromium === null)(`${title}: for everybody`, { timeout: 60_000 }, () => {
  const LOOKS = [
    ["light", { scheme: "light" }],
    ["dark", { scheme: "dark" }],
    ["from right to left", { locale: "ar" }],
    ["without labels", { showLabels: false }],
  ] as const

  test.each(LOOKS)("have no fault that axe knows, %s", async (_, look) => {
    const page = await openFields(look)
    const [frame] = await framesOf(page)
    // A frame shows what is behind it, which is dark in a dark page. Axe cannot see that.
    const paint = `document.documentElement.style.background = "${"scheme" in look && look.scheme === "dark" ? "#111" : "#fff"}"`
    for (const place of [frame, page]) await place?.evaluate(paint)
    await page.evaluate("fields.submit().catch(() => {})")
    for (const place of [frame, page]) {
      await place?.evaluate(`${AXE}; 0`)
      const found = await place?.evaluate(
        // Frames have no headings and landmarks: they are parts of a page.
        `axe.run(document, { iframes: false, rules: { region: { enabled: false }, "landmark-one-main": { enabled: false }, "page-has-heading-one": { enabled: false } } }).then(({ violations }) => violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)]))`,
      )
      expect(found).toEqual([])
    }
  })

  test("have the names, states and autofill that screen readers and browsers read", async () => {
    const page = await openFields({})
    const [frame] = await framesOf(page)
    await page.evaluate("fields.submit().catch(() => {})")
    const inputs = await frame?.evaluate(
      `[...document.querySelectorAll("input")].map((input) => [input.labels[0].textContent, input.autocomplete, input.name, input.inputMode, input.getAttribute("aria-invalid"), document.getElementById(input.getAttribute("aria-describedby")).textContent])`,
    )
    expect(inputs).toEqual([
      ["Card number", "cc-number", "cc-number", "numeric", "true", "Required."],
      ["Expiry date", "cc-exp", "cc-exp", "numeric", "true", "Required."],
      ["Security code", "cc-csc", "cc-csc", "numeric", "true", "Required."],
    ])
  })

  test("are reached by Tab from the page, in order, and left again", async () => {
    const page = await openFields({})
    const [frame] = await framesOf(page)
    await page.evaluate(`document.getElementById("before").focus()`)
    const focused = async () => {
      const outer = await page.evaluate("document.activeElement.id || document.activeElement.tagName")
      return outer === "IFRAME" ? frame?.evaluate("document.activeElement.id") : outer
    }
    for (const next of ["number", "expiry", "cvc", "after"]) {
      await page.press("Tab")
      await vi.waitFor(async () => expect(await focused()).toBe(next))
    }
  })

  test("fit a phone, and do not move for those who want no motion", async () => {
    const page = await openFields({})
    await page.command("Emulation.setDeviceMetricsOverride", {
      width: 320,
      height: 640,
      deviceScaleFactor: 1,
      mobile: true,
    })
    await page.command("Emulation.setEmulatedMedia", {
      features: [{ name: "prefers-reduced-motion", value: "reduce" }],
    })
    const [frame] = await framesOf(page)
    await vi.waitFor(async () => {
      expect(await frame?.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBe(true)
      const heights = [
        await frame?.evaluate("Math.ceil(document.body.getBoundingClientRect().height)"),
        await page.evaluate("document.querySelector('iframe').clientHeight"),
      ]
      expect(heights[0]).toBe(heights[1])
    }, WAIT)
  })

  async function openFields(look: object): Promise<BrowserPage> {
    const page = await browser.open(
      shop.page(`<meta name="viewport" content="width=device-width"><body><button id="before">Before</button><div id="a"></div><button id="after">After</button>
        <script src="/sdk.js"></script><script>
        const fields = new sdk.SealwayPage(${JSON.stringify(options())}).fields.card("#a", { locale: "en", ...${JSON.stringify(look)} })
      </script>`),
    )
    await until(page, "fields.ready.then(() => 'ready')", "ready")
    return page
  }
})

import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { env } from "node:process"
import { Sealway } from "@sealway/sdk"
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest"
import { type Browser, findChromium, startChromium } from "../support/chromium.ts"
import { allowOrigins, type FieldPages, startFieldPages } from "../support/field-page.ts"
import { useService } from "../support/service.ts"
import { ROOT } from "../support/start.ts"

const service = useService()
const chromium = findChromium()
const WAIT = { timeout: 15_000, interval: 25 }
const FOLDER = join(ROOT, "docs/images")
const WIDTH = 440

let browser: Browser
let shop: FieldPages

beforeAll(async () => {
  if (chromium === null) return
  ;[browser, shop] = await Promise.all([startChromium(chromium), startFieldPages()])
  const { user, key } = service.sandbox.auth
  const sealway = new Sealway({ appId: user, apiKey: key, baseUrl: service.url })
  const document = await sealway.encrypt({ number: "4242424242424242" })
  shop.onRequest = async ({ url = "" }) => {
    const frameKey = new URL(url, shop.origin).searchParams.get("key") ?? ""
    return { ...(await sealway.clientTokens.createForFrame(document, frameKey)), document }
  }
  await allowOrigins(service, [shop.origin])
}, 60_000)
afterAll(async () => {
  await browser?.[Symbol.asyncDispose]()
  await shop?.[Symbol.asyncDispose]()
})

const framePath = () => `/elements/${service.team.id}/${service.sandbox.app.id}`
const PICTURES = [
  {
    file: "card-fields-light.png",
    paper: "#fff",
    show: `fields.card("#a", { scheme: "light", locale: "en" })`,
  },
  {
    file: "card-fields-dark.png",
    paper: "#14171a",
    show: `fields.card("#a", { scheme: "dark", locale: "de" })`,
  },
  {
    file: "card-fields-arabic.png",
    paper: "#fff",
    show: `fields.card("#a", { scheme: "light", locale: "ar" })`,
  },
  {
    file: "card-fields-reveal.png",
    paper: "#fff",
    show: `reveal("#a", { scheme: "light", locale: "en", label: "Your card", format: "digits", token: (key) => fetch("/api/token?key=" + key).then((response) => response.json()) })`,
  },
] as const

const title =
  chromium === null
    ? "pictures of card fields (skipped: no Chromium on this machine)"
    : "pictures of card fields"

describe.skipIf(chromium === null)(title, { timeout: 40_000 }, () => {
  test.each(PICTURES)("$file shows what the page of the documents says", async ({ file, paper, show }) => {
    const options = { teamId: service.team.id, appId: service.sandbox.app.id, baseUrl: service.url }
    const page = await browser.open(
      shop.page(`<body style="margin:16px;background:${paper}"><div id="a"></div><script src="/sdk.js"></script>
        <script>const shown = new sdk.SealwayPage(${JSON.stringify(options)}).${show}</script>`),
    )
    const size = { width: WIDTH, height: 400, deviceScaleFactor: 2, mobile: false }
    await page.command("Emulation.setDeviceMetricsOverride", size)
    await vi.waitFor(async () => {
      expect(await page.evaluate("(shown.ready ?? shown.shown).then(() => 'ready')")).toBe("ready")
    }, WAIT)
    const [frame] = await page.frames(service.url + framePath())
    if (show.startsWith("fields")) {
      await page.evaluate(`document.querySelector("iframe").focus()`)
      await frame?.evaluate(`document.getElementById("number").focus()`)
      for (const text of ["4242424242424242", "0139"]) {
        await page.type(text)
        await page.press("Tab")
      }
      await page.type("12")
      await page.evaluate("shown.submit().catch(() => document.activeElement.blur())")
    }
    const height = Number(await page.evaluate("document.querySelector('iframe').clientHeight")) + 32
    const clip = { x: 0, y: 0, width: WIDTH, height, scale: 1 }
    const { data } = await page.command("Page.captureScreenshot", { format: "png", clip })
    const picture = Buffer.from(String(data), "base64")
    if (env.SEALWAY_WRITE_PICTURES === "true") {
      mkdirSync(FOLDER, { recursive: true })
      writeFileSync(join(FOLDER, file), picture)
    }
    // Other fonts give other pixels; a picture of another size shows something else.
    expect(sizeOf(picture)).toEqual(sizeOf(readFileSync(join(FOLDER, file))))
  })
})

/** The width and the height of a PNG. */
const sizeOf = (png: Buffer) => [png.readUInt32BE(16), Math.round(png.readUInt32BE(20) / 100)]

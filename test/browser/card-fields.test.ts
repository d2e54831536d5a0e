import { Sealway } from "@sealway/sdk"
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest"
import { type Browser, type BrowserPage, findChromium, startChromium } from "../support/chromium.ts"
import { allowOrigins, type FieldPages, startFieldPages } from "../support/field-page.ts"
import { useService } from "../support/service.ts"

const service = useService()
const chromium = findChromium()
const WAIT = { timeout: 15_000, interval: 25 }
/** Where Chromium is when it does not show a frame. */
const REFUSED = "chrome-error://chromewebdata/"
const NUMBER = "4242424242424242"

let browser: Browser
let shop: FieldPages
let stranger: FieldPages
let sealway: Sealway

beforeAll(async () => {
  if (chromium === null) return
  const { user, key } = service.sandbox.auth
  sealway = new Sealway({ appId: user, apiKey: key, baseUrl: service.url })
  ;[browser, shop, stranger] = await Promise.all([
    startChromium(chromium),
    startFieldPages(),
    startFieldPages(),
  ])
  await service.newRole(service.sandbox.app, "pci")
  const policy = { name: "Tests", effect: "permit", roles: ["pci"], conditions: { sources: ["api"] } }
  await service.post("/data-policies", policy)
  await allowOrigins(service, [shop.origin])
}, 60_000)
afterAll(async () => {
  await browser?.[Symbol.asyncDispose]()
  await shop?.[Symbol.asyncDispose]()
  await stranger?.[Symbol.asyncDispose]()
})

const framePath = () => `/elements/${service.team.id}/${service.sandbox.app.id}/fields`
const frameUrl = () => service.url + framePath()
/** What a page of the shop writes to show fields, and to keep whatever it can learn. */
const script = (fields: string) => `
  const learned = []
  for (const type of ["keydown", "keyup", "keypress", "input", "beforeinput", "paste", "copy", "drop", "message", "selectionchange", "scroll", "resize"])
    addEventListener(type, (event) => learned.push({ type, key: event.key, data: event.data, origin: event.origin }), true)
  const sealway = new sdk.SealwayPage(${JSON.stringify({ teamId: service.team.id, appId: service.sandbox.app.id, baseUrl: service.url })})
  const events = []
  const fields = ${fields}
  for (const name of ["change", "focus", "blur", "enter"])
    fields.on(name, (event) => events.push({ name, ...event }))
`
const html = (fields: string, more = "") =>
  `<body><div id="a"></div><div id="b"></div><div id="c"></div><button id="outside">Outside</button>${more}
  <script src="/sdk.js"></script><script>${script(fields)}</script>`

/** Opens a page of the shop with fields, ready to be typed into. */
async function open(fields: string, more = ""): Promise<BrowserPage> {
  const page = await browser.open(shop.page(html(fields, more)))
  await vi.waitFor(
    async () => expect(await page.evaluate("fields.ready.then(() => 'ready')")).toBe("ready"),
    WAIT,
  )
  return page
}
const focus = async (page: BrowserPage, input: string, index = 0) => {
  const frames = await page.frames(frameUrl())
  await page.evaluate(`document.querySelectorAll("iframe")[${index}].focus()`)
  await frames[index]?.evaluate(`document.getElementById("${input}").focus()`)
}
const inFrame = async (page: BrowserPage, expression: string, index = 0) =>
  (await page.frames(frameUrl()))[index]?.evaluate(expression)
const eventsOf = (page: BrowserPage, name: string) =>
  page.evaluate(`events.filter((event) => event.name === "${name}")`)
const changed = (page: BrowserPage, state: object) =>
  vi.waitFor(async () => expect(await page.evaluate("fields.state")).toMatchObject(state), WAIT)

const title = chromium === null ? "card fields (skipped: no Chromium on this machine)" : "card fields"

describe.skipIf(chromium === null)(title, { timeout: 40_000 }, () => {
  test("are filled in by keyboard, and become tokens that the service opens with their role", async () => {
    const page = await open(`sealway.fields.card("#a", { role: "pci" })`)
    await focus(page, "number")
    await page.type(NUMBER)
    expect(await inFrame(page, "document.getElementById('number').value")).toBe("4242 4242 4242 4242")
    await page.press("Tab")
    await page.type("1239")
    await page.press("Tab")
    await page.type("123")
    await changed(page, { isEmpty: false, isComplete: true, brand: "visa", lastFour: "4242" })
    const sealed = (await page.evaluate("fields.submit()")) as {
      number: string
      cvc: string
      expiry: { month: string; year: string }
    }
    expect(sealed).toMatchObject({ brand: "visa", lastFour: "4242" })
    expect(JSON.stringify(sealed)).not.toContain(NUMBER)
    const { number, cvc, expiry } = sealed
    for (const token of [number, cvc, expiry.month, expiry.year]) expect(token).toMatch(/^ev:debug:QkTC:/)
    expect(await sealway.decrypt({ number, cvc, expiry })).toEqual({
      number: NUMBER,
      cvc: "123",
      expiry: { month: "12", year: "39" },
    })
  })

  test("in three frames know the brand from each other", async () => {
    const page = await open(`sealway.fields.card({ number: "#a", expiry: "#b", cvc: "#c" })`)
    await focus(page, "cvc", 2)
    await page.type("123")
    await focus(page, "expiry", 1)
    await page.type("1/39")
    await focus(page, "number", 0)
    await page.type("378282246310005")
    await changed(page, { isComplete: false, brand: "american-express" })
    expect(await page.evaluate("fields.submit().catch(({ code, problems }) => [code, problems])")).toEqual([
      "invalid-fields",
      { cvc: "invalid" },
    ])
    await focus(page, "cvc", 2)
    await page.type("4")
    await changed(page, { isComplete: true, lastFour: "0005" })
    const sealed = (await page.evaluate("fields.submit()")) as { expiry: object; cvc: string }
    expect(await sealway.decrypt({ ...sealed.expiry, cvc: sealed.cvc })).toEqual({
      month: "01",
      year: "39",
      cvc: "1234",
    })
  })

  test("say what is wrong in the frame, and only required or invalid to the page", async () => {
    const page = await open(`sealway.fields.card("#a")`)
    await focus(page, "number")
    await page.type("4242424242424243")
    await page.press("Tab")
    await page.type("0120")
    await page.press("Tab")
    expect(await page.evaluate("fields.submit().catch(({ problems }) => problems)")).toEqual({
      number: "invalid",
      expiry: "invalid",
      cvc: "required",
    })
    const texts = (await inFrame(
      page,
      "[...document.querySelectorAll('.error')].map((error) => error.textContent)",
    )) as string[]
    expect(texts).toEqual(["Check the card number.", "This card has expired.", "Required."])
  })

  test("answer whoever waits for tokens when they are removed", async () => {
    const page = await open(`sealway.fields.card("#a")`)
    const submitted = "fields.submit().catch(({ code }) => code)"
    expect(
      await page.evaluate(`(() => { const answer = ${submitted}; fields.remove(); return answer })()`),
    ).toBe("frame-removed")
    expect(await page.evaluate(submitted)).toBe("frame-removed")
  })

  test("accept a pasted number with spaces and dashes", async () => {
    const page = await open(`sealway.fields.number("#a")`)
    await focus(page, "number")
    await page.command("Input.insertText", { text: "5555-5555 5555-4444" })
    await changed(page, { isComplete: true, brand: "mastercard" })
    expect(await inFrame(page, "document.getElementById('number').value")).toBe("5555 5555 5555 4444")
  })

  test("keep the caret where a digit is inserted or removed", async () => {
    const page = await open(`sealway.fields.number("#a")`)
    await focus(page, "number")
    await page.type("42424242")
    await inFrame(page, "document.getElementById('number').setSelectionRange(2, 2)")
    await page.type("99")
    const caret = `(({ value, selectionStart }) => [value, selectionStart])(document.getElementById('number'))`
    expect(await inFrame(page, caret)).toEqual(["4299 4242 42", 4])
    await page.press("Backspace")
    expect(await inFrame(page, caret)).toEqual(["4294 2424 2", 3])
  })

  test("hide a PIN and a text, and seal them", async () => {
    const page = await open(`sealway.fields.pin("#a", { role: "pci" })`)
    await focus(page, "pin")
    await page.type("90x210")
    expect(await inFrame(page, "document.getElementById('pin').type")).toBe("password")
    await changed(page, { isComplete: true, brand: null, lastFour: null })
    const { pin } = (await page.evaluate("fields.submit()")) as { pin: string }
    expect(await sealway.decrypt(pin)).toBe("90210")
    const other = await open(`sealway.fields.text("#a", { minLength: 3, texts: { text: "Passport" } })`)
    await focus(other, "text")
    await other.type("X1 ü")
    await changed(other, { isComplete: true })
    const { text } = (await other.evaluate("fields.submit()")) as { text: string }
    expect(await sealway.decrypt(text)).toBe("X1 ü")
  })

  test("speak another language, from right to left, and with texts of the page", async () => {
    const page = await open(
      `sealway.fields.card("#a", { locale: "ar", texts: { cvc: "CVV <b>" }, theme: { color: "rebeccapurple", fontSize: "20px" } })`,
    )
    expect(
      await inFrame(
        page,
        `(({ dir, lang }) => [dir, lang, document.querySelector('.cvc label').textContent, getComputedStyle(document.body).color, getComputedStyle(document.body).fontSize])(document.documentElement)`,
      ),
    ).toEqual(["rtl", "ar", "CVV <b>", "rgb(102, 51, 153)", "20px"])
  })
})

describe.skipIf(chromium === null)(`${title}: a page that spies`, { timeout: 40_000 }, () => {
  test("learns two changes while a number is typed, and no key, digit, length or message", async () => {
    const page = await open(`sealway.fields.number("#a")`)
    await focus(page, "number")
    const before = (await page.evaluate("learned.length")) as number
    await page.type(NUMBER)
    await changed(page, { isComplete: true })
    await page.evaluate(`document.getElementById("outside").focus()`)
    await changed(page, { lastFour: "4242" })
    const changes = (await eventsOf(page, "change")) as object[]
    expect(changes.length).toBeLessThanOrEqual(3)
    expect(changes.at(-1)).toEqual({
      name: "change",
      isEmpty: false,
      isComplete: true,
      brand: "visa",
      lastFour: "4242",
    })
    for (const change of changes.slice(0, -1)) expect(change).toMatchObject({ lastFour: null })
    const learned = (await page.evaluate(`learned.slice(${before})`)) as { type: string }[]
    expect(learned.filter(({ type }) => type !== "selectionchange")).toEqual([])
  })

  test("cannot reach the frame's document, inputs or variables", async () => {
    const page = await open(`sealway.fields.card("#a")`)
    await focus(page, "number")
    await page.type(NUMBER)
    for (const attempt of [
      "document.querySelector('iframe').contentDocument",
      "document.querySelector('iframe').contentWindow.document",
      "frames[0].location.href",
      "frames[0].eval('1')",
      "frames[0].name",
      "frames[0].history.length",
      "frames[0].getSelection()",
    ]) {
      const found = await page.evaluate(
        `(() => { try { return String(${attempt}) } catch (error) { return error.name } })()`,
      )
      expect([attempt, found]).toSatisfy(([, each]) => each === "SecurityError" || each === "null")
    }
    expect(
      await page.evaluate(
        "[String(getSelection()), frames[0].length, document.activeElement.tagName, document.activeElement.value]",
      ),
    ).toEqual(["", 0, "IFRAME", undefined])
  })

  test("gets nothing from the clipboard, nor by dragging what is selected", async () => {
    const page = await open(`sealway.fields.number("#a")`)
    await browserGrants(page)
    await page.evaluate(`document.getElementById("outside").focus()`)
    await page.evaluate("navigator.clipboard.writeText('before')")
    await focus(page, "number")
    await page.type(NUMBER)
    for (const key of ["c", "x"]) {
      await page.press("a", ["control"])
      await page.press(key, ["control"])
    }
    expect(
      await inFrame(
        page,
        `["copy", "cut", "dragstart"].map((type) => document.getElementById("number").dispatchEvent(new Event(type, { cancelable: true, bubbles: true })))`,
      ),
    ).toEqual([false, false, false])
    await page.evaluate(`document.getElementById("outside").focus()`)
    expect(await page.evaluate("navigator.clipboard.readText()")).toBe("before")
    expect(await inFrame(page, "document.getElementById('number').value")).toBe("4242 4242 4242 4242")
  })

  test("cannot take a frame over with a second port, nor ask it for anything that it does not say", async () => {
    const page = await open(`sealway.fields.card("#a")`)
    await focus(page, "number")
    await page.type(NUMBER)
    const answers = await page.evaluate(`(async () => {
      const { port1, port2 } = new MessageChannel()
      const answers = []
      port1.onmessage = ({ data }) => answers.push(data)
      const appearance = { theme: {}, scheme: "auto", locale: null, texts: {}, showLabels: true, isDisabled: false, brand: null }
      frames[0].postMessage({ sealway: 1, settings: { kind: "text", role: null, minLength: 1, maxLength: 9, isMasked: false }, appearance }, "*", [port2])
      frames[0].postMessage({ type: "seal", id: 1 }, "*")
      port1.postMessage({ type: "seal", id: 1 })
      await new Promise((resolve) => setTimeout(resolve, 700))
      return answers
    })()`)
    expect(answers).toEqual([])
    expect(await inFrame(page, "document.querySelectorAll('input').length")).toBe(3)
  })

  test("cannot speak for the page from a nested frame of another origin", async () => {
    const evil = stranger.page(`<script>
      const start = { sealway: 1, settings: { kind: "number", role: null, minLength: 1, maxLength: 9, isMasked: false },
        appearance: { theme: {}, scheme: "auto", locale: null, texts: {}, showLabels: true, isDisabled: false, brand: null } }
      document.documentElement.dataset.answers = 0
      setInterval(() => {
        for (let index = 0; index < parent.length; index++) {
          if (parent[index] === window) continue
          const { port1, port2 } = new MessageChannel()
          port1.onmessage = () => document.documentElement.dataset.answers++
          parent[index].postMessage(start, "*", [port2])
        }
      }, 5)
    </script>`)
    const page = await browser.open(
      shop.page(html(`sealway.fields.card("#a")`, `<iframe src="${evil}"></iframe>`)),
    )
    await vi.waitFor(
      async () => expect(await page.evaluate("fields.ready.then(() => 'ready')")).toBe("ready"),
      WAIT,
    )
    expect(await inFrame(page, "document.querySelectorAll('input').length")).toBe(3)
    expect(await (await page.frame(evil))?.evaluate("document.documentElement.dataset.answers")).toBe("0")
  })

  test("gives its port to nobody when another page has taken the frame's place", async () => {
    const evil = stranger.page(`<script>
      document.documentElement.dataset.received = 0
      addEventListener("message", () => document.documentElement.dataset.received++)
    </script>`)
    const page = await open(`sealway.fields.card("#a")`)
    await page.evaluate(`new Promise((resolve) => {
      const frame = document.querySelector("iframe")
      frame.addEventListener("load", resolve)
      frame.src = "${evil}"
    })`)
    const frame = await page.frame(evil)
    expect(await frame?.evaluate("document.documentElement.dataset.received")).toBe("0")
  })

  test("cannot load anything, or style a frame, by a theme", async () => {
    const page = await open(`sealway.fields.card("#a")`)
    for (const theme of [
      `{ background: "url(${stranger.origin}/x)" }`,
      `{ color: "red;background:url(${stranger.origin}/x)" }`,
      `{ font: "x;}*{display:none}" }`,
      `{ fontSize: "calc(1px*2)" }`,
      `{ color: "var(--x)" }`,
    ]) {
      await page.evaluate(`fields.update({ theme: ${theme} })`)
    }
    await page.evaluate(`fields.update({ theme: { accent: "red" } })`)
    await vi.waitFor(
      async () =>
        expect(await inFrame(page, "document.documentElement.style.cssText")).toBe("--accent: red;"),
      WAIT,
    )
    expect(await inFrame(page, "performance.getEntriesByType('resource').length")).toBe(1)
  })

  test("cannot let the frame of another app take the place of its own, if its policy names the app", async () => {
    const { app } = await service.newApp("sandbox")
    await service.patch(`/apps/${app.id}`, { allowedOrigins: [shop.origin] }, { auth: service.team.auth })
    const other = `${service.url}/elements/${service.team.id}/${app.id}/fields`
    const policy = `default-src 'self' 'unsafe-inline'; frame-src ${frameUrl().replace(/fields$/, "")}`
    const address = shop.page(html(`sealway.fields.card("#a")`), { "content-security-policy": policy })
    const page = await browser.open(address)
    await vi.waitFor(
      async () => expect(await page.evaluate("fields.ready.then(() => 'ready')")).toBe("ready"),
      WAIT,
    )
    const blocked = await page.evaluate(`new Promise((resolve) => {
      addEventListener("securitypolicyviolation", ({ effectiveDirective }) => resolve(effectiveDirective))
      document.querySelector("iframe").src = ${JSON.stringify(other)}
    })`)
    expect(blocked).toBe("frame-src")
  })
})

describe.skipIf(chromium === null)(`${title}: another page`, { timeout: 40_000 }, () => {
  test("cannot embed them, nor be the page around one that may", async () => {
    const own = `<iframe src="${frameUrl()}" onload="loaded = true"></iframe>`
    const around = stranger.page(`<script>let loaded = false</script>${own}`)
    const page = await browser.open(around)
    await vi.waitFor(async () => expect(await page.evaluate("loaded")).toBe(true), WAIT)
    expect(await (await page.frame("chrome-error:"))?.evaluate("location.href")).toBe(REFUSED)
    const shopPage = shop.page(
      html(`sealway.fields.card("#a")`).replace(
        /<\/script>$/,
        `; document.querySelector("iframe").addEventListener("load", ({ target }) => { setTimeout(() => target.dataset.loaded = true, 300) }); fields.ready.then(() => { document.body.dataset.ready = true }) </script>`,
      ),
    )
    const nested = stranger.page(
      `<script>let loaded = false</script><iframe src="${shopPage}" onload="loaded = true"></iframe>`,
    )
    const outer = await browser.open(nested)
    await vi.waitFor(async () => expect(await outer.evaluate("loaded")).toBe(true), WAIT)
    await vi.waitFor(async () => {
      const frame = await outer.frame(shopPage)
      expect(await frame?.evaluate("document.querySelector('iframe')?.dataset.loaded")).toBe("true")
    }, WAIT)
    expect(await (await outer.frame(shopPage))?.evaluate("document.body.dataset.ready")).toBeUndefined()
  })

  test("finds nobody in a frame's page that it opens in a window", async () => {
    const page = await browser.open(frameUrl())
    await vi.waitFor(async () => expect(await page.evaluate("document.readyState")).toBe("complete"), WAIT)
    expect(await page.evaluate("document.querySelectorAll('input').length")).toBe(0)
  })
})

const browserGrants = (page: BrowserPage) => page.grant(["clipboard-read", "clipboard-write"], shop.origin)

import { afterAll, beforeAll, describe, expect, test, vi } from "vitest"
import { type Browser, type BrowserPage, findChromium, startChromium } from "../support/chromium.ts"
import { useService } from "../support/service.ts"

const service = useService()
const chromium = findChromium()
const WAIT = { timeout: 20_000, interval: 100 }

let browser: Browser
let page: BrowserPage

beforeAll(async () => {
  if (chromium === null) return
  browser = await startChromium(chromium)
  page = await browser.open(`${service.url}/docs`)
  await shows("Test Request")
}, 60_000)
afterAll(async () => {
  await browser?.[Symbol.asyncDispose]()
})

/** Defines in the page what a person does with it: writes into the last shown field, and clicks a button. */
const HANDS = `
  const shown = (selector) => [...document.querySelectorAll(selector)].filter((each) => each.checkVisibility())
  const write = (selector, text) => {
    shown(selector).at(-1).focus()
    document.execCommand("selectAll")
    document.execCommand("insertText", false, text)
  }
  const click = (name) => shown("button").find((each) => each.innerText.includes(name)).click()
`
const act = (script: string) => page.evaluate(`(() => { ${HANDS} ${script} })()`)
const text = async () => String(await page.evaluate("document.body.innerText"))
const shows = (wanted: string) => vi.waitFor(async () => expect(await text()).toContain(wanted), WAIT)

const title = "GET /docs in a browser"

describe.skipIf(chromium === null)(
  chromium === null ? `${title} (skipped: no Chromium on this machine)` : title,
  { timeout: 60_000 },
  () => {
    test("describes the operations of the OpenAPI document, with samples for curl, Node.js and Python only", async () => {
      for (const each of [
        "/encrypt",
        "/decrypt",
        "Auth Required",
        `curl ${service.url}/encrypt`,
        "Ada Lovelace",
      ])
        await shows(each)
      await act(`click("Shell Curl")`)
      await vi.waitFor(async () => {
        const listed = await page.evaluate("document.querySelector('[role=listbox]').innerText")
        expect(listed).toBe("Node.js\nFetch\nPython\nRequests\nShell\nCurl")
      }, WAIT)
      await act(
        `document.activeElement.dispatchEvent(new KeyboardEvent("keydown", { key: "Escape", bubbles: true }))`,
      )
    })

    test("sends a request to the service with the key of the sandbox app", async () => {
      const { user, key } = service.sandbox.auth
      await act(`click("Test Request")`)
      await shows("Send")
      await act(`write("[data-placeholder=janedoe]", ${JSON.stringify(user)})`)
      await act(`write("input.scalar-password-input", ${JSON.stringify(key)})`)
      await act(`write(".cm-content[role=textbox]", '{"card":"4242424242424242"}')`)
      await act(`click("Send")`)
      await shows("ev:debug:")
    })

    test("has asked no other origin than the service, and kept no key", async () => {
      const requested = await page.evaluate(
        "performance.getEntriesByType('resource').map(({ name }) => name)",
      )
      const origins = new Set((requested as string[]).map((each) => new URL(each).origin))
      expect([...origins]).toEqual([service.url])
      const kept = await page.evaluate(
        "JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])",
      )
      expect(kept).not.toContain(service.sandbox.auth.key)
    })
  },
)

import { readFileSync } from "node:fs"
import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { Sealway } from "@sealway/sdk"
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest"
import { createPageServer } from "../../examples/sdk/rendered-page.mjs"
import { bundleExample } from "../support/bundle-example.ts"
import { type Browser, findChromium, startChromium } from "../support/chromium.ts"
import { useService } from "../support/service.ts"
import { ROOT } from "../support/start.ts"

const service = useService()
const chromium = findChromium()
const WAIT = { timeout: 15_000, interval: 50 }
const servers: Server[] = []
let browser: Browser
let sealway: Sealway

beforeAll(async () => {
  const { user, key } = service.sandbox.auth
  sealway = new Sealway({ appId: user, apiKey: key, baseUrl: service.url })
  if (chromium !== null) browser = await startChromium(chromium)
}, 60_000)
afterAll(async () => {
  await browser?.[Symbol.asyncDispose]()
  for (const server of servers) server.close()
})
async function start(server: Server): Promise<string> {
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const title = "an example of the SDK in a browser"

describe.skipIf(chromium === null)(
  chromium === null ? `${title} (skipped: no Chromium on this machine)` : title,
  { timeout: 60_000 },
  () => {
    test("decrypts the document of the page that a server has rendered", async () => {
      const document = await sealway.encrypt({ iban: "IE29AIBK93115212345678" })
      const options = { teamId: service.team.id, appId: service.sandbox.auth.user, baseUrl: service.url }
      const script = await bundleExample("rendered-page.client.mjs", "iife")
      const url = await start(
        createPageServer({ sealway, browser: options, script, documentOf: () => document }),
      )
      const page = await browser.open(url)
      const shown = () => page.evaluate("document.getElementById('iban').value")
      await vi.waitFor(async () => expect(await shown()).toBe("IE29AIBK93115212345678"), WAIT)
    })

    test("encrypts what a person types into a page without a server", async () => {
      const script = await bundleExample("browser-only.mjs", "iife", {
        SEALWAY_TEAM: service.team.id,
        SEALWAY_APP: service.sandbox.auth.user,
        SEALWAY_URL: service.url,
      })
      const html = readFileSync(join(ROOT, "examples/sdk/browser-only.html"))
      const url = await start(
        createServer(({ url: path }, response) => {
          const [type, body] = path === "/" ? ["text/html", html] : ["text/javascript", script]
          response.writeHead(200, { "content-type": `${type}; charset=utf-8` }).end(body)
        }),
      )
      const page = await browser.open(url)
      const state = () => page.evaluate("document.getElementById('form') && document.readyState")
      await vi.waitFor(async () => expect(await state()).toBe("complete"), WAIT)
      await page.evaluate(`(() => {
        document.getElementById("number").value = "4242 4242 4242 4242"
        document.getElementById("form").requestSubmit()
      })()`)
      const shown = async () => String(await page.evaluate("document.getElementById('sealed').value"))
      await vi.waitFor(async () => expect(await shown()).toMatch(/^ev:debug:/), WAIT)
      expect(await sealway.decrypt(await shown())).toBe("4242424242424242")
    })
  },
)

import { afterAll, beforeAll, describe, expect, test, vi } from "vitest"
import { type Browser, type BrowserPage, findChromium, startChromium } from "../support/chromium.ts"
import { CLIENT, startProvider, type TestProvider } from "../support/identity-provider.ts"
import { useService } from "../support/service.ts"

const provider: TestProvider = await startProvider(() => `${service.url}/sign-in/oidc/callback`)
const service = useService("container", { identityProvider: { issuer: provider.issuer, ...CLIENT } })
const chromium = findChromium()
const WAIT = { timeout: 15_000, interval: 25 }

let browser: Browser

beforeAll(async () => {
  if (chromium !== null) browser = await startChromium(chromium)
}, 60_000)
afterAll(async () => {
  await browser?.[Symbol.asyncDispose]()
  await provider.close()
})

const textOf = (page: BrowserPage) => page.evaluate(`document.getElementById("text")?.textContent ?? ""`)
const shows = (page: BrowserPage, text: RegExp) =>
  vi.waitFor(async () => expect(await textOf(page)).toMatch(text), WAIT)
const press = (page: BrowserPage, id: string) => page.evaluate(`document.getElementById("${id}").click()`)

describe.skipIf(chromium === null)("the sign-in page in Chromium", () => {
  test("signs in with a link when it is clicked, keeps the code out of the address, and signs out", async () => {
    const link = await service.service.createSignInLink()
    const page = await browser.open(link)
    await shows(page, /^Sign in as owner/)
    expect(await page.evaluate("location.href")).toBe(`${service.url}/sign-in`)
    await press(page, "in")
    await vi.waitFor(
      async () => expect(await page.evaluate("location.href")).toBe(`${service.url}/dashboard`),
      WAIT,
    )
    await page.evaluate(`location.assign("${service.url}/sign-in")`)
    await shows(page, /^You are signed in to .* as Local owner \(owner\)\.$/)
    expect(await page.evaluate(`document.getElementById("dashboard").hidden`)).toBe(false)
    expect(await page.evaluate("document.cookie")).toBe("")
    const again = await browser.open(link)
    await shows(again, /^Sign in as owner/)
    await press(again, "in")
    await shows(again, /was used before, or has expired/)
    await press(page, "out")
    await shows(page, /^You are signed out\.$/)
  }, 60_000)

  test("signs in at an identity provider, and tells who has no access", async () => {
    const invitation = { email: "ada@example.com", role: "developer" }
    await service.post("/invitations", invitation, { auth: service.team.auth })
    provider.accounts.set("eve", { email: "eve@example.com", email_verified: true })
    provider.accounts.set("ada", { email: "ada@example.com", email_verified: true })
    const page = await browser.open(`${service.url}/sign-in`)
    for (const [account, text] of [
      ["eve", /^Your account has no access/],
      ["ada", /^You are signed in to .* as ada@example\.com \(developer\)\.$/],
    ] as const) {
      provider.signingIn = account
      await page.command("Network.clearBrowserCookies")
      await page.evaluate(`location.assign("${service.url}/sign-in/oidc")`)
      if (account === "ada") {
        const isAtDashboard = async () =>
          expect(await page.evaluate("location.href")).toBe(`${service.url}/dashboard`)
        await vi.waitFor(isAtDashboard, WAIT)
        await page.evaluate(`location.assign("${service.url}/sign-in")`)
      }
      await shows(page, text)
    }
  }, 60_000)
})

import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { env } from "node:process"
import type { MemberRole } from "@sealway/accounts"
import axe from "axe-core"
import type { Browser, BrowserContext, Page } from "playwright-core"
import { afterAll, afterEach, beforeAll, describe, expect, vi } from "vitest"
import * as z from "zod"
import { findChromium, launchChromium } from "../../support/chromium.ts"
import { startDnsServer } from "../../support/dns-server.ts"
import { createMembers, type Members } from "../../support/members.ts"
import { useService } from "../../support/service.ts"
import { ROOT } from "../../support/start.ts"
import { type Keyboard, keyboardOf } from "./keyboard.ts"

const PICTURES = join(ROOT, "docs/images/dashboard")
const SIZES = { desktop: { width: 1280, height: 900 }, phone: { width: 390, height: 844 } } as const
const SCHEMES = ["light", "dark"] as const

/** How long something on a page may take to appear, on a busy machine. */
export const WAIT_MS = 15_000

const chromium = findChromium()

/** A name server without records, so that pages do not depend on those of the machine. */
const dns = await startDnsServer()
afterAll(() => dns.close())

/** The service that all pages are tested with, on its real API. */
export const service = useService("container", {
  dnsServers: [dns.address],
  dashboard: { buildFolder: join(ROOT, "node_modules/.cache/dashboard") },
})

/** What the browser has refused, failed at or asked of others. Empty after each test. */
const faults: string[] = []
const contexts: BrowserContext[] = []
/** The id of a member of each role. */
const people = new Map<MemberRole, string>()
let browser: Browser
let known: Members

beforeAll(async () => {
  if (chromium === null) return
  known = createMembers(service)
  browser = await launchChromium(chromium)
  // Built once for all tests, and kept for the next ones.
  await vi.waitFor(async () => expect((await fetch(`${service.url}/dashboard`)).status).toBe(200), {
    timeout: 60_000,
    interval: 100,
  })
}, 90_000)
afterEach(async () => {
  await Promise.all(contexts.splice(0).map((context) => context.close()))
  expect(faults.splice(0)).toEqual([])
})
afterAll(() => browser?.close())

/** Groups tests that need Chromium; they are skipped without it. */
export function describePage(title: string, tests: () => void): void {
  const name = chromium === null ? `${title} (skipped: no Chromium on this machine)` : title
  describe.skipIf(chromium === null)(name, { timeout: 60_000 }, tests)
}

/** The members of the service's team. */
export const members = (): Members => known

/** The address of a page about the sandbox app; about the app itself for an empty path. */
export function appPath(path = ""): string {
  return `/dashboard/apps/${service.sandbox.app.id}${path && `/${path}`}`
}

/** A page, and somebody who uses it. */
export interface Visit extends Keyboard {
  /** To see what is there. */
  readonly page: Page
}

/**
 * Opens a page in a browser of its own, for somebody who has a keyboard and no mouse. The test fails if the page breaks
 * its Content-Security-Policy, asks another origin, or throws.
 *
 * @param role of the member who is signed in; null for nobody
 */
export async function openPage(path: string, role: MemberRole | null = "owner"): Promise<Visit> {
  const context = await browser.newContext({ viewport: SIZES.desktop, colorScheme: "light", locale: "en-GB" })
  contexts.push(context)
  context.setDefaultTimeout(WAIT_MS)
  context.on("request", (request) => {
    const { origin, protocol } = new URL(request.url())
    if (origin !== service.url && protocol !== "data:" && protocol !== "blob:") {
      faults.push(`asks ${request.url()}`)
    }
  })
  await context.exposeFunction("noteViolation", (violation: string) => faults.push(violation))
  await context.addInitScript(`addEventListener("securitypolicyviolation", ({ violatedDirective, blockedURI, sourceFile }) =>
    noteViolation("breaks " + violatedDirective + ": " + blockedURI + " from " + sourceFile))`)
  await context.addInitScript(
    `addEventListener("pointerdown", ({ target }) => noteViolation("uses the mouse on " + target.outerHTML), true)`,
  )
  const page = await context.newPage()
  page.on("pageerror", (error) => faults.push(`throws ${error.stack ?? error.message}`))
  if (role !== null) await signIn(context, await cookieOf(role))
  await page.goto(service.url + path)
  return { page, ...keyboardOf(page, WAIT_MS) }
}

/** Signs the member of a role in on another browser. */
async function cookieOf(role: MemberRole): Promise<string> {
  const id = people.get(role)
  if (id !== undefined) return known.signInAgain(null, id)
  const cookie = await known.signIn(role, { "user-agent": "Chromium" }, `${role}@shop.example`)
  people.set(role, await known.idOf(cookie))
  return cookie
}

/** Gives a browser the session's cookie. @param cookie of `Members` */
export async function signIn(context: BrowserContext, cookie: string): Promise<void> {
  const [name = "", value = ""] = cookie.split("=")
  await context.addCookies([{ name, value, url: service.url, httpOnly: true, sameSite: "Strict" }])
}

/** Resolves when what changes its colour or place has done so; what turns for ever is waited for half a second. */
const SETTLED = `new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))).then(() =>
  Promise.race([
    Promise.allSettled(document.getAnimations().map(({ finished }) => finished)),
    new Promise((resolve) => setTimeout(resolve, 500)),
  ])).then(() => null)`

/** Checks a page in light and dark, on a desktop and on a phone: axe finds nothing, and nothing sticks out sideways. */
export async function expectAccessible(page: Page): Promise<void> {
  // Nothing is hovered by accident.
  await page.mouse.move(0, 0)
  for (const [size, viewport] of Object.entries(SIZES)) {
    await page.setViewportSize(viewport)
    for (const colorScheme of SCHEMES) {
      await page.emulateMedia({ colorScheme, reducedMotion: "reduce" })
      await page.evaluate(SETTLED)
      const where = `${page.url()} (${size}, ${colorScheme})`
      expect({ [where]: await violationsOf(page) }).toEqual({ [where]: [] })
      const width = await page.evaluate("document.documentElement.scrollWidth")
      expect({ [where]: width }).toEqual({ [where]: viewport.width })
    }
  }
  await page.setViewportSize(SIZES.desktop)
  await page.emulateMedia({ colorScheme: "light" })
}

async function violationsOf(page: Page): Promise<readonly string[]> {
  await page.evaluate(axe.source)
  const found = await page.evaluate(
    `axe.run(document, { resultTypes: ["violations"] }).then(({ violations }) => violations.flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary }) => id + ": " + html.slice(0, 200) + " " + failureSummary.slice(0, 300))))`,
  )
  return z.array(z.string()).parse(found)
}

/** Writes the picture of a page for `docs/dashboard.md`, if SEALWAY_WRITE_PICTURES is true. */
export async function takePicture(page: Page, name: string): Promise<void> {
  if (env.SEALWAY_WRITE_PICTURES !== "true") return
  mkdirSync(PICTURES, { recursive: true })
  await page.setViewportSize(SIZES.desktop)
  await page.mouse.move(0, 0)
  await page.evaluate("scrollTo(0, 0)")
  await page.screenshot({ path: join(PICTURES, `${name}.png`), animations: "disabled", caret: "hide" })
}

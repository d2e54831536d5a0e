import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { ensureBuilt } from "@sealway/local/testing"
import type { Browser, Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { buildDashboard } from "../../stacks/build-dashboard.ts"
import { dashboardUploads } from "../../stacks/uploads.ts"
import { type DashboardService, startDashboardService } from "../infra/dashboard-service.ts"
import { findChromium, launchChromium } from "../support/chromium.ts"
import { basic } from "../support/service.ts"
import { ROOT } from "../support/start.ts"

const BUILDS = join(ROOT, "node_modules/.cache/dashboard-of-stages")
const WAIT_MS = 15_000

const chromium = findChromium()
const title = "the dashboard of a stage"
let service: DashboardService
let browser: Browser

/** The files that a deployment uploads. */
async function uploadedFiles() {
  const built = await ensureBuilt(BUILDS, AbortSignal.timeout(60_000), buildDashboard)
  const { files } = await dashboardUploads(built, ".", "sealway-ada-dashboard")
  const stored = files.map(async ({ key, path, ...headers }) => {
    return [key, { ...headers, bytes: await readFile(join(built, path)) }] as const
  })
  return new Map(await Promise.all(stored))
}

beforeAll(async () => {
  if (chromium === null) return
  service = await startDashboardService(await uploadedFiles())
  browser = await launchChromium(chromium)
}, 90_000)
afterAll(async () => {
  await browser?.close()
  await service?.close()
})

/** Opens an address of the dashboard. Fails the test if the page asks another origin, breaks its policy or throws. */
async function openPage(path: string, faults: string[]): Promise<Page> {
  // The certificate is the stand-in's own.
  const context = await browser.newContext({ ignoreHTTPSErrors: true, locale: "en-GB" })
  context.setDefaultTimeout(WAIT_MS)
  const known = [service.edge.url, service.provider.issuer]
  context.on("request", (request) => {
    if (!known.includes(new URL(request.url()).origin)) faults.push(`asks ${request.url()}`)
  })
  const page = await context.newPage()
  page.on("console", (message) => {
    if (message.text().includes("Content Security Policy")) faults.push(message.text())
  })
  page.on("pageerror", (error) => faults.push(`throws ${error.message}`))
  await page.goto(service.edge.url + path)
  return page
}

async function invite(email: string): Promise<void> {
  const { provider, apiUrl, keys } = service
  provider.accounts.set(email, { email, email_verified: true, name: "Ada" })
  provider.signingIn = email
  const { status } = await fetch(`${apiUrl}/invitations`, {
    method: "POST",
    headers: {
      authorization: basic({ user: keys.teamId, key: keys.teamKey }),
      "content-type": "application/json",
    },
    body: JSON.stringify({ email, role: "admin" }),
  })
  expect(status).toBe(201)
}

const name = chromium === null ? `${title} (skipped: no Chromium on this machine)` : title
describe.skipIf(chromium === null)(name, { timeout: 60_000 }, () => {
  test("signs a member in at the identity provider, shows an app at its own address, and changes it", async () => {
    await invite("ada@example.com")
    const faults: string[] = []
    const page = await openPage("/dashboard", faults)
    await page.getByRole("link", { name: "Sign in" }).click()
    await page.getByRole("link", { name: "Sign in with your account" }).click()
    await page.waitForURL(`${service.edge.url}/dashboard/**`)

    const [app] = service.keys.apps
    await page.goto(`${service.edge.url}/dashboard/apps/${app?.id}/playground`)
    await page.getByRole("heading", { level: 1, name: "Playground" }).waitFor()
    await page.reload()
    await page.getByRole("heading", { level: 1, name: "Playground" }).waitFor()

    const [cookie] = await page.context().cookies(service.edge.url)
    expect(cookie).toMatchObject({
      name: "__Host-sealway_session",
      httpOnly: true,
      secure: true,
      sameSite: "Strict",
      path: "/",
    })
    const status = await page.evaluate(
      `fetch("/api/data-roles", { method: "POST", body: '{"slug":"pci","name":"Cards"}', headers: {
        "content-type": "application/json", "x-requested-with": "sealway", "x-service-app-id": "${app?.id}" } })
        .then(({ status }) => status)`,
    )
    expect(status).toBe(201)
    // No function of a stage has a solver: the page of a role names the command that has.
    await page.goto(`${service.edge.url}/dashboard/apps/${app?.id}/policies/roles/pci`)
    const access = page.getByRole("region", { name: "Who can ever decrypt its values" })
    await access.getByText("npx sealway policies who --role pci").waitFor()
    expect(await access.getByRole("alert").count()).toBe(0)
    await page.getByRole("button", { name: "Sign out" }).click()
    await page.getByRole("link", { name: "Sign in" }).waitFor()
    expect(await page.context().cookies(service.edge.url)).toEqual([])
    await page.context().close()
    expect(faults).toEqual([])
  })
})

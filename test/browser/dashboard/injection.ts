import type { Page } from "playwright-core"
import { expect, test } from "vitest"
import * as z from "zod"
import { createFileTransfer } from "../../support/file-transfer.ts"
import { MERCHANT } from "../../support/payment-requests.ts"
import { appPath, describePage, openPage, service } from "./harness.ts"

/** Would change `pwned`, open a dialog or ask another origin, if they were anything but text. */
const PAYLOADS = [
  `"><img src=x onerror=pwned=1><script>alert(1)</script>'{{pwned=1}}\${pwned=1}`,
  `javascript:pwned=1//' onfocus='pwned=1' autofocus <svg/onload=pwned=1>`,
] as const
const SIGNER = "3c".repeat(48)
const CONFIGURATION = { network: "visa", bin: "400000", acquirerMerchantIdentifier: "123456", country: "ie" }

interface Creation {
  readonly path: string
  readonly body: Readonly<Record<string, unknown>>
}

/** Whatever a caller names that the dashboard shows. */
const creations = (payload: string, index: number): readonly Creation[] => {
  const slug = `injection-${index}`
  const policy = { effect: "permit", roles: [slug], conditions: { sources: ["api"] } }
  const named = (what: string, path: string, body: object): Creation => ({
    path,
    body: { ...body, name: `${what} ${payload}` },
  })
  return [
    named("app", "/apps", { environment: "sandbox" }),
    named("key", `/apps/${service.sandbox.app.id}/api-keys`, { scopes: ["api:decrypt"] }),
    named("team key", "/team-keys", {}),
    named("role", "/data-roles", { slug }),
    named("policy", "/data-policies", policy),
    named("enclave", "/enclaves", { pcrs: { pcr8: SIGNER } }),
    named("honey", "/honey-tokens", { shape: "number" }),
    named("acquirer", "/payments/acquirers", { configurations: [CONFIGURATION] }),
    named("bins", "/payments/bin-tables", {}),
  ]
}

const create = ({ path, body }: Creation) =>
  service.post(path, body, {
    auth: /^.(apps|team-keys|payments.bin)/.test(path) ? service.team.auth : service.sandbox.auth,
  })

/** Lists what is neither the page's own nor text. */
const INJECTED = `[
  ...[...document.querySelectorAll("img[src='x'], script:not([src]), svg[onload], iframe, object, embed, base")],
  ...[...document.querySelectorAll("*")].filter(({ attributes }) => [...attributes].some(({ name }) => name.startsWith("on"))),
  ...[...document.querySelectorAll("[href], [src], [action], [formaction]")].filter((element) =>
    ["href", "src", "action", "formaction"].some((name) => /^[\\s\\0]*(javascript|data|vbscript):/i.test(element.getAttribute(name) ?? ""))),
].map(({ outerHTML }) => outerHTML.slice(0, 300)).concat("pwned" in window ? ["pwned"] : [])`

/** Shows a page, and touches what is on it. Returns what was injected, the text, and where its links lead. */
async function inspect(page: Page, path: string) {
  await page.goto(service.url + path)
  await page.getByRole("heading", { level: 1 }).waitFor()
  // Some pages ask again and again.
  await page.waitForLoadState("networkidle", { timeout: 2_000 }).catch(() => undefined)
  await page.evaluate(`document.querySelectorAll("main *").forEach((element) => {
    for (const type of ["mouseover", "pointerover", "focus"]) element.dispatchEvent(new Event(type, { bubbles: true })) })`)
  const links = await page.$$eval("a[href^='/dashboard']", (all) =>
    all.map((each) => each.getAttribute("href")),
  )
  return {
    injected: await page.evaluate(INJECTED),
    text: await page.locator("body").innerText(),
    links: links.flatMap((link) => link?.split("?")[0] ?? []),
  }
}

describePage("names that callers set", () => {
  test("are text on every page of the dashboard, and where a deletion is confirmed", {
    timeout: 240_000,
  }, async () => {
    const names: string[] = []
    const tabs = ["acquirers", "bin-tables"].map((tab) => appPath(`payments?tab=${tab}`))
    const paths = new Set([appPath(), "/dashboard/team/apps", ...tabs])
    /** Pages about a record are visited for ours only: all of a kind are the same page. */
    const ids: string[] = []
    for (const [index, payload] of PAYLOADS.entries()) {
      for (const creation of creations(payload, index)) {
        const { status, json, text } = await create(creation)
        expect(status, `${creation.path}: ${text}`).toBeLessThan(300)
        names.push(String(creation.body.name))
        const { id } = z.object({ id: z.string() }).parse(json)
        ids.push(id)
        if (creation.path === "/apps") paths.add(`/dashboard/apps/${id}/settings`)
      }
      const file = await createFileTransfer(service).create({ size: 1, name: `file ${payload}` })
      names.push(`file ${payload}`)
      paths.add(appPath(`files/${file.id}`))
      // Card networks print it elsewhere, so it has an alphabet.
      const merchant = await service.post("/payments/merchants", { ...MERCHANT, name: payload })
      expect(merchant).toMatchObject({ status: 400 })
    }
    for (const creation of creations("\u202Eredro", PAYLOADS.length))
      expect(await create(creation), creation.path).toMatchObject({ status: 400 })
    await service.patch("/team", { name: PAYLOADS[0] }, { auth: service.team.auth })
    const { page, press } = await openPage(appPath())
    const dialogs: string[] = []
    page.on("dialog", (dialog) => {
      dialogs.push(dialog.message())
      return dialog.dismiss()
    })
    const texts: string[] = []
    const isOurs = (link: string) =>
      ids.some((id) => link.includes(id)) || !/_|\/roles\//.test(link.replace(appPath(), ""))
    for (const path of paths) {
      const { injected, text, links } = await inspect(page, path)
      expect({ path, injected, dialogs }).toEqual({ path, injected: [], dialogs: [] })
      texts.push(text)
      for (const link of links.filter(isOurs)) paths.add(link)
      if (!/\/(enclaves|honey-tokens)\/./.test(path)) continue
      await press("Delete")
      await page.getByRole("dialog").waitFor()
      expect(await page.evaluate(INJECTED)).toEqual([])
    }
    const shown = texts.join("\n")
    expect(names.filter((name) => !shown.includes(name))).toEqual([])
  })
})

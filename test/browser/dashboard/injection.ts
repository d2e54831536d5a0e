import type { Page } from "playwright-core"
import { expect, test } from "vitest"
import { createFileTransfer } from "../../support/file-transfer.ts"
import { CARD, MERCHANT } from "../../support/payment-requests.ts"
import { appPath, describePage, openPage, service } from "./harness.ts"

/** Each would change `pwned`, open a dialog or ask another origin, if it were anything but text. */
const PAYLOADS = [
  `<img src=x onerror="pwned=1">`,
  `"><script>alert(1)</script>`,
  `' onmouseover='pwned=1' autofocus onfocus='pwned=1`,
  "javascript:pwned=1//",
  "{{constructor.constructor('pwned=1')()}}${pwned=1}",
  `</title></style><svg onload=pwned=1><a href="//evil.example">`,
] as const
/** A word of its own shows which field is shown where. */
const named = (payload: string, what: string) => `${what} ${payload}`

/** Whatever a caller can set that the dashboard shows, by its endpoint. Fields of fixed alphabets are not listed. */
const bodiesOf = (payload: string): readonly (readonly [path: string, body: object, as?: "team"])[] => {
  const call = (what: string) => named(payload, what)
  return [
    ["/apps", { name: call("app"), environment: "sandbox" }, "team"],
    [`/apps/${service.sandbox.app.id}/keys`, { name: call("key"), scopes: ["api:encrypt"] }, "team"],
    ["/team-keys", { name: call("teamkey"), scopes: ["app:read"] }, "team"],
    ["/data-roles", { slug: `role-${PAYLOADS.findIndex((each) => each === payload)}`, name: call("role") }],
    [
      "/data-policies",
      { name: call("policy"), description: call("description"), effect: "permit", roles: [`role-${PAYLOADS.findIndex((each) => each === payload)}`] },
    ],
    ["/enclaves", { name: call("enclave"), pcrs: { pcr8: "3c".repeat(48) } }],
    ["/honey-tokens", { name: call("honey"), shape: "number" }],
    [
      "/payments/merchants",
      { ...MERCHANT, name: call("merchant"), business: { ...MERCHANT.business, legalName: call("legal") } },
    ],
    ["/payments/cards", CARD],
    ["/relays", { destinationDomain: `${PAYLOADS.findIndex((each) => each === payload)}.example.com`, routes: [{ method: "GET", path: `/${call("path").replaceAll(/[^\w<>="'$]/g, "-")}`, request: [], response: [] }] }],
    ["/webhook-endpoints", { url: `https://hooks.example.com/${call("hook").replaceAll(" ", "%20")}`, events: ["relay.error"] }],
  ]
}

const INJECTED = `JSON.stringify([
  ...[...document.querySelectorAll("img[src='x'], script:not([src]), svg[onload], iframe, object, embed, base")].map(({ outerHTML }) => outerHTML),
  ...[...document.querySelectorAll("*")].flatMap((element) => [...element.attributes].filter(({ name }) => name.startsWith("on")).map(({ name }) => name + " on " + element.outerHTML.slice(0, 200))),
  ...[...document.querySelectorAll("[href], [src], [action], [formaction]")].map((element) => element.href ?? element.src ?? element.action).filter((url) => typeof url === "string" && /^(?!https?:|mailto:|blob:|$)/i.test(url)),
  ...("pwned" in window ? ["pwned = " + window.pwned] : []),
])`

/** Shows a page, touches everything on it, and returns what was injected, and where it leads. */
async function inspect(page: Page, path: string): Promise<{ injected: string; text: string; links: readonly string[] }> {
  await page.goto(service.url + path)
  await page.getByRole("heading", { level: 1 }).waitFor()
  await page.waitForLoadState("networkidle")
  // Tooltips, and what listens to the mouse.
  await page.evaluate(`document.querySelectorAll("main *").forEach((each) => {
    for (const type of ["mouseover", "mouseenter", "pointerover", "focus"]) each.dispatchEvent(new Event(type, { bubbles: true })) })`)
  const links = await page.$$eval("a[href^='/dashboard']", (all) => all.map((each) => each.getAttribute("href") ?? ""))
  const text = await page.locator("body").innerText()
  return { injected: String(await page.evaluate(INJECTED)), text, links }
}

describePage("names that callers set", () => {
  test("are shown as text on every page of the dashboard", { timeout: 240_000 }, async () => {
    const created: string[] = []
    for (const payload of PAYLOADS) {
      for (const [path, body, as] of bodiesOf(payload)) {
        const { status, text } = await service.post(path, body, as === "team" ? { auth: service.team.auth } : {})
        // A name that is not text is refused, which is as good.
        expect(status, `${path} ${text}`).toBeLessThan(500)
        created.push(`${status} ${path} ${status < 300 ? "" : text}`)
      }
      await createFileTransfer(service).create({ size: 1, name: named(payload, "file") })
    }
    console.log(created.join("\n"))
    const { page } = await openPage(appPath())
    const dialogs: string[] = []
    page.on("dialog", (dialog) => {
      dialogs.push(dialog.message())
      return dialog.dismiss()
    })
    const seen = new Set<string>([appPath(), "/dashboard/team/apps"])
    const texts: string[] = []
    for (const path of seen) {
      const { injected, text, links } = await inspect(page, path)
      expect({ path, injected: JSON.parse(injected), dialogs }).toEqual({ path, injected: [], dialogs: [] })
      texts.push(text)
      // Pages of one kind differ in their names only: all of a kind with our names, and few others.
      for (const link of links) if (seen.size < 150) seen.add(link.split("?")[0] ?? "")
    }
    console.log(seen.size, [...seen].join("\n"))
    const all = texts.join("\n")
    for (const what of ["app", "key", "role", "policy", "description", "enclave", "honey", "merchant", "file"])
      for (const payload of PAYLOADS) expect(all).toContain(named(payload, what))
  })
})

import { hash } from "node:crypto"
import { describe, expect, test } from "vitest"
import { failureUrl, redirectUriOf, requireProvider, signedInUrl } from "./oidc-addresses.ts"
import { signInPage } from "./sign-in-page.ts"

const PROVIDER = { issuer: "https://login.example", clientId: "sealway", clientSecret: null }
const pageOf = (settings: Parameters<typeof signInPage>[0]) => {
  const { body, headers } = signInPage(settings)
  return { html: Buffer.from(body.bytes).toString(), format: body.format, headers }
}
/** Returns the content of the only element of a kind. */
const contentOf = (html: string, element: string) => {
  const [only = "", ...others] = html.split(`<${element}>`).slice(1)
  expect(others).toEqual([])
  return only.slice(0, only.indexOf(`</${element}>`))
}
const sourceOf = (text: string) => `'sha256-${hash("sha256", text, "base64")}'`

describe("the page for signing in", () => {
  test("runs its own script and style, sends only to its own origin, and is in no frame", () => {
    const { html, format, headers } = pageOf({ provider: null, hasDashboard: false })
    expect(format).toBe("page")
    expect(headers).toEqual({
      "content-security-policy": [
        "default-src 'none'",
        `style-src ${sourceOf(contentOf(html, "style"))}`,
        `script-src ${sourceOf(contentOf(html, "script"))}`,
        "connect-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
      ].join("; "),
      "cross-origin-opener-policy": "same-origin",
      "referrer-policy": "no-referrer",
    })
  })

  test("leads to the identity provider where there is one, and says what to run where there is none", () => {
    const link = 'id="other" href="sign-in/oidc"'
    const withProvider = pageOf({ provider: PROVIDER, hasDashboard: false }).html
    expect(withProvider).toContain(link)
    expect(withProvider).toContain('data-hint=""')
    const without = pageOf({ provider: null, hasDashboard: false }).html
    expect(without).not.toContain(link)
    expect(without).toContain('data-hint="To sign in, run: npx sealway dashboard"')
    // The script shows it.
    expect(without).toContain('id="other"')
  })

  test("leads to the dashboard where there is one", () => {
    const link = 'href="/dashboard"'
    expect(pageOf({ provider: null, hasDashboard: true }).html).toContain(link)
    expect(pageOf({ provider: null, hasDashboard: false }).html).not.toContain('id="dashboard"')
  })
})

describe("a sign-in with an identity provider", () => {
  const idp = { authorizationUrl: async () => "", identify: () => Promise.reject(new Error("unused")) }

  test("ends on the origin of the service, on its dashboard if it has one", () => {
    const origin = "https://api.example.com"
    expect(redirectUriOf(origin)).toBe(`${origin}/sign-in/oidc/callback`)
    const settings = { links: false, provider: PROVIDER }
    expect(signedInUrl(origin, { ...settings, hasDashboard: true })).toBe(`${origin}/dashboard`)
    expect(signedInUrl(origin, { ...settings, hasDashboard: false })).toBe(`${origin}/sign-in`)
    expect(failureUrl(origin, "no-access")).toBe(`${origin}/sign-in#failed=no-access`)
  })

  test("is refused with forbidden without a provider, and where its cookie would be sent unencrypted", () => {
    expect(requireProvider(idp, "name")).toEqual({ idp, cookieName: "name" })
    for (const [given, cookieName, reason] of [
      [null, "name", "no identity provider"],
      [idp, null, "over HTTPS"],
    ] as const) {
      expect(() => requireProvider(given, cookieName)).toThrow(
        expect.objectContaining({ code: "forbidden", message: expect.stringContaining(reason) }),
      )
    }
  })
})

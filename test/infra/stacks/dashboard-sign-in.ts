import { once } from "node:events"
import type { IncomingMessage } from "node:http"
import { request } from "node:https"
import { ASSET_CACHE_CONTROL, PAGE_CACHE_CONTROL } from "@sealway/api"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import * as z from "zod"
import { basic } from "../../support/service.ts"
import { type DashboardService, startDashboardService, VIEWER_IP } from "../dashboard-service.ts"

const PAGE = "<!doctype html><title>Sealway</title>"
const FILES = new Map([
  [
    "dashboard/index.html",
    { bytes: Buffer.from(PAGE), contentType: "text/html; charset=utf-8", cacheControl: PAGE_CACHE_CONTROL },
  ],
  [
    "dashboard/assets/index-1a2b.js",
    { bytes: Buffer.from("0"), contentType: "text/javascript", cacheControl: ASSET_CACHE_CONTROL },
  ],
])

let service: DashboardService
beforeAll(async () => {
  service = await startDashboardService(FILES)
}, 120_000)
afterAll(() => service?.close())

interface Sent {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
}

/** Sends a request to CloudFront, whose certificate only this client trusts. The path is sent as it is. */
async function ask(path: string, { method = "GET", headers = {}, body }: Sent = {}) {
  const { url, certificate } = service.edge
  const { hostname, port } = new URL(url)
  const sent = request({
    hostname,
    port,
    path,
    method,
    ca: certificate,
    headers: { ...(body !== undefined && { "content-type": "application/json" }), ...headers },
  })
  sent.end(body === undefined ? undefined : JSON.stringify(body))
  const [answer]: IncomingMessage[] = await once(sent, "response")
  if (answer === undefined) throw new Error("There is no answer")
  const chunks: Buffer[] = []
  for await (const chunk of answer) chunks.push(chunk)
  return { status: answer.statusCode, headers: answer.headers, text: Buffer.concat(chunks).toString() }
}

const byTeam = () => ({ authorization: basic({ user: service.keys.teamId, key: service.keys.teamKey }) })
/** What the page sends with a change. */
const byPage = (cookie: string, origin = service.edge.url) => ({
  cookie,
  origin,
  "sec-fetch-site": "same-origin",
  "x-requested-with": "sealway",
  "x-service-app-id": service.keys.apps[0]?.id ?? "",
})

/** Signs somebody in at the provider. @returns the cookie of the session, and where it ends */
async function signIn(account: string) {
  const { edge, provider } = service
  provider.signingIn = account
  const started = await ask("/api/sign-in/oidc")
  const cookies = new Map<string, string>()
  const keep = (set: readonly string[]) => {
    for (const each of set) {
      const [name = "", value = ""] = each.split(";")[0]?.split("=") ?? []
      cookies.set(name, value)
    }
  }
  let location = started.headers.location ?? ""
  const redirectUri = new URL(location).searchParams.get("redirect_uri")
  while (!location.startsWith(edge.url)) {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ")
    const answer = await fetch(location, { redirect: "manual", headers: { cookie } })
    keep(answer.headers.getSetCookie())
    location = new URL(answer.headers.get("location") ?? edge.url, location).href
  }
  const begun = started.headers["set-cookie"]?.[0]?.split(";")[0] ?? ""
  const back = await ask(location.slice(edge.url.length), { headers: { cookie: begun } })
  const set = back.headers["set-cookie"]?.find((each) => each.includes("session=")) ?? ""
  return { redirectUri, set, cookie: set.split(";")[0] ?? "", location: back.headers.location }
}

async function member(email: string): Promise<string> {
  service.provider.accounts.set(email, { email, email_verified: true, name: "Ada" })
  const invited = await ask("/api/invitations", {
    method: "POST",
    headers: byTeam(),
    body: { email, role: "admin" },
  })
  expect(invited.status, invited.text).toBe(201)
  return (await signIn(email)).cookie
}

describe("the dashboard's address", () => {
  test("answers each of the page's addresses with the page, which may load from there only", async () => {
    for (const path of ["/dashboard", "/dashboard/apps/app_1/relays?tab=activity", "/dashboard/index.html"]) {
      const { status, headers, text } = await ask(path)
      expect({ path, status, text }).toEqual({ path, status: 200, text: PAGE })
      expect(headers).toMatchObject({
        "cache-control": "no-cache",
        "content-security-policy":
          "default-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; object-src 'none'",
        "cross-origin-opener-policy": "same-origin",
        "cross-origin-resource-policy": "same-origin",
        "referrer-policy": "no-referrer",
        "strict-transport-security": "max-age=31536000",
        "x-content-type-options": "nosniff",
      })
    }
  })

  test("answers assets, which browsers keep, and never the page for a missing one", async () => {
    const asset = await ask("/dashboard/assets/index-1a2b.js")
    expect(asset.headers["cache-control"]).toBe("public, max-age=31536000, immutable")
    const missing = await ask("/dashboard/assets/index-0000.js")
    expect(missing.status).toBe(404)
    expect(missing.text).not.toContain(PAGE)
  })

  test("leads from the origin to the dashboard, and has nothing else", async () => {
    for (const path of ["/", "/dashboard/"]) {
      const { status, headers } = await ask(path)
      expect([path, status, headers.location]).toEqual([path, 302, "/dashboard"])
    }
    for (const path of ["/robots.txt", "/api", "/api-keys", "/dashboards", "/sign-in"])
      expect([path, (await ask(path)).status]).toEqual([path, 404])
    expect((await ask("/dashboard", { method: "POST" })).status).toBe(403)
  })
})

describe("the API below the dashboard's address", () => {
  test("answers with its own problems, which nothing hides", async () => {
    const { status, headers, text } = await ask("/api/apps")
    expect([status, headers["content-type"]]).toEqual([401, "application/problem+json"])
    expect(JSON.parse(text)).toMatchObject({ code: "unauthorized" })
  })

  test("answers with what keeps browsers at HTTPS, and from guessing the type of an answer", async () => {
    for (const path of ["/api/sign-in", "/api/health", "/api/apps"]) {
      const { headers } = await ask(path)
      expect([path, headers["strict-transport-security"], headers["x-content-type-options"]]).toEqual([
        path,
        "max-age=31536000",
        "nosniff",
      ])
    }
    // The pages of the API keep the policies that they have.
    const { headers } = await ask("/api/sign-in")
    expect(headers["content-security-policy"]).toContain("default-src 'none'")
  })

  test("is not reached by a path that only looks as if it were there", async () => {
    for (const path of ["/dashboard/../api/health", "/api/../api-keys", "/%61pi/health"])
      expect([path, (await ask(path)).status]).toEqual([path, 404])
    expect((await ask("/api/health")).status).toBe(200)
  })
})

describe("a member who signs in at the dashboard's address", () => {
  test("comes back from the identity provider to the dashboard, with a cookie that only this origin gets", async () => {
    await member("ada@example.com")
    const { redirectUri, set, cookie, location } = await signIn("ada@example.com")
    expect(redirectUri).toBe(`${service.edge.url}/api/sign-in/oidc/callback`)
    expect(location).toBe(`${service.edge.url}/dashboard`)
    expect(set).toMatch(
      /^__Host-sealway_session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict; Max-Age=43200; Secure$/,
    )
    const session = await ask("/api/session", { headers: byPage(cookie) })
    expect(JSON.parse(session.text)).toMatchObject({ member: { email: "ada@example.com", role: "admin" } })
  })

  test("who is refused comes back to the page that says so", async () => {
    const { cookie, location } = await signIn("nobody@example.com")
    expect([cookie, location]).toEqual(["", `${service.edge.url}/api/sign-in#failed=no-access`])
    expect((await ask("/api/sign-in")).text).toContain('href="/dashboard"')
  })

  test("changes things from there only, and not at the API's own address", async () => {
    const cookie = await member("grace@example.com")
    const change = { method: "POST", body: { slug: "from-page", name: "Cards" } }
    const done = await ask("/api/data-roles", { ...change, headers: byPage(cookie) })
    expect(done.status, done.text).toBe(201)
    for (const origin of [service.apiUrl, "https://evil.example", "null"]) {
      const { status, text } = await ask("/api/data-roles", { ...change, headers: byPage(cookie, origin) })
      expect([origin, status, JSON.parse(text).code]).toEqual([origin, 403, "forbidden"])
    }
    const direct = await fetch(`${service.apiUrl}/data-roles`, {
      method: "POST",
      headers: { ...byPage(cookie, service.apiUrl), "content-type": "application/json" },
      body: JSON.stringify(change.body),
    })
    expect(direct.status).toBe(403)
  })

  test("signs out, and the cookie is gone", async () => {
    const cookie = await member("erin@example.com")
    const { status, headers } = await ask("/api/sign-out", { method: "POST", headers: byPage(cookie) })
    expect([status, headers["set-cookie"]?.[0]]).toEqual([
      204,
      "__Host-sealway_session=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0; Secure",
    ])
    expect((await ask("/api/session", { headers: byPage(cookie) })).status).toBe(401)
  })
})

describe("the address of a caller", () => {
  const audited = z.object({ data: z.array(z.object({ ip: z.string() })) })

  /** Changes something with the app's key, and returns from where the audit log says that it came. */
  async function addressOf(slug: string, send: (sent: Required<Sent>) => Promise<unknown>): Promise<string> {
    const [app] = service.keys.apps
    const auth = basic({ user: app?.id ?? "", key: app?.apiKey ?? "" })
    await send({
      method: "POST",
      body: { slug, name: slug },
      headers: {
        authorization: auth,
        "content-type": "application/json",
        "x-dashboard-viewer-ip": "10.0.0.1",
      },
    })
    const { text } = await ask("/api/audit-logs?action=data-role.create&limit=1", { headers: byTeam() })
    return audited.parse(JSON.parse(text)).data[0]?.ip ?? ""
  }

  test("is the one that CloudFront reports, whatever its headers say", async () => {
    expect(await addressOf("through", (sent) => ask("/api/data-roles", sent))).toBe(VIEWER_IP)
  })

  test("is its own at the API, where nobody's header is believed without CloudFront's secret", async () => {
    const direct =
      (forged: Readonly<Record<string, string>>) =>
      ({ method, headers, body }: Required<Sent>) =>
        fetch(`${service.apiUrl}/data-roles`, {
          method,
          headers: { ...headers, ...forged },
          body: JSON.stringify(body),
        })
    expect(await addressOf("direct", direct({}))).toBe("127.0.0.1")
    const guessed = { "x-dashboard-origin-secret": "s".repeat(63) }
    expect(await addressOf("guessed", direct(guessed))).toBe("127.0.0.1")
  })
})

import { createEgress } from "@sealway/http/egress"
import { createGuardedFetch, createIdentityProvider } from "@sealway/members/testing"
import { afterAll, afterEach, beforeEach, describe, expect, test, vi } from "vitest"
import * as z from "zod"
import { CLIENT, type Misbehaviour, startProvider, startRogueProvider } from "../support/identity-provider.ts"
import { createMembers } from "../support/members.ts"
import { expectProblem } from "../support/problem.ts"
import { type TestService, useService } from "../support/service.ts"

const provider = await startProvider(() => `${service.url}/sign-in/oidc/callback`)
const rogue = await startRogueProvider()
const service = useService("container", { identityProvider: { issuer: provider.issuer, ...CLIENT } })
const misled = useService("container", {
  identityProvider: { issuer: rogue.issuer, clientId: CLIENT.clientId, clientSecret: null },
})
afterAll(async () => {
  await provider.close()
  await rogue.close()
})
beforeEach(() => {
  provider.accounts.clear()
  rogue.behaviour = {}
})
afterEach(() => vi.restoreAllMocks())

/** A browser: it keeps cookies by host, and follows no redirect by itself. */
function openBrowser() {
  const jars = new Map<string, Map<string, string>>()
  return {
    jars,
    async visit(url: string): Promise<{ readonly status: number; readonly location: string }> {
      const { origin } = new URL(url)
      const jar = jars.get(origin) ?? new Map<string, string>()
      jars.set(origin, jar)
      const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join("; ")
      const response = await fetch(url, { redirect: "manual", headers: cookie === "" ? {} : { cookie } })
      await response.arrayBuffer()
      for (const set of response.headers.getSetCookie()) {
        const [name = "", value = ""] = set.split(";")[0]?.split("=") ?? []
        if (value === "" || /max-age=0/i.test(set)) jar.delete(name)
        else jar.set(name, value)
      }
      const location = response.headers.get("location")
      return { status: response.status, location: location === null ? "" : new URL(location, url).href }
    },
  }
}
type Browser = ReturnType<typeof openBrowser>

/** Signs in at the provider as an account, up to the address that the provider sends the browser back to. */
async function signInAt(browser: Browser, account: string, from = `${service.url}/sign-in/oidc`) {
  provider.signingIn = account
  let { location } = await browser.visit(from)
  for (let step = 0; location.startsWith(provider.issuer); step++) {
    if (step === 10) throw new Error("The provider does not send the browser back")
    ;({ location } = await browser.visit(location))
  }
  return location
}

const sessionOf = (browser: Browser, of: TestService = service) =>
  browser.jars.get(of.url)?.get("sealway_session")

async function invite(email: string, role = "developer", of: TestService = service) {
  const answer = await of.post("/invitations", { email, role }, { auth: of.team.auth })
  expect([201, 409]).toContain(answer.status)
}

async function whoIs(browser: Browser) {
  const cookie = `sealway_session=${sessionOf(browser)}`
  return (await service.get("/session", createMembers(service).by(cookie))).json
}

const FAILED = /\/sign-in#failed=failed$/
const NO_ACCESS = /\/sign-in#failed=no-access$/

describe("signing in with OpenID Connect", () => {
  test("makes an invited person a member, and signs them in again later", async () => {
    provider.accounts.set("ada", { email: "Ada@Example.com", email_verified: true, name: "Ada" })
    await invite("ada@example.com")
    const browser = openBrowser()
    const back = await signInAt(browser, "ada")
    expect((await browser.visit(back)).location).toBe(`${service.url}/dashboard`)
    const member = { email: "ada@example.com", name: "Ada", role: "developer" }
    expect(await whoIs(browser)).toMatchObject({ member })
    expect(browser.jars.get(service.url)?.has("sealway_sign_in")).toBe(false)
    const other = openBrowser()
    await other.visit(await signInAt(other, "ada"))
    expect(await whoIs(other)).toMatchObject({ member })
    const { data } = z
      .object({ data: z.array(z.object({ action: z.string(), actor: z.object({ type: z.string() }) })) })
      .parse((await service.get("/audit-logs?action=member.create", { auth: service.team.auth })).json)
    expect(data[0]).toEqual({ action: "member.create", actor: { type: "member" } })
  })

  test("sends the browser to the provider with PKCE, state and nonce, which differ each time", async () => {
    const requests = await Promise.all(
      [1, 2].map(async () => new URL((await openBrowser().visit(`${service.url}/sign-in/oidc`)).location)),
    )
    for (const { searchParams } of requests) {
      expect(Object.fromEntries(searchParams)).toMatchObject({
        response_type: "code",
        code_challenge_method: "S256",
        scope: "openid email profile",
        redirect_uri: `${service.url}/sign-in/oidc/callback`,
      })
    }
    for (const name of ["state", "nonce", "code_challenge"]) {
      const values = requests.map(({ searchParams }) => searchParams.get(name))
      expect(new Set(values).size).toBe(2)
      expect(values[0]).toMatch(/^[\w-]{43}$/)
    }
  })

  test.each<[string, { readonly email?: string; readonly email_verified?: boolean }]>([
    ["whom nobody invited", { email: "stranger@example.com", email_verified: true }],
    ["whose address the provider has not verified", { email: "bob@example.com", email_verified: false }],
    ["whose provider says nothing about the address", { email: "bob@example.com" }],
    ["without an address", {}],
  ])("gives no access to somebody %s, and tells no more than that", async (_, account) => {
    await invite("bob@example.com")
    provider.accounts.set("bob", account)
    const browser = openBrowser()
    expect((await browser.visit(await signInAt(browser, "bob"))).location).toMatch(NO_ACCESS)
    expect(sessionOf(browser)).toBeUndefined()
  })

  test("gives no access to another account with a member's address", async () => {
    const account = { email: "carol@example.com", email_verified: true }
    provider.accounts.set("carol", account).set("impostor", account)
    await invite("carol@example.com", "owner")
    const [member, impostor] = [openBrowser(), openBrowser()]
    await member.visit(await signInAt(member, "carol"))
    expect((await impostor.visit(await signInAt(impostor, "impostor"))).location).toMatch(NO_ACCESS)
  })

  test("leads only to the service's own page, whatever the request asks for", async () => {
    provider.accounts.set("dora", { email: "dora@example.com", email_verified: true })
    await invite("dora@example.com")
    const browser = openBrowser()
    const from = `${service.url}/sign-in/oidc?returnTo=https://evil.example&redirect_uri=https://evil.example`
    const back = await signInAt(browser, "dora", from)
    const { location } = await browser.visit(`${back}&returnTo=https://evil.example`)
    expect(location).toBe(`${service.url}/dashboard`)
  })
})

describe("an answer of the provider", () => {
  beforeEach(async () => {
    provider.accounts.set("erin", { email: "erin@example.com", email_verified: true })
    await invite("erin@example.com")
  })

  test("is used once, also when it is used twice at the same time", async () => {
    const browser = openBrowser()
    const back = await signInAt(browser, "erin")
    const cookies = new Map(browser.jars.get(service.url))
    const [one, two] = [openBrowser(), openBrowser()]
    for (const each of [one, two]) each.jars.set(service.url, new Map(cookies))
    const ends = await Promise.all([one.visit(back), two.visit(back)])
    expect(ends.filter(({ location }) => location === `${service.url}/dashboard`).length).toBeLessThanOrEqual(
      1,
    )
    browser.jars.set(service.url, new Map(cookies))
    expect((await browser.visit(back)).location).toMatch(FAILED)
    expect(sessionOf(browser)).toBeUndefined()
  })

  test("is refused in a browser that did not begin the sign-in", async () => {
    const back = await signInAt(openBrowser(), "erin")
    const stranger = openBrowser()
    expect((await stranger.visit(back)).location).toMatch(FAILED)
    await stranger.visit(`${service.url}/sign-in/oidc`)
    expect((await stranger.visit(back)).location).toMatch(FAILED)
    expect(sessionOf(stranger)).toBeUndefined()
  })

  test("with a stolen code is refused by PKCE, even with the thief's own state", async () => {
    const victim = await signInAt(openBrowser(), "erin")
    const thief = openBrowser()
    const own = new URL((await thief.visit(`${service.url}/sign-in/oidc`)).location).searchParams.get("state")
    const injected = new URL(victim)
    injected.searchParams.set("state", own ?? "")
    expect((await thief.visit(injected.href)).location).toMatch(FAILED)
    expect(sessionOf(thief)).toBeUndefined()
  })

  test.each<[string, (answer: URL) => void]>([
    ["another state", ({ searchParams }) => searchParams.set("state", "A".repeat(43))],
    ["no state", ({ searchParams }) => searchParams.delete("state")],
    ["another issuer", ({ searchParams }) => searchParams.set("iss", "https://evil.example")],
    ["no issuer, although the provider names itself", ({ searchParams }) => searchParams.delete("iss")],
    ["an unknown code", ({ searchParams }) => searchParams.set("code", "x")],
    ["no code", ({ searchParams }) => searchParams.delete("code")],
    ["two codes", ({ searchParams }) => searchParams.append("code", "x")],
    ["an error", ({ searchParams }) => searchParams.set("error", "access_denied")],
  ])("is refused with %s", async (_, change) => {
    const browser = openBrowser()
    const answer = new URL(await signInAt(browser, "erin"))
    change(answer)
    expect((await browser.visit(answer.href)).location).toMatch(FAILED)
    expect(sessionOf(browser)).toBeUndefined()
  })

  test("is refused in 10 minutes, when its code has expired", async () => {
    const browser = openBrowser()
    const back = await signInAt(browser, "erin")
    const now = Date.now.bind(Date)
    vi.spyOn(Date, "now").mockImplementation(() => now() + 11 * 60_000)
    expect((await browser.visit(back)).location).toMatch(FAILED)
  })
})

describe("a provider", () => {
  /** Begins a sign-in at the rogue provider, and comes back with any code. */
  async function signIn(
    behaviour: Misbehaviour,
  ): Promise<{ readonly location: string; readonly isIn: boolean }> {
    await invite("rogue@example.com", "developer", misled)
    const browser = openBrowser()
    const { searchParams } = new URL((await browser.visit(`${misled.url}/sign-in/oidc`)).location)
    rogue.behaviour = { nonce: searchParams.get("nonce") ?? "", ...behaviour }
    const back = new URL(`${misled.url}/sign-in/oidc/callback`)
    back.searchParams.set("code", "any")
    back.searchParams.set("state", searchParams.get("state") ?? "")
    const { location } = await browser.visit(back.href)
    return { location, isIn: sessionOf(browser, misled) !== undefined }
  }
  const seconds = () => Math.floor(Date.now() / 1000)

  test("is believed when everything is right, and when its clock differs by seconds", async () => {
    expect((await signIn({})).isIn).toBe(true)
    expect((await signIn({ claims: { iat: seconds() + 20, exp: seconds() + 320 } })).isIn).toBe(true)
    expect((await signIn({ claims: { iat: seconds() - 320, exp: seconds() - 20 } })).isIn).toBe(true)
  })

  test.each<[string, () => Misbehaviour]>([
    ["is for another client", () => ({ claims: { aud: "another" } })],
    [
      "is for another client too, and authorizes that one",
      () => ({ claims: { aud: [CLIENT.clientId, "b"], azp: "b" } }),
    ],
    ["is of another issuer", () => ({ claims: { iss: "https://evil.example" } })],
    ["has expired", () => ({ claims: { exp: seconds() - 60 } })],
    ["never expires", () => ({ claims: { exp: undefined } })],
    ["is not valid yet", () => ({ claims: { nbf: seconds() + 60 } })],
    ["has another nonce", () => ({ nonce: "another" })],
    ["has no nonce", () => ({ claims: { nonce: undefined } })],
    ["has a subject that is too long", () => ({ claims: { sub: "x".repeat(256) } })],
    ["has no subject", () => ({ claims: { sub: undefined } })],
    ["is not signed", () => ({ unsigned: true })],
    ["is signed with another key", () => ({ foreignKey: true })],
    ["comes with an error", () => ({ status: 400 })],
  ])("is refused when its token %s", async (_, behaviour) => {
    expect(await signIn(behaviour())).toEqual({ location: expect.stringMatching(FAILED), isIn: false })
  })

  test("is unavailable when it fails", async () => {
    expect((await signIn({ status: 503 })).location).toMatch(/#failed=unavailable$/)
  })
})

describe("what a provider says of somebody", () => {
  const secrets = { state: "s", nonce: "n", verifier: "v".repeat(43) }
  const rules = { allowPrivate: true }
  const clock = { ms: 0 }
  const { signal } = new AbortController()
  const createProvider = (clientSecret: string | null = null) =>
    createIdentityProvider({
      configuration: { issuer: rogue.issuer, clientId: CLIENT.clientId, clientSecret },
      fetch: createGuardedFetch(createEgress(rules), rules),
      now: () => clock.ms,
    })
  const identify = (behaviour: Misbehaviour, idp = createProvider()) => {
    rogue.behaviour = { nonce: secrets.nonce, ...behaviour }
    return idp.identify(new URL("https://sealway.example/callback?code=any&state=s"), secrets, signal)
  }
  const USERINFO = { userinfo_endpoint: `${rogue.issuer}/userinfo` }

  test("is who they are, and their address and name if these are texts", async () => {
    const account = { issuer: rogue.issuer, subject: "rogue" }
    const named = { claims: { name: "Rogue" } }
    expect(await identify(named)).toEqual({
      ...account,
      email: "rogue@example.com",
      isEmailVerified: true,
      name: "Rogue",
    })
    const odd = { claims: { email: ["rogue@example.com"], email_verified: "true", name: 1 } }
    expect(await identify(odd)).toEqual({ ...account, email: null, isEmailVerified: false, name: null })
    expect((await identify({ claims: { sub: "x".repeat(255) } })).subject).toHaveLength(255)
  })

  test("is looked up when their token has no address and the provider has a place for it", async () => {
    const withoutEmail = { claims: { email: undefined, email_verified: undefined } }
    const profile = { sub: "rogue", email: "found@example.com", email_verified: true, name: "Found" }
    const found = { email: "found@example.com", isEmailVerified: true, name: "Found" }
    expect(await identify({ ...withoutEmail, profile, metadata: USERINFO })).toMatchObject(found)
    expect(await identify({ ...withoutEmail, profile })).toMatchObject({ email: null, name: null })
    expect(await identify({ profile, metadata: USERINFO })).toMatchObject({ email: "rogue@example.com" })
    const foreign = { ...withoutEmail, profile: { ...profile, sub: "another" }, metadata: USERINFO }
    await expect(identify(foreign)).rejects.toMatchObject({ name: "IdentityProviderError" })
  })

  test("is exchanged for a code with the client's secret, in the way that the provider names", async () => {
    const basic = `Basic ${Buffer.from("sealway:secret").toString("base64")}`
    const methods = (...names: string[]) => ({ metadata: { token_endpoint_auth_methods_supported: names } })
    for (const [secret, behaviour, authorization, inBody] of [
      ["secret", {}, basic, null],
      ["secret", methods("client_secret_post", "client_secret_basic"), basic, null],
      ["secret", methods("client_secret_post"), undefined, "secret"],
      [null, {}, undefined, null],
    ] as const) {
      await identify(behaviour, createProvider(secret))
      const { body } = rogue.tokenRequest ?? {}
      expect([rogue.tokenRequest?.authorization, body?.get("client_secret")]).toEqual([authorization, inBody])
      expect(body?.get("code_verifier")).toBe(secrets.verifier)
    }
  })

  test("takes the metadata once in ten minutes, and again after they could not be had", async () => {
    const asked = () => rogue.received.filter((request) => request.endsWith("/openid-configuration")).length
    const idp = createProvider()
    rogue.behaviour = { metadata: { issuer: "https://evil.example" } }
    const url = () => idp.authorizationUrl("https://sealway.example/callback", secrets, signal)
    await expect(url()).rejects.toMatchObject({ name: "IdentityProviderError" })
    rogue.behaviour = {}
    const before = asked()
    expect(await url()).toContain(`${rogue.issuer}/authorize?`)
    clock.ms += 10 * 60_000 - 1
    await url()
    expect(asked()).toBe(before + 1)
    clock.ms += 1
    await url()
    expect(asked()).toBe(before + 2)
  })
})

describe("a service without an identity provider", () => {
  const plain = useService()

  test("refuses to begin or finish a sign-in with one", async () => {
    for (const path of ["/sign-in/oidc", "/sign-in/oidc/callback?code=x&state=x"]) {
      expectProblem(await plain.get(path, { auth: null }), "forbidden")
    }
  })
})

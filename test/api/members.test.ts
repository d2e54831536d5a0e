import { MEMBER_ROLES, type MemberRole, REVEALS } from "@sealway/accounts"
import { createService, serviceEndpoints } from "@sealway/api"
import { afterEach, beforeAll, describe, expect, test, vi } from "vitest"
import * as z from "zod"
import { createMembers, type Members } from "../support/members.ts"
import { expectProblem } from "../support/problem.ts"
import { LAMBDA_CONTEXT, proxyEvent } from "../support/proxy-event.ts"
import { type Answer, type CallOptions, useService } from "../support/service.ts"

const service = useService()
const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const idSchema = z.object({ id: z.string() })
const listSchema = z.object({ data: z.array(z.looseObject({ id: z.string() })) })

let members: Members
const clock = { aheadMs: 0 }

beforeAll(() => {
  members = createMembers(service)
})
afterEach(() => {
  vi.restoreAllMocks()
  clock.aheadMs = 0
})

/** Moves the wall clock, and what the service has in memory becomes older too. */
function pass(durationMs: number): void {
  if (clock.aheadMs === 0) {
    const [wall, steady] = [Date.now.bind(Date), performance.now.bind(performance)]
    vi.spyOn(Date, "now").mockImplementation(() => wall() + clock.aheadMs)
    vi.spyOn(performance, "now").mockImplementation(() => steady() + clock.aheadMs)
  }
  clock.aheadMs += durationMs
}

const asTeam = (): CallOptions => ({ auth: service.team.auth })

describe("a sign-in link", () => {
  test("signs a browser in as owner, with a cookie that scripts and other sites cannot use", async () => {
    const { answer, cookie } = await members.useLink(await members.newCode())
    expect(answer.status).toBe(200)
    expect(answer.json).toMatchObject({ email: null, role: "owner" })
    expect(answer.headers.get("set-cookie")).toMatch(
      /^sealway_session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict; Max-Age=43200$/,
    )
    const session = await service.get("/session", members.by(cookie))
    expect(session.json).toMatchObject({ member: { role: "owner" }, team: { id: service.team.id } })
  })

  test("signs in the same owner each time", async () => {
    const ids = [
      await members.useLink(await members.newCode()),
      await members.useLink(await members.newCode()),
    ]
    const [first, second] = ids.map(({ answer }) => idSchema.parse(answer.json).id)
    expect(second).toBe(first)
  })

  test("works once, of several uses at the same time too", async () => {
    const code = await members.newCode()
    const uses = await Promise.all([1, 2, 3].map(() => members.useLink(code)))
    expect(uses.map(({ answer }) => answer.status).sort()).toEqual([200, 401, 401])
    expectProblem((await members.useLink(code)).answer, "unauthorized")
  })

  test("is refused after 5 minutes, and like one that never existed", async () => {
    const code = await members.newCode()
    pass(5 * MINUTE_MS)
    const [expired, unknown, malformed] = [
      (await members.useLink(code)).answer,
      (await members.useLink("A".repeat(43))).answer,
      (await members.useLink("x")).answer,
    ]
    expectProblem(expired, "unauthorized")
    expect(unknown.json).toEqual(expired.json)
    expect(malformed.json).toEqual(expired.json)
  })

  test.each([
    ["without the page's header", { "x-requested-with": "" }],
    ["from another origin", { origin: "http://evil.example" }],
    ["from another port of this machine", { origin: "http://127.0.0.1:1" }],
    ["of a page that has no origin", { origin: "null" }],
    ["that the browser says another site caused", { "sec-fetch-site": "cross-site" }],
    ["that the browser says another port caused", { "sec-fetch-site": "same-site" }],
  ])("is not used up by a request %s", async (_, headers) => {
    const code = await members.newCode()
    expectProblem((await members.useLink(code, headers)).answer, "forbidden")
    expect((await members.useLink(code)).answer.status).toBe(200)
  })

  test("gives a new secret to a browser that already sends one", async () => {
    const planted = "A".repeat(43)
    const headers = { cookie: `sealway_session=${planted}` }
    const { cookie } = await members.useLink(await members.newCode(), headers)
    expect(cookie).not.toContain(planted)
    expectProblem(await service.get("/session", members.by(`sealway_session=${planted}`)), "unauthorized")
  })

  test("is created by a team key or an owner, and by nobody else", async () => {
    expectProblem(await service.post("/sign-in-links", undefined), "forbidden")
    expectProblem(await service.post("/sign-in-links", undefined, { auth: null }), "unauthorized")
    for (const role of MEMBER_ROLES) {
      const answer = await service.post("/sign-in-links", undefined, members.by(await members.signIn(role)))
      expect({ [role]: answer.status }).toEqual({ [role]: role === "owner" ? 201 : 403 })
    }
  })

  test("does not exist where members sign in with an identity provider", async () => {
    const { platform } = service.service
    const { endpoints } = createService({
      ...platform,
      signIn: { links: false, provider: null, hasDashboard: false },
    })
    for (const [id, path, body] of [
      ["create-sign-in-link", "/sign-in-links", undefined],
      ["use-sign-in-link", "/sign-in/link", JSON.stringify({ code: await members.newCode() })],
    ] as const) {
      const { handler } = endpoints.find(({ endpoint }) => endpoint.id === id) ?? {}
      const { key } = service.team.auth
      const headers = {
        "content-type": "application/json",
        host: "localhost",
        origin: "http://localhost",
        "x-requested-with": "sealway",
        ...(id === "create-sign-in-link" && { "api-key": key }),
      }
      const event = proxyEvent({ method: "POST", path, headers, ...(body && { body }) })
      const answer = await handler?.(event, LAMBDA_CONTEXT)
      expect(answer, id).toMatchObject({
        statusCode: 403,
        body: expect.stringContaining("identity provider"),
      })
    }
  })

  test("shows a page that loads nothing else and cannot be framed", async () => {
    const page = await service.get("/sign-in", { auth: null })
    const policy = page.headers.get("content-security-policy")
    expect(policy).toMatch(/default-src 'none'.*connect-src 'self'.*frame-ancestors 'none'/)
    expect(policy).not.toContain("unsafe")
    expect(page.text).not.toContain("sealway_session")
    expect(page.headers.get("content-type")).toMatch(/^text\/html/)
  })
})

describe("a session", () => {
  test("ends an hour after its last renewal, and 12 hours after its start in any case", async () => {
    const idle = members.by(await members.signIn("owner"))
    const busy = members.by(await members.signIn("owner"))
    const renewals: number[] = []
    for (let hours = 0; hours < 12; hours++) {
      pass(HOUR_MS - MINUTE_MS)
      if (hours === 0) expect((await service.get("/session", idle)).status).toBe(200)
      renewals.push((await service.post("/session/renew", undefined, busy)).status)
    }
    expect(new Set(renewals)).toEqual(new Set([200]))
    expectProblem(await service.get("/session", idle), "unauthorized")
    pass(12 * MINUTE_MS)
    expectProblem(await service.get("/session", busy), "unauthorized")
    expectProblem(await service.post("/session/renew", undefined, busy), "unauthorized")
  })

  test("is renewed at most every five minutes", async () => {
    const busy = members.by(await members.signIn("owner"))
    const renew = async () => {
      const { json } = await service.post("/session/renew", undefined, busy)
      return z.object({ idleUntil: z.number() }).parse(json).idleUntil
    }
    const first = await renew()
    pass(4 * MINUTE_MS)
    expect(await renew()).toBe(first)
    pass(2 * MINUTE_MS)
    expect(await renew()).toBeGreaterThan(first)
  })

  test("is never said to last longer than its end, and keeps 200 printable characters of its browser's name", async () => {
    const userAgent = `Caf\u00e9\n${"x".repeat(300)}`
    const busy = members.by(await members.signIn("owner", { "user-agent": userAgent }))
    const stored = z.array(z.array(z.object({ userAgent: z.string(), endsAt: z.number() })))
    const session = stored
      .parse(await members.storedSessions())
      .flat()
      .find((each) => each.userAgent.startsWith("Caf"))
    expect(session?.userAgent).toBe(`Caf??${"x".repeat(195)}`)
    let idleUntil = 0
    for (let hours = 0; hours < 12; hours++) {
      pass(HOUR_MS - MINUTE_MS)
      const { json } = await service.post("/session/renew", undefined, busy)
      idleUntil = z.object({ idleUntil: z.number() }).parse(json).idleUntil
    }
    expect(idleUntil).toBe(session?.endsAt)
  })

  test("is stored as a hash only", async () => {
    const cookie = await members.signIn("owner")
    const token = cookie.split("=")[1] ?? ""
    const { id } = z
      .object({ session: idSchema })
      .parse((await service.get("/session", members.by(cookie))).json).session
    expect(id).toMatch(/^session_/)
    const sessions = JSON.stringify(await members.storedSessions())
    expect(sessions).toContain(id)
    expect(sessions).not.toContain(token)
  })

  test("is over at once when its member signs out, and its cookie is removed", async () => {
    const by = members.by(await members.signIn("owner"))
    const out = await service.post("/sign-out", undefined, by)
    expect(out.status).toBe(204)
    expect(out.headers.get("set-cookie")).toMatch(/^sealway_session=; .*Max-Age=0$/)
    expectProblem(await service.get("/session", by), "unauthorized")
    expect((await service.post("/sign-out", undefined, by)).status).toBe(204)
  })

  test("is not ended by another site", async () => {
    const by = members.by(await members.signIn("owner"))
    const forged = { auth: null, headers: { ...by.headers, origin: "https://evil.example" } }
    expectProblem(await service.post("/sign-out", undefined, forged), "forbidden")
    expect((await service.get("/session", by)).status).toBe(200)
  })

  test("is listed with where it began, and revoked by its member or an owner", async () => {
    const cookie = await members.signIn("developer", { "user-agent": `Browser\t${"x".repeat(300)}` })
    const other = await members.signInAgain(cookie)
    const mine = listSchema.parse((await service.get("/sessions", members.by(cookie))).json).data
    expect(mine).toHaveLength(2)
    expect(mine.at(-1)).toMatchObject({ ip: "127.0.0.1" })
    const memberId = String(mine[0]?.memberId)
    expect((await service.delete(`/sessions/${mine[0]?.id}`, members.by(cookie))).status).toBe(204)
    expectProblem(await service.get("/session", members.by(other)), "unauthorized")
    const path = `/members/${memberId}/sessions`
    expectProblem(await service.get(path, members.by(cookie)), "forbidden")
    const left = listSchema.parse((await service.get(path, asTeam())).json).data
    expect(left).toHaveLength(1)
    expect((await service.delete(`${path}/${left[0]?.id}`, asTeam())).status).toBe(204)
    expectProblem(await service.get("/session", members.by(cookie)), "unauthorized")
  })

  test("of somebody else is not revoked by a member, and looks like one that does not exist", async () => {
    const victim = members.by(await members.signIn("owner"))
    const session = z
      .object({ session: idSchema })
      .parse((await service.get("/session", victim)).json).session
    const attacker = members.by(await members.signIn("admin"))
    const [foreign, missing] = [
      await service.delete(`/sessions/${session.id}`, attacker),
      await service.delete("/sessions/session_0000000000000000", attacker),
    ]
    expectProblem(foreign, "not-found")
    expect(foreign.text).toContain("The session")
    expect(foreign.json).toEqual(missing.json)
    expect((await service.get("/session", victim)).status).toBe(200)
  })

  test("replaces the member's oldest one beyond 20", async () => {
    const first = await members.signIn("auditor")
    const cookies: string[] = []
    for (let count = 0; count < 20; count++) cookies.push(await members.signInAgain(first))
    pass(11_000)
    expectProblem(await service.get("/session", members.by(first)), "unauthorized")
    expect((await service.get("/session", members.by(cookies[0] ?? ""))).status).toBe(200)
  })

  test("counts for nothing beside a key, and is refused when it is sent twice", async () => {
    const cookie = await members.signIn("owner")
    const headers = { cookie }
    expectProblem(await service.get("/team", { headers }), "forbidden")
    expectProblem(
      await service.get("/team", { auth: null, headers: { ...headers, "api-key": "x" } }),
      "unauthorized",
    )
    expectProblem(await service.get("/team", members.by(`${cookie}; ${cookie}`)), "unauthorized")
    expectProblem(await service.get("/team", members.by("sealway_session=x")), "unauthorized")
    expectProblem(await service.get("/team", members.by(`__Host-${cookie}`)), "unauthorized")
  })

  test("asks a page to sign in instead of a browser for a password", async () => {
    const refused = await service.get("/session", members.by("sealway_session=x"))
    expect(refused.headers.get("www-authenticate")).toBe('Session realm="sealway"')
  })
})

describe("another site", () => {
  const FORGED = [
    ["no Origin", { origin: "" }],
    ["another Origin", { origin: "https://evil.example" }],
    ["no header of the page", { "x-requested-with": "" }],
    ["another site in Sec-Fetch-Site", { "sec-fetch-site": "cross-site" }],
  ] as const

  test("changes nothing by a member's browser, at any endpoint", async () => {
    const { headers = {} } = members.by(await members.signIn("owner"), service.sandbox.app.id)
    const changing = serviceEndpoints.filter(
      ({ method, auth }) => method !== "GET" && auth.some(({ forMember }) => forMember !== undefined),
    )
    expect(changing.length).toBeGreaterThan(80)
    for (const { id, method, path, request } of changing) {
      const target = path.replaceAll(/\{[^}]+\}/g, "x")
      for (const [forgery, forged] of FORGED) {
        const sent = Object.fromEntries(
          Object.entries({ ...headers, ...forged }).filter(([, value]) => value !== ""),
        )
        const body = request.body && (request.body.kind === "object" ? {} : "x")
        const formats = request.body?.kind === "document" ? request.body.formats : []
        const contentType = formats[0] === "lines" ? "application/x-ndjson" : "application/json"
        const answer = await service.call(method, target, body, { auth: null, contentType, headers: sent })
        expect({ id, forgery, status: answer.status, text: answer.text }).toMatchObject({
          id,
          forgery,
          status: 403,
          text: expect.stringContaining("X-Requested-With"),
        })
      }
    }
  }, 20_000)

  test("reads nothing by a member's browser", async () => {
    const { headers = {} } = members.by(await members.signIn("owner"))
    for (const forged of [{ "sec-fetch-site": "cross-site" }, { origin: "https://evil.example" }]) {
      const answer = await service.get("/team", { auth: null, headers: { ...headers, ...forged } })
      expectProblem(answer, "forbidden")
    }
    const simple = await service.get("/team", { auth: null, headers })
    expect(simple.headers.get("access-control-allow-credentials")).toBeNull()
  })
})

describe("a role", () => {
  const status = async (answer: Promise<Answer>) => (await answer).status
  const roleSlugs = new Set<string>()
  const newRole = () => {
    const slug = `r${roleSlugs.size}`
    roleSlugs.add(slug)
    return { slug, name: "A" }
  }

  test.each([
    ["owner", [201, 201, 201, 200, 201, 201, 201]],
    ["admin", [201, 201, 201, 200, 403, 403, 201]],
    ["developer", [201, 403, 403, 403, 403, 403, 201]],
    ["auditor", [403, 403, 403, 403, 403, 403, 403]],
  ] as const)("%s changes only what the table says", async (role, expected) => {
    const cookie = await members.signIn(role)
    const [sandbox, production] = [service.sandbox.app.id, service.production.app.id]
    const key = { name: "A", scopes: [] }
    expect([
      await status(service.post("/data-roles", newRole(), members.by(cookie, sandbox))),
      await status(service.post("/data-roles", newRole(), members.by(cookie, production))),
      await status(service.post(`/apps/${production}/api-keys`, key, members.by(cookie))),
      await status(service.patch("/team", { name: "Team" }, members.by(cookie))),
      await status(service.post("/team-keys", { name: "A" }, members.by(cookie))),
      await status(
        service.post("/invitations", { email: `${role}@a.example`, role: "owner" }, members.by(cookie)),
      ),
      await status(service.post(`/apps/${sandbox}/api-keys`, key, members.by(cookie))),
    ]).toEqual(expected)
  })

  test.each(MEMBER_ROLES)("%s reads apps, the team and the audit log, and decrypts nowhere", async (role) => {
    const cookie = await members.signIn(role)
    for (const { app } of [service.sandbox, service.production]) {
      const by = members.by(cookie, app.id)
      expect(await status(service.get("/data-roles", by))).toBe(200)
      expect(await status(service.get("/relays", by))).toBe(200)
      expect(await status(service.get("/access-logs", by))).toBe(200)
      expectProblem(await service.post("/decrypt", "x", by), "forbidden")
      expectProblem(await service.post("/rewrap", "x", by), "forbidden")
      expectProblem(await service.post("/functions/f/runs", {}, by), "forbidden")
    }
    for (const path of ["/team", "/apps", "/audit-logs", "/members", "/invitations"]) {
      expect(await status(service.get(path, members.by(cookie)))).toBe(200)
    }
    const production = members.by(cookie, service.production.app.id)
    expectProblem(await service.post("/fingerprint", { token: "x" }, production), "forbidden")
  })

  test("permits no endpoint that opens values, except to compare them in sandbox apps", () => {
    const opening = serviceEndpoints.filter(({ grants }) => grants.includes("kms:Decrypt/private"))
    expect(opening.length).toBeGreaterThan(15)
    const forSessions = opening.filter(({ reveals }) => REVEALS[reveals].sessions !== "never")
    expect(forSessions.map(({ id }) => id).sort()).toEqual(["fingerprint", "inspect"])
  })

  test("does not reach apps of another team, nor an endpoint of an app without naming one", async () => {
    const cookie = await members.signIn("owner")
    const foreign = await members.foreignApp()
    expectProblem(await service.get("/data-roles", members.by(cookie, foreign)), "not-found")
    expectProblem(await service.get("/data-roles", members.by(cookie, "app_0000000000000000")), "not-found")
    expectProblem(await service.get(`/apps/${foreign}`, members.by(cookie)), "not-found")
    expectProblem(await service.get("/data-roles", members.by(cookie)), "invalid-request")
  })

  test.each<[MemberRole, boolean]>([
    ["owner", true],
    ["admin", false],
    ["developer", false],
    ["auditor", false],
  ])("%s can change members: %s, their own role included", async (role, isAllowed) => {
    const cookie = await members.signIn(role)
    const me = await members.idOf(cookie)
    const other = await members.idOf(await members.signIn("auditor"))
    const answers = [
      await service.patch(`/members/${other}`, { role: "owner" }, members.by(cookie)),
      await service.delete(`/members/${other}`, members.by(cookie)),
      await service.patch(`/members/${me}`, { role: "owner" }, members.by(cookie)),
    ]
    expect(answers.map((answer) => answer.status < 400)).toEqual([isAllowed, isAllowed, isAllowed])
  })
})

describe("a member", () => {
  test("whose role changes is signed out within 10 seconds, and stays so when it changes back", async () => {
    const cookie = await members.signIn("admin")
    const id = await members.idOf(cookie)
    for (const role of ["developer", "admin"]) {
      expect((await service.patch(`/members/${id}`, { role }, asTeam())).status).toBe(200)
      pass(11_000)
      expectProblem(await service.get("/session", members.by(cookie)), "unauthorized")
    }
    const again = await members.signInAgain(null, id)
    expect((await service.get("/session", members.by(again))).status).toBe(200)
  })

  test("who is removed is signed out within 10 seconds", async () => {
    const cookie = await members.signIn("owner")
    const id = await members.idOf(cookie)
    expect((await service.get("/session", members.by(cookie))).status).toBe(200)
    expect((await service.delete(`/members/${id}`, asTeam())).status).toBe(204)
    pass(11_000)
    expectProblem(await service.get("/session", members.by(cookie)), "unauthorized")
    expectProblem(await service.get(`/members/${id}`, asTeam()), "not-found")
  })

  test("is named by the audit log, with what they changed and from where", async () => {
    const cookie = await members.signIn("owner")
    const id = await members.idOf(cookie)
    await service.patch("/team", { name: "Renamed" }, members.by(cookie))
    const { data } = listSchema.parse((await service.get(`/audit-logs?actorId=${id}`, asTeam())).json)
    expect(data.map(({ action, actor, ip }) => ({ action, actor, ip }))).toContainEqual({
      action: "team.update",
      actor: { type: "member", id },
      ip: "127.0.0.1",
    })
  })

  test("repeats a change safely, with the same Idempotency-Key and session", async () => {
    const by = members.by(await members.signIn("owner"), service.sandbox.app.id)
    const repeated = { ...by, headers: { ...by.headers, "idempotency-key": "once" } }
    const role = { slug: "repeated", name: "Repeated" }
    const first = await service.post("/data-roles", role, repeated)
    const second = await service.post("/data-roles", role, repeated)
    expect([first.status, second.status]).toEqual([201, 201])
    expect(second.json).toEqual(first.json)
  })

  test("makes no AWS call when they are known already", async () => {
    const by = members.by(await members.signIn("owner"), service.sandbox.app.id)
    const encrypt = () => service.post("/encrypt", '"x"', by)
    await encrypt()
    const before = service.awsCalls.length
    expect((await encrypt()).status).toBe(200)
    expect(service.awsCalls.slice(before)).toEqual([])
  })
})

describe("the last owner", () => {
  test("can be neither removed nor given another role, by requests at the same time either", async () => {
    const owners = await members.onlyOwners(2)
    const answers = await Promise.all(
      owners.map((id) => service.patch(`/members/${id}`, { role: "auditor" }, asTeam())),
    )
    expect(answers.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(1)
    const left = await members.onlyOwners(1)
    for (const id of left) {
      expectProblem(await service.delete(`/members/${id}`, asTeam()), "conflict")
      expectProblem(await service.patch(`/members/${id}`, { role: "admin" }, asTeam()), "conflict")
    }
  })
})

describe("an invitation", () => {
  const invite = (body: unknown, options = asTeam()) => service.post("/invitations", body, options)

  test("is for one address, however its case is written", async () => {
    const first = await invite({ email: "Ada@Example.com", role: "admin" })
    expect(first.status).toBe(201)
    expect(first.json).toMatchObject({
      email: "ada@example.com",
      role: "admin",
      invitedBy: expect.stringMatching(/^key_/),
    })
    expectProblem(await invite({ email: "ADA@example.com", role: "owner" }), "conflict")
  })

  test.each([
    { email: "no address", role: "admin" },
    { email: "ада@example.com", role: "admin" },
    { email: "a@example.com", role: "root" },
    { email: "a@example.com" },
    { email: "a@example.com\n", role: "admin" },
    { email: `${"a".repeat(250)}@example.com`, role: "admin" },
    { email: "a@example.com", role: "admin", generation: 9 },
  ])("is refused with invalid-request when it is malformed: %j", async (body) => {
    expectProblem(await invite(body), "invalid-request")
  })

  test("is listed until it is revoked or a week has passed", async () => {
    const { id } = idSchema.parse((await invite({ email: "bob@example.com", role: "auditor" })).json)
    const listed = async () =>
      listSchema
        .parse((await service.get("/invitations?limit=100", asTeam())).json)
        .data.map((each) => each.id)
    expect(await listed()).toContain(id)
    expect((await service.delete(`/invitations/${id}`, asTeam())).status).toBe(204)
    expect(await listed()).not.toContain(id)
    expectProblem(await service.delete(`/invitations/${id}`, asTeam()), "not-found")
    const late = idSchema.parse((await invite({ email: "bob@example.com", role: "auditor" })).json)
    pass(7 * 24 * HOUR_MS)
    expect(await listed()).not.toContain(late.id)
    expect((await invite({ email: "bob@example.com", role: "auditor" })).status).toBe(201)
  })
})

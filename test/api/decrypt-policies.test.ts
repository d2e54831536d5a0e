import { beforeAll, describe, expect, test, vi } from "vitest"
import * as z from "zod"
import { expectProblem } from "../support/problem.ts"
import { type Identity, useService } from "../support/service.ts"

const service = useService()
const idSchema = z.object({ id: z.string() })

let roles = 0

/** Creates a role of the sandbox app, with policies. */
async function newRole(...policies: readonly object[]): Promise<string> {
  const slug = `role-${roles++}`
  await service.newRole(service.sandbox.app, slug)
  for (const policy of policies) await attach(slug, policy)
  return slug
}

async function attach(slug: string, policy: object, { auth }: Pick<Identity, "auth"> = service.sandbox) {
  const body = { name: "Policy", effect: "permit", roles: [slug], conditions: {}, ...policy }
  const answer = await service.post("/data-policies", body, { auth })
  expect(answer.status, answer.text).toBe(201)
  return idSchema.parse(answer.json).id
}

async function sealed(role: string | null, value: unknown = "secret", identity = service.sandbox) {
  const headers = role === null ? {} : { "x-service-data-role": role }
  const answer = await service.post("/encrypt", JSON.stringify(value), { headers, auth: identity.auth })
  expect(answer.status, answer.text).toBe(200)
  return answer.json
}

/** A policy change takes effect within ten seconds: tests wait for it with this. */
async function afterTenSeconds(act: () => Promise<void>) {
  vi.advanceTimersByTime(10_001)
  await act()
}

describe("a value with a data role", () => {
  test("is decrypted when a policy permits, and no other value is checked", async () => {
    const role = await newRole({ conditions: { sources: ["api"] } })
    const answer = await service.post("/decrypt", {
      a: await sealed(role),
      b: await sealed(null, 1.5),
      c: "x",
    })
    expect([answer.status, answer.json]).toEqual([200, { a: "secret", b: 1.5, c: "x" }])
  })

  test("fails the whole request when it may not be decrypted, and only the first such value is named", async () => {
    const [open, closed] = [await newRole({}), await newRole()]
    const document = { fine: await sealed(open), list: [null, await sealed(closed), await sealed(closed)] }
    const answer = await service.post("/decrypt", document)
    expectProblem(answer, "decrypt/forbidden")
    expect(answer.json).toMatchObject({ fields: [{ pointer: "/list/1" }] })
    expect(answer.text).not.toContain("secret")
  })

  test("is refused when any policy forbids, whatever others permit", async () => {
    const role = await newRole({}, { effect: "forbid", conditions: { sources: ["api"] } }, {})
    expectProblem(await service.post("/decrypt", [await sealed(role)]), "decrypt/forbidden")
  })

  test("follows a change of its policies within ten seconds", async () => {
    vi.useFakeTimers({ toFake: ["performance"] })
    vi.advanceTimersByTime(1)
    try {
      const role = await newRole()
      const document = [await sealed(role)]
      expectProblem(await service.post("/decrypt", document), "decrypt/forbidden")
      const id = await attach(role, {})
      await afterTenSeconds(async () => {
        expect((await service.post("/decrypt", document)).json).toEqual(["secret"])
      })
      await service.patch(`/data-policies/${id}`, { effect: "forbid" })
      await afterTenSeconds(async () => {
        expectProblem(await service.post("/decrypt", document), "decrypt/forbidden")
      })
      await service.delete(`/data-policies/${id}`)
      await attach(role, {})
      await afterTenSeconds(async () => {
        expect((await service.post("/decrypt", document)).json).toEqual(["secret"])
      })
    } finally {
      vi.useRealTimers()
    }
  })

  test("follows the policies of its own app, not those of a role with the same name elsewhere", async () => {
    const [here, there] = [await service.newApp("sandbox"), await service.newApp("sandbox")]
    for (const { app } of [here, there]) await service.newRole(app, "pci")
    await attach("pci", {}, here)
    const mine = await sealed("pci", "secret", here)
    const theirs = await sealed("pci", "secret", there)
    expect((await service.post("/decrypt", [mine], { auth: here.auth })).json).toEqual(["secret"])
    expectProblem(await service.post("/decrypt", [theirs], { auth: there.auth }), "decrypt/forbidden")
    expectProblem(await service.post("/decrypt", [theirs], { auth: here.auth }), "invalid-request")
  })

  test("is fingerprinted and sealed again without a check of the policies", async () => {
    const token = await sealed(await newRole({ effect: "forbid" }))
    expect((await service.post("/fingerprint", { token })).status).toBe(200)
    expect((await service.post("/rewrap", [token])).status).toBe(200)
  })
})

describe("the source of a decryption", () => {
  const LOCAL = { conditions: { ipRanges: ["127.0.0.0/8"] } }
  const ELSEWHERE = { conditions: { ipRanges: ["203.0.113.0/24"] } }
  let local: string
  let elsewhere: string

  beforeAll(async () => {
    local = await newRole(LOCAL)
    elsewhere = await newRole(ELSEWHERE)
  })

  test("is the address of the connection", async () => {
    expect((await service.post("/decrypt", [await sealed(local)])).json).toEqual(["secret"])
    expectProblem(await service.post("/decrypt", [await sealed(elsewhere)]), "decrypt/forbidden")
  })

  test.each([
    { "x-forwarded-for": "203.0.113.9" },
    { "x-forwarded-for": "203.0.113.9, 127.0.0.1" },
    { forwarded: "for=203.0.113.9" },
    { "x-real-ip": "203.0.113.9" },
    { "true-client-ip": "203.0.113.9" },
    { "cf-connecting-ip": "203.0.113.9" },
    { "x-client-ip": "203.0.113.9" },
    { "x-amzn-source-ip": "203.0.113.9" },
  ])("is not the address that a caller claims by %j", async (headers) => {
    const document = [await sealed(elsewhere)]
    expectProblem(await service.post("/decrypt", document, { headers }), "decrypt/forbidden")
    expect((await service.post("/decrypt", [await sealed(local)], { headers })).status).toBe(200)
  })

  test("distinguishes an API key from a client-side token", async () => {
    const role = await newRole({ conditions: { sources: ["client-token"] } })
    const payload = { card: await sealed(role) }
    expectProblem(await service.post("/decrypt", payload), "decrypt/forbidden")
    const issued = await service.post("/client-side-tokens", { action: "api:decrypt", payload })
    const { token } = z.object({ token: z.string() }).parse(issued.json)
    const headers = { authorization: `Token ${token}` }
    const answer = await service.post("/decrypt", payload, { auth: null, headers })
    expect([answer.status, answer.json]).toEqual([200, { card: "secret" }])
  })

  test("distinguishes API keys", async () => {
    const asTeam = { auth: service.team.auth }
    const { id: appId } = service.sandbox.app
    const path = `/apps/${appId}/api-keys`
    const made = await service.post(path, { name: "Settlement", scopes: ["api:decrypt"] }, asTeam)
    const { id, key } = z.object({ id: z.string(), key: z.string() }).parse(made.json)
    const document = [await sealed(await newRole({ conditions: { apiKeys: [id] } }))]
    expectProblem(await service.post("/decrypt", document), "decrypt/forbidden")
    expect((await service.post("/decrypt", document, { auth: { user: appId, key } })).json).toEqual([
      "secret",
    ])
  })
})

import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { idOf, newAppWithRole, newSlug, policyOf } from "../support/policies.ts"
import { expectProblem } from "../support/problem.ts"
import { useService } from "../support/service.ts"

const service = useService()

const newApp = () => newAppWithRole(service)

const RAW = "permit(principal, action, resource);"

describe("POST /data-policies", () => {
  test("creates a policy that applies at once", async () => {
    const { auth, role, token } = await newApp()
    expectProblem(await service.post("/decrypt", token, { auth }), "decrypt/forbidden")
    const conditions = { sources: ["api"], ipRanges: ["127.0.0.0/8"] }
    const answer = await service.post("/data-policies", policyOf(role, { conditions }), { auth })
    expect(answer.status).toBe(201)
    expect(answer.json).toEqual({
      id: expect.stringMatching(/^policy_[0-9a-z]{26}$/),
      name: "A policy",
      effect: "permit",
      reveal: null,
      requiresReason: false,
      roles: [role],
      conditions,
      cedar: null,
      createdAt: expect.any(Number),
      updatedAt: expect.any(Number),
    })
    expect((await service.post("/decrypt", token, { auth })).text).toBe('"secret-value"')
  })

  test("lets one that forbids win", async () => {
    const { auth, role, token } = await newApp()
    await service.post("/data-policies", policyOf(role), { auth })
    await service.post("/data-policies", policyOf(role, { effect: "forbid" }), { auth })
    const answer = await service.post("/decrypt", { a: [token.slice(1, -1)] }, { auth })
    expectProblem(answer, "decrypt/forbidden")
    expect(answer.json).toMatchObject({ fields: [{ pointer: "/a/0" }] })
    expect(answer.text).not.toContain("secret-value")
  })

  test("accepts a policy in Cedar", async () => {
    const { auth, role, token } = await newApp()
    const cedar = 'permit(principal, action, resource) when { context.source == "api" };'
    const answer = await service.post(
      "/data-policies",
      { name: "Raw", effect: "permit", roles: [role], cedar },
      { auth },
    )
    expect(answer.json).toMatchObject({ conditions: null, cedar })
    expect((await service.post("/decrypt", token, { auth })).status).toBe(200)
  })

  test.each([
    ["a role that does not exist", { roles: ["role-none"] }, "/roles/0"],
    ["neither conditions nor Cedar", { conditions: undefined }, "/conditions"],
    ["conditions and Cedar", { cedar: RAW }, "/cedar"],
    [
      "a budget that forbids",
      { effect: "forbid", conditions: { budget: { values: 1, per: "hour" } } },
      "/conditions/budget",
    ],
    ["a range that is none", { conditions: { ipRanges: ["10.0.0.1/8"] } }, "/conditions/ipRanges/0"],
    ["Cedar that is none", { conditions: undefined, cedar: "permit everything;" }, "/cedar"],
    ["Cedar of another effect", { conditions: undefined, cedar: RAW.replace("permit", "forbid") }, "/cedar"],
    ["two policies in Cedar", { conditions: undefined, cedar: RAW + RAW }, "/cedar"],
    [
      "a template",
      { conditions: undefined, cedar: "permit(principal == ?principal, action, resource);" },
      "/cedar",
    ],
    [
      "Cedar that does not fit the schema",
      { conditions: undefined, cedar: "permit(principal, action, resource) when { context.marker4711 };" },
      "/cedar",
    ],
    [
      "Cedar that nests without end",
      { conditions: undefined, cedar: `permit(principal, action, resource) when {${"(".repeat(5_000)}` },
      "/cedar",
    ],
  ])(
    "refuses with invalid-request for %s, names its place and does not repeat it",
    async (_what, changes, pointer) => {
      const role = newSlug()
      await service.post("/data-roles", { slug: role, name: "A role" })
      const answer = await service.post("/data-policies", policyOf(role, changes))
      expectProblem(answer, "invalid-request")
      expect(answer.json).toMatchObject({ fields: [{ pointer }] })
      expect(answer.text).not.toContain("marker4711")
      expect(
        (await service.post("/data-policies", policyOf(role, { conditions: undefined, cedar: RAW }))).status,
      ).toBe(201)
    },
  )

  test("refuses with invalid-request for a role of another app", async () => {
    const { role } = await newApp()
    expectProblem(await service.post("/data-policies", policyOf(role)), "invalid-request")
  })

  test("refuses with payload-too-large for more than 10 KB", async () => {
    const { auth, role } = await newApp()
    const cedar = `// ${"x".repeat(10_240)}\n${RAW}`
    const body = policyOf(role, { conditions: undefined, cedar })
    expectProblem(await service.post("/data-policies", body, { auth }), "payload-too-large")
  })

  test("refuses with conflict for the 101st policy of a role", async () => {
    const { auth, role } = await newApp()
    for (let batch = 0; batch < 10; batch++) {
      await Promise.all(
        Array.from({ length: 10 }, () => service.post("/data-policies", policyOf(role), { auth })),
      )
    }
    expectProblem(await service.post("/data-policies", policyOf(role), { auth }), "conflict")
  })

  test("keeps every name secret", async () => {
    const { auth, role, token } = await newApp()
    const evil = '"); permit(principal, action, resource); //'
    const conditions = { functions: [evil, '" || true || "', "\\"] }
    const answer = await service.post("/data-policies", policyOf(role, { name: evil, conditions }), { auth })
    expect(answer.status).toBe(201)
    expectProblem(await service.post("/decrypt", token, { auth }), "decrypt/forbidden")
  })

  test("returns the same policy to a repeated request", async () => {
    const { auth, role } = await newApp()
    const options = { auth, headers: { "idempotency-key": "a-policy-once" } }
    const first = await service.post("/data-policies", policyOf(role), options)
    expect((await service.post("/data-policies", policyOf(role), options)).json).toEqual(first.json)
    const { json } = await service.get("/data-policies", { auth })
    expect(json).toMatchObject({ data: { length: 1 }, hasMore: false })
  })
})

describe("GET /data-policies", () => {
  test("lists newest first, page by page, all policies or those of a role", async () => {
    const { auth, role } = await newApp()
    const other = newSlug()
    await service.post("/data-roles", { slug: other, name: "Another" }, { auth })
    const names = ["a", "b", "c", "d"]
    for (const name of names) await service.post("/data-policies", policyOf(role, { name }), { auth })
    await service.post("/data-policies", policyOf(other, { name: "other" }), { auth })
    const list = async (query: string) => {
      const { json } = await service.get(`/data-policies${query}`, { auth })
      const { data, hasMore } = json as { data: { id: string; name: string }[]; hasMore: boolean }
      return { names: data.map(({ name }) => name), last: data.at(-1)?.id, hasMore }
    }
    expect(await list("")).toMatchObject({ names: ["other", "d", "c", "b", "a"], hasMore: false })
    const first = await list(`?role=${role}&limit=3`)
    expect(first).toMatchObject({ names: ["d", "c", "b"], hasMore: true })
    expect(await list(`?role=${role}&limit=3&startingAfter=${first.last}`)).toMatchObject({
      names: ["a"],
      hasMore: false,
    })
  })
})

describe("GET /data-policies/schema", () => {
  test("returns the schema that policies in Cedar are checked against", async () => {
    const answer = await service.get("/data-policies/schema")
    expect(answer.status).toBe(200)
    expect(answer.json).toEqual({ schema: expect.stringContaining("action Decrypt, Mask appliesTo") })
  })
})

describe("PATCH /data-policies/{policy_id}", () => {
  test("changes the named fields, leaves the rest, and applies at once", async () => {
    const { auth, role, token } = await newApp()
    const conditions = { ipRanges: ["127.0.0.0/8"] }
    const id = idOf((await service.post("/data-policies", policyOf(role, { conditions }), { auth })).json)
    const answer = await service.patch(
      `/data-policies/${id}`,
      { effect: "forbid", name: "Changed" },
      { auth },
    )
    expect(answer.json).toMatchObject({ id, name: "Changed", effect: "forbid", roles: [role], conditions })
    expectProblem(await service.post("/decrypt", token, { auth }), "decrypt/forbidden")
    await service.patch(`/data-policies/${id}`, { effect: "permit" }, { auth })
    expect((await service.post("/decrypt", token, { auth })).status).toBe(200)
  })

  test("replaces conditions by Cedar, and Cedar by conditions", async () => {
    const { auth, role } = await newApp()
    const id = idOf((await service.post("/data-policies", policyOf(role), { auth })).json)
    expect((await service.patch(`/data-policies/${id}`, { cedar: RAW }, { auth })).json).toMatchObject({
      conditions: null,
      cedar: RAW,
    })
    expectProblem(
      await service.patch(`/data-policies/${id}`, { effect: "forbid" }, { auth }),
      "invalid-request",
    )
    expect((await service.patch(`/data-policies/${id}`, { conditions: {} }, { auth })).json).toMatchObject({
      conditions: {},
      cedar: null,
    })
    expectProblem(
      await service.patch(`/data-policies/${id}`, { conditions: {}, cedar: RAW }, { auth }),
      "invalid-request",
    )
  })

  test("refuses an invalid change and leaves the policy unchanged", async () => {
    const { auth, role } = await newApp()
    const conditions = { budget: { values: 5, per: "hour" } }
    const created = await service.post("/data-policies", policyOf(role, { conditions }), { auth })
    const id = idOf(created.json)
    for (const [changes, pointer] of [
      [{}, ""],
      [{ effect: "forbid" }, "/conditions/budget"],
      [{ roles: ["role-none"] }, "/roles/0"],
      [{ roles: [] }, "/roles"],
      [{ id: "policy_1" }, ""],
      [{ conditions: null }, "/conditions"],
    ] as const) {
      const answer = await service.patch(`/data-policies/${id}`, changes, { auth })
      expectProblem(answer, "invalid-request")
      expect(answer.json).toHaveProperty("fields.0.pointer", pointer)
    }
    expect((await service.get(`/data-policies/${id}`, { auth })).json).toEqual(created.json)
  })

  test("detaches a policy from one role and attaches it to another", async () => {
    const { auth, role, token } = await newApp()
    const other = newSlug()
    await service.post("/data-roles", { slug: other, name: "Another" }, { auth })
    const id = idOf((await service.post("/data-policies", policyOf(role), { auth })).json)
    await service.patch(`/data-policies/${id}`, { roles: [other] }, { auth })
    expectProblem(await service.post("/decrypt", token, { auth }), "decrypt/forbidden")
  })
})

describe("DELETE /data-policies/{policy_id}", () => {
  test("ends a policy at once", async () => {
    const { auth, role, token } = await newApp()
    const id = idOf((await service.post("/data-policies", policyOf(role), { auth })).json)
    expect((await service.post("/decrypt", token, { auth })).status).toBe(200)
    const answer = await service.delete(`/data-policies/${id}`, { auth })
    expect(answer.status).toBe(204)
    expect(answer.text).toBe("")
    expectProblem(await service.post("/decrypt", token, { auth }), "decrypt/forbidden")
    expectProblem(await service.delete(`/data-policies/${id}`, { auth }), "not-found")
    expectProblem(await service.get(`/data-policies/${id}`, { auth }), "not-found")
  })
})

describe("every endpoint of policies", () => {
  const calls = (
    role: string,
    id: string,
  ): [string, (options: object) => ReturnType<typeof service.get>][] => [
    ["create", (options) => service.post("/data-policies", policyOf(role), options)],
    ["list", (options) => service.get("/data-policies", options)],
    ["get", (options) => service.get(`/data-policies/${id}`, options)],
    ["schema", (options) => service.get("/data-policies/schema", options)],
    ["explain", (options) => service.post("/data-policies/explain", { role }, options)],
    ["simulate", (options) => service.post("/data-policies/simulate", { hours: 1, policies: [] }, options)],
    ["update", (options) => service.patch(`/data-policies/${id}`, { name: "Changed" }, options)],
    ["delete", (options) => service.delete(`/data-policies/${id}`, options)],
  ]

  test("requires credentials, and its scope", async () => {
    const { app, auth, role } = await newApp()
    const id = idOf((await service.post("/data-policies", policyOf(role), { auth })).json)
    const reads = await service.newKey(app.app, ["dataPolicy:read"])
    const writes = await service.newKey(app.app, ["dataPolicy:write"])
    const others = await service.newKey(app.app, ["dataRole:read", "dataRole:write", "api:decrypt"])
    for (const [name, call] of calls(role, id)) {
      const [good, bad] = ["create", "update", "delete"].includes(name) ? [writes, reads] : [reads, writes]
      expectProblem(await call({ auth: null }), "unauthorized")
      expectProblem(await call({ auth: service.team.auth }), "forbidden")
      expectProblem(await call({ auth: bad }), "forbidden")
      expectProblem(await call({ auth: others }), "forbidden")
      expect((await call({ auth: good })).status).toBeLessThan(300)
    }
  })

  test("finds no policy of another app", async () => {
    const { auth, role } = await newApp()
    const id = idOf((await service.post("/data-policies", policyOf(role), { auth })).json)
    expectProblem(await service.get(`/data-policies/${id}`), "not-found")
    expectProblem(await service.patch(`/data-policies/${id}`, { name: "Mine" }), "not-found")
    expectProblem(await service.delete(`/data-policies/${id}`), "not-found")
    expect((await service.get(`/data-policies/${id}`, { auth })).json).toMatchObject({ name: "A policy" })
  })

  test.each(["policy_00000000000000000000000000", "role_00000000000000000000000000", "__proto__", "x"])(
    "refuses with not-found for %s",
    async (id) => {
      expectProblem(await service.get(`/data-policies/${id}`), "not-found")
      expectProblem(await service.delete(`/data-policies/${id}`), "not-found")
      expectProblem(await service.patch(`/data-policies/${id}`, { name: "a" }), "not-found")
    },
  )

  test("audits changes and refused decryptions", async () => {
    const { app, auth, role, token } = await newApp()
    await service.post("/decrypt", token, { auth })
    const id = idOf((await service.post("/data-policies", policyOf(role), { auth })).json)
    await service.patch(`/data-policies/${id}`, { effect: "forbid" }, { auth })
    await service.delete(`/data-policies/${id}`, { auth })
    const { json, text } = await service.get("/audit-logs?limit=20", { auth: service.team.auth })
    const { data } = json as { data: { action: string; appId: string | null; target: { id: string } }[] }
    const actions = data.filter(({ appId }) => appId === app.app.id).map(({ action }) => action)
    expect(actions.slice(0, 4)).toEqual([
      "data-policy.delete",
      "data-policy.update",
      "data-policy.create",
      "decryption.refused",
    ])
    expect(text).not.toContain("secret-value")
    expect(text).not.toContain(token.slice(1, -1))
  })

  test("accepts or refuses any JSON, and never fails", async () => {
    const { auth, role } = await newApp()
    await fc.assert(
      fc.asyncProperty(fc.jsonValue({ maxDepth: 3 }), fc.string({ unit: "binary" }), async (value, text) => {
        for (const sent of [
          value,
          policyOf(role, { conditions: value }),
          policyOf(role, { conditions: { time: value, ipRanges: value, budget: value } }),
          policyOf(role, { conditions: undefined, cedar: text }),
          policyOf(role, {
            conditions: undefined,
            cedar: `permit(principal, action, resource) when { "${text}" == ${text} };`,
          }),
        ]) {
          const { status } = await service.post("/data-policies", JSON.stringify(sent), { auth })
          expect([201, 400, 409]).toContain(status)
        }
      }),
      { numRuns: 20 },
    )
  })
})

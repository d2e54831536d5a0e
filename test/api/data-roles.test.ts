import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { idOf, newSlug } from "../support/policies.ts"
import { expectProblem } from "../support/problem.ts"
import { useService } from "../support/service.ts"

const service = useService()

async function newRole(slug = newSlug(), options = {}): Promise<{ id: string; slug: string }> {
  const answer = await service.post("/data-roles", { slug, name: `The role ${slug}` }, options)
  expect(answer.status).toBe(201)
  return { slug, id: idOf(answer.json) }
}

const encrypt = (role: string, options = {}) =>
  service.post("/encrypt", '"x"', { headers: { "x-service-data-role": role }, ...options })

describe("POST /data-roles", () => {
  test("creates a role that can be used to encrypt at once", async () => {
    const slug = newSlug()
    const answer = await service.post("/data-roles", { slug, name: 'Card "data"', description: "Two\nlines" })
    expect(answer.status).toBe(201)
    expect(answer.json).toEqual({
      id: expect.stringMatching(/^role_[0-9a-z]{26}$/),
      slug,
      name: 'Card "data"',
      description: "Two\nlines",
      archived: false,
      accessLog: "standard",
      mask: null,
      usedAt: null,
      createdAt: expect.any(Number),
      updatedAt: expect.any(Number),
    })
    expect((await encrypt(slug)).status).toBe(200)
  })

  test.each([
    ["no slug", { name: "A role" }, "/slug"],
    ["a slug of 21 characters", { slug: "a".repeat(21), name: "A role" }, "/slug"],
    ["an upper-case slug", { slug: "PCI", name: "A role" }, "/slug"],
    ["a slug that would end its key", { slug: "a#b", name: "A role" }, "/slug"],
    ["a slug with a line break", { slug: "a\n", name: "A role" }, "/slug"],
    ["an empty name", { slug: "a", name: "" }, "/name"],
    [
      "a description of 1,001 characters",
      { slug: "a", name: "A role", description: "d".repeat(1_001) },
      "/description",
    ],
    ["a member that nobody knows", { slug: "a", name: "A role", usedAt: 1 }, ""],
  ])(
    "refuses with invalid-request for %s, names its place and does not repeat it",
    async (_what, body, pointer) => {
      const answer = await service.post("/data-roles", body)
      expectProblem(answer, "invalid-request")
      expect(answer.json).toMatchObject({ fields: [{ pointer }] })
    },
  )

  test("refuses with payload-too-large for more than 8 KB", async () => {
    expectProblem(
      await service.post("/data-roles", { slug: "a", name: "n".repeat(9_000) }),
      "payload-too-large",
    )
  })

  test("refuses with conflict for the slug of another role, an archived one too", async () => {
    const { slug } = await newRole()
    expectProblem(await service.post("/data-roles", { slug, name: "Another" }), "conflict")
    await encrypt(slug)
    await service.delete(`/data-roles/${slug}`)
    expectProblem(await service.post("/data-roles", { slug, name: "Another" }), "conflict")
  })

  test("creates one role from many requests for one slug, and audits each that failed", async () => {
    const slug = newSlug()
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => service.post("/data-roles", { slug, name: "A role" })),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409, 409])
  })

  test("returns the same role to a repeated request", async () => {
    const headers = { "idempotency-key": "a-role-once" }
    const body = { slug: newSlug(), name: "A role" }
    const first = await service.post("/data-roles", body, { headers })
    const second = await service.post("/data-roles", body, { headers })
    expect(first.status).toBe(201)
    expect(second.json).toEqual(first.json)
    expectProblem(
      await service.post("/data-roles", { ...body, name: "Another" }, { headers }),
      "idempotency-key-reused",
    )
  })

  test("refuses with conflict for the 201st role of an app", async () => {
    const { auth } = await service.newApp("sandbox")
    for (let batch = 0; batch < 20; batch++) {
      await Promise.all(
        Array.from({ length: 10 }, (_, index) => newRole(`many-${batch * 10 + index}`, { auth })),
      )
    }
    const answer = await service.post("/data-roles", { slug: "one-more", name: "A role" }, { auth })
    expectProblem(answer, "conflict")
  })
})

describe("GET /data-roles", () => {
  test("lists newest first, page by page", async () => {
    const { auth } = await service.newApp("sandbox")
    const slugs: string[] = []
    for (let index = 0; index < 5; index++) slugs.unshift((await newRole(`page-${index}`, { auth })).slug)
    const found: string[] = []
    let query = "?limit=2"
    for (let pages = 0; pages < 3; pages++) {
      const { json } = await service.get(`/data-roles${query}`, { auth })
      const { data, hasMore } = json as { data: { id: string; slug: string }[]; hasMore: boolean }
      expect(hasMore).toBe(pages < 2)
      found.push(...data.map(({ slug }) => slug))
      query = `?limit=2&startingAfter=${data.at(-1)?.id}`
    }
    expect(found).toEqual(slugs)
  })

  test.each(["?limit=0", "?limit=101", "?limit=x", "?startingAfter=policy_0123456789ab", "?page=1"])(
    "refuses with invalid-request for %s",
    async (query) => expectProblem(await service.get(`/data-roles${query}`), "invalid-request"),
  )
})

describe("GET /data-roles/{role_id}", () => {
  test("finds a role by its id and by its slug", async () => {
    const { id, slug } = await newRole()
    const byId = await service.get(`/data-roles/${id}`)
    expect(byId.json).toMatchObject({ id, slug })
    expect((await service.get(`/data-roles/${slug}`)).json).toEqual(byId.json)
  })

  test.each([
    "role_00000000000000000000000000",
    "no-such-role",
    "__proto__",
    "PCI",
    "%2e%2e%2fdata-policies",
    "a%23b",
  ])("refuses with not-found for %s", async (id) =>
    expectProblem(await service.get(`/data-roles/${id}`), "not-found"),
  )
})

describe("PATCH /data-roles/{role_id}", () => {
  test("changes the named fields and leaves the rest", async () => {
    const { id, slug } = await newRole()
    const before = await service.get(`/data-roles/${id}`)
    const answer = await service.patch(`/data-roles/${slug}`, { description: "Changed" })
    expect(answer.status).toBe(200)
    expect(answer.json).toMatchObject({ id, slug, name: `The role ${slug}`, description: "Changed" })
    expect((await service.get(`/data-roles/${id}`)).json).toEqual(answer.json)
    expect(before.json).toMatchObject({ description: "" })
  })

  test.each([
    ["nothing", {}],
    ["another slug", { slug: "other" }],
    ["a null name", { name: null }],
    ["when it was used", { usedAt: null }],
  ])("refuses with invalid-request to change %s", async (_what, body) => {
    const { id } = await newRole()
    expectProblem(await service.patch(`/data-roles/${id}`, body), "invalid-request")
  })

  test("archives a role, and restores it", async () => {
    const { slug } = await newRole()
    expect((await service.patch(`/data-roles/${slug}`, { archived: true })).status).toBe(200)
    expectProblem(await encrypt(slug), "invalid-request")
    expect((await service.patch(`/data-roles/${slug}`, { archived: false })).status).toBe(200)
    expect((await encrypt(slug)).status).toBe(200)
  })
})

describe("DELETE /data-roles/{role_id}", () => {
  test("deletes a role that was never used, and frees its slug", async () => {
    const { id, slug } = await newRole()
    const answer = await service.delete(`/data-roles/${id}`)
    expect(answer.json).toEqual({ outcome: "deleted", dataRole: null })
    expectProblem(await service.get(`/data-roles/${slug}`), "not-found")
    expectProblem(await service.delete(`/data-roles/${id}`), "not-found")
    expectProblem(await encrypt(slug), "invalid-request")
    expect((await newRole(slug)).id).not.toBe(id)
  })

  test("archives a role that was used: it seals no new values, and its values still follow its policies", async () => {
    const { id, slug } = await newRole()
    const policy = { name: "All", effect: "permit", roles: [slug], conditions: {} }
    expect((await service.post("/data-policies", policy)).status).toBe(201)
    const token = (await encrypt(slug)).text
    const answer = await service.delete(`/data-roles/${id}`)
    expect(answer.json).toMatchObject({
      outcome: "archived",
      dataRole: { id, slug, archived: true, usedAt: expect.any(Number) },
    })
    expectProblem(await encrypt(slug), "invalid-request")
    expect((await service.post("/decrypt", token)).text).toBe('"x"')
    expect((await service.delete(`/data-roles/${id}`)).json).toMatchObject({ outcome: "archived" })
  })

  test("refuses with conflict for a role that policies are attached to", async () => {
    const { id, slug } = await newRole()
    const policy = await service.post("/data-policies", {
      name: "All",
      effect: "permit",
      roles: [slug],
      conditions: {},
    })
    expectProblem(await service.delete(`/data-roles/${id}`), "conflict")
    await service.delete(`/data-policies/${idOf(policy.json)}`)
    expect((await service.delete(`/data-roles/${id}`)).status).toBe(200)
  })
})

describe("every endpoint of roles", () => {
  const calls = (id: string): [string, (options: object) => ReturnType<typeof service.get>][] => [
    ["create", (options) => service.post("/data-roles", { slug: newSlug(), name: "A role" }, options)],
    ["list", (options) => service.get("/data-roles", options)],
    ["get", (options) => service.get(`/data-roles/${id}`, options)],
    ["update", (options) => service.patch(`/data-roles/${id}`, { name: "Changed" }, options)],
    ["delete", (options) => service.delete(`/data-roles/${id}`, options)],
  ]

  test("requires an app's credentials", async () => {
    const { id } = await newRole()
    for (const [, call] of calls(id)) {
      expectProblem(await call({ auth: null }), "unauthorized")
      expectProblem(await call({ auth: service.team.auth }), "forbidden")
    }
  })

  test("requires its scope and nothing more", async () => {
    const { id } = await newRole()
    const reads = await service.newKey(service.sandbox.app, ["dataRole:read"])
    const writes = await service.newKey(service.sandbox.app, ["dataRole:write"])
    const others = await service.newKey(service.sandbox.app, [
      "dataPolicy:read",
      "dataPolicy:write",
      "api:decrypt",
    ])
    for (const [name, call] of calls(id)) {
      const [good, bad] = name === "list" || name === "get" ? [reads, writes] : [writes, reads]
      expectProblem(await call({ auth: bad }), "forbidden")
      expectProblem(await call({ auth: others }), "forbidden")
      expect((await call({ auth: good })).status).toBeLessThan(300)
    }
  })

  test("finds no role of another app", async () => {
    const { id, slug } = await newRole()
    const { auth } = service.production
    for (const place of [id, slug]) {
      expectProblem(await service.get(`/data-roles/${place}`, { auth }), "not-found")
      expectProblem(await service.patch(`/data-roles/${place}`, { name: "Mine" }, { auth }), "not-found")
      expectProblem(await service.delete(`/data-roles/${place}`, { auth }), "not-found")
    }
    const { json } = await service.get("/data-roles?limit=100", { auth })
    expect(JSON.stringify(json)).not.toContain(id)
    expect((await service.get(`/data-roles/${id}`)).json).toMatchObject({ name: `The role ${slug}` })
  })

  test("audits changes before they are made", async () => {
    const { id } = await newRole()
    await service.patch(`/data-roles/${id}`, { name: "Changed" })
    await service.delete(`/data-roles/${id}`)
    const { json } = await service.get("/audit-logs?limit=20", { auth: service.team.auth })
    const { data } = json as { data: { action: string; target: { id: string }; actor: { type: string } }[] }
    const about = data.filter(({ target }) => target.id === id)
    expect(about.map(({ action }) => action)).toEqual([
      "data-role.delete",
      "data-role.update",
      "data-role.create",
    ])
    expect(new Set(about.map(({ actor }) => actor.type))).toEqual(new Set(["api-key"]))
  })

  test("accepts or refuses any JSON, and never fails", async () => {
    await fc.assert(
      fc.asyncProperty(fc.object({ maxDepth: 2 }), fc.jsonValue(), async (body, value) => {
        for (const sent of [body, { slug: value, name: value, description: value }]) {
          const { status } = await service.post("/data-roles", JSON.stringify(sent))
          expect([201, 400, 409, 413]).toContain(status)
        }
      }),
      { numRuns: 30 },
    )
  })
})

import { describe, expect, test } from "vitest"
import * as z from "zod"
import { policyOf } from "../support/policies.ts"
import { expectProblem, pointersOf } from "../support/problem.ts"
import { type CallOptions, useService } from "../support/service.ts"

const service = useService()

const formatSchema = z.object({
  id: z.string(),
  name: z.string(),
  version: z.number(),
  archived: z.boolean(),
})
const CARD = "4242424242424242"

let names = 0
const newName = () => `format-${++names}`

/** Creates a role whose values any key may decrypt through the API. @param changes of that policy */
async function newRole(changes: object = {}, mask: object | null = null): Promise<string> {
  const slug = `role-${++names}`
  const role = await service.post("/data-roles", { slug, name: slug, mask })
  expect(role.status, role.text).toBe(201)
  const conditions = { sources: ["api"] }
  const policy = await service.post("/data-policies", policyOf(slug, { conditions, ...changes }))
  expect(policy.status, policy.text).toBe(201)
  return slug
}

async function newFormat(input: object = { preset: "card-number" }) {
  const given = { name: newName(), role: "", ...input }
  const role = given.role || (await newRole())
  const answer = await service.post("/formats", { ...given, role })
  expect(answer.status, answer.text).toBe(201)
  return { role, ...formatSchema.parse(answer.json) }
}

const run = (name: string, what: string, values: unknown, options?: CallOptions) =>
  service.post(`/formats/${name}/${what}`, JSON.stringify(values), options)

async function encrypted(name: string, values: unknown, options?: CallOptions): Promise<unknown> {
  const answer = await run(name, "encrypt", values, options)
  expect(answer.status, answer.text).toBe(200)
  return answer.json
}

describe("formats", () => {
  test("encrypt the strings of any JSON to tokens that fit in their place, and decrypt them", async () => {
    const { name } = await newFormat()
    const given = { cards: [{ pan: CARD, note: null }, { pan: "3782 822463 10005" }], "5555": {} }
    const tokens = await encrypted(name, given)
    expect(tokens).toEqual({
      cards: [
        { pan: expect.stringMatching(/^\d{12}4242$/), note: null },
        { pan: expect.stringMatching(/^\d{4} \d{6} \d0005$/) },
      ],
      "5555": {},
    })
    expect(tokens).not.toEqual(given)
    const answer = await run(name, "decrypt", tokens)
    expect(answer.json).toEqual(given)
    expect(answer.headers.get("x-service-decrypted-values")).toBe("2")
  })

  test("keep everything of the document but its strings, byte for byte", async () => {
    const { name } = await newFormat({ preset: "us-ssn" })
    const body = '{ "a" : [ "078-05-1120",\n "\\u0030\\u00378-05-1120" ] , "b":null }'
    const answer = await service.post(`/formats/${name}/encrypt`, body)
    const shape = /^\{ "a" : \[ "(\d{3}-\d\d-\d{4})",\n "(\d{3}-\d\d-\d{4})" \] , "b":null \}$/.exec(
      answer.text,
    )
    expect(shape?.[1]).toMatch(/\d/)
    expect(shape?.[1]).toBe(shape?.[2])
  })

  test("are created by a preset or by an alphabet, listed, read by id and name, and archived", async () => {
    const { name, id, role } = await newFormat({
      description: "Staff numbers",
      alphabet: "alphanumeric",
      lengths: { min: 6, max: 8 },
      keep: { first: 1 },
      literals: "-",
    })
    const expected = {
      id,
      name,
      role,
      description: "Staff numbers",
      kind: "characters",
      alphabet: expect.stringMatching(/^0123456789ABC/),
      lengths: { min: 6, max: 8 },
      keep: { first: 1, last: 0 },
      literals: "-",
      luhn: "any",
      versioned: false,
      version: 1,
      archived: false,
    }
    expect((await service.get(`/formats/${id}`)).json).toMatchObject(expected)
    expect((await service.get(`/formats/${name}`)).json).toMatchObject(expected)
    expect((await service.get("/formats?limit=1")).json).toMatchObject({ data: [expected], hasMore: true })

    const tokens = await encrypted(name, ["A-12345"])
    const archived = await service.patch(`/formats/${name}`, { archived: true, description: "Old" })
    expect(archived.json).toMatchObject({ archived: true, description: "Old" })
    expectProblem(await run(name, "encrypt", ["A-12345"]), "conflict")
    expectProblem(await run(name, "rewrap", tokens), "conflict")
    expect((await run(name, "decrypt", tokens)).json).toEqual(["A-12345"])
  })

  test("give equal values equal tokens under one tweak only", async () => {
    const { name } = await newFormat()
    const under = (tweak: string) => ({ headers: { "x-service-tweak": tweak } })
    const [one, two, again] = [
      await encrypted(name, [CARD], under("customer-1")),
      await encrypted(name, [CARD], under("customer-2")),
      await encrypted(name, [CARD], under("customer-1")),
    ]
    expect(one).toEqual(again)
    expect(one).not.toEqual(two)
    expect((await run(name, "decrypt", one, under("customer-1"))).json).toEqual([CARD])
    expect((await run(name, "decrypt", one, under("customer-2"))).json).not.toEqual([CARD])
    expectProblem(await run(name, "encrypt", [CARD], under("a b")), "invalid-request")
  })

  test("overlap in versions: tokens of the earlier one decrypt by its number, until they are rewrapped", async () => {
    const { name } = await newFormat()
    const old = await encrypted(name, [CARD])
    expect((await service.post(`/formats/${name}/versions`, undefined)).json).toMatchObject({ version: 2 })
    const current = await encrypted(name, [CARD])
    expect(current).not.toEqual(old)
    expect((await run(name, "decrypt", current)).json).toEqual([CARD])
    expect((await run(name, "decrypt?version=1", old)).json).toEqual([CARD])
    expect((await run(name, "rewrap?version=1", old)).json).toEqual(current)
    expectProblem(await run(name, "decrypt?version=3", old), "invalid-request")
    const unnamed = await run(name, "rewrap", old)
    expectProblem(unnamed, "invalid-request")
    expect(pointersOf(unnamed)).toEqual(["/query/version"])
  })

  test("name the version in the token's last character where that is asked for", async () => {
    const { name } = await newFormat({ alphabet: "digits", lengths: { min: 8, max: 8 }, versioned: true })
    const old = await encrypted(name, ["12345678"])
    await service.post(`/formats/${name}/versions`, undefined)
    const current = await encrypted(name, ["12345678"])
    const both = [old, current].flat()
    expect(both).toEqual([expect.stringMatching(/^\d{8}0$/), expect.stringMatching(/^\d{8}1$/)])
    expect((await run(name, "decrypt", both)).json).toEqual(["12345678", "12345678"])
    expect((await run(name, "rewrap", both)).json).toEqual([current, current].flat())
    const unknown = await run(name, "decrypt", [...both, "123456787"])
    expectProblem(unknown, "invalid-request")
    expect(pointersOf(unknown)).toEqual(["/2"])
    expect(pointersOf(await run(name, "decrypt", [...both, "1230"]))).toEqual(["/2"])
    expectProblem(await run(name, "decrypt?version=1", old), "invalid-request")
  })

  test("need a scope for each use, for encrypting too", async () => {
    const { name } = await newFormat()
    const tokens = await encrypted(name, [CARD])
    for (const what of ["encrypt", "decrypt", "rewrap"]) {
      const auth = await service.newKey(service.sandbox.app, ["format:read", "api:decrypt"])
      expectProblem(await run(name, what, tokens, { auth }), "forbidden")
      expectProblem(await run(name, what, tokens, { auth: null }), "unauthorized")
    }
  })

  test("decrypt only what the policies of their role permit, and record it", async () => {
    const here = { ipRanges: ["127.0.0.0/8", "::1/128"] }
    const given = await newRole({ conditions: { sources: ["api"], ...here } })
    const { name, role } = await newFormat({ preset: "card-number", role: given })
    const forbidding = await service.post("/data-policies", {
      name: newName(),
      effect: "forbid",
      roles: [role],
      conditions: here,
    })
    const tokens = await encrypted(name, { pan: CARD })
    const refused = await run(name, "decrypt", tokens)
    expectProblem(refused, "decrypt/forbidden")
    expect(pointersOf(refused)).toEqual(["/pan"])
    const { id } = z.object({ id: z.string() }).parse(forbidding.json)
    await service.delete(`/data-policies/${id}`)
    expect((await run(name, "decrypt", tokens)).json).toEqual({ pan: CARD })
    await service.service.platform.accessLog.flush()
    const log = await service.get(`/access-logs?role=${role}`)
    expect(log.json).toMatchObject({
      data: [{ source: "api", apiKeyId: expect.stringMatching(/^key_/), roles: { [role]: 1 }, total: 1 }],
    })
  })

  test("are found in their own app only", async () => {
    const { name, id } = await newFormat()
    const { auth } = await service.newApp("sandbox")
    for (const path of [`/formats/${name}`, `/formats/${id}`]) {
      expectProblem(await service.get(path, { auth }), "not-found")
      expectProblem(await service.patch(path, { archived: true }, { auth }), "not-found")
      expectProblem(await service.post(`${path}/versions`, undefined, { auth }), "not-found")
      expectProblem(await service.post(`${path}/encrypt`, '["1"]', { auth }), "not-found")
    }
  })

  test("survive a rotation of the app's keys", async () => {
    const { name } = await newFormat()
    const tokens = await encrypted(name, [CARD])
    const { app } = service.sandbox
    await service.service.platform.keyring.addVersion(app)
    expect((await run(name, "decrypt", tokens)).json).toEqual([CARD])
    expect(await encrypted(name, [CARD])).toEqual(tokens)
    await service.post(`/formats/${name}/versions`, undefined)
    expect((await run(name, "rewrap?version=1", tokens)).json).toEqual(await encrypted(name, [CARD]))
  })
})

describe("policies of a format's role", () => {
  const MASK = { type: "last", count: 4 }
  const headers = (given: Record<string, string>) => ({ headers: given })

  test("give masks where they permit no more, and where no more is asked for", async () => {
    const masked = await newFormat({ preset: "card-number", role: await newRole({ reveal: "masked" }, MASK) })
    const full = await newFormat({ preset: "card-number", role: await newRole({}, MASK) })
    for (const [{ name }, asked] of [
      [masked, {}],
      [full, { "x-service-reveal": "masked" }],
    ] as const) {
      const tokens = await encrypted(name, { pan: CARD, other: null })
      const answer = await run(name, "decrypt", tokens, headers(asked))
      expect(answer.json).toEqual({ pan: "•••4242", other: null })
      expect(answer.headers.get("x-service-decrypted-values")).toBe("0")
      expect(answer.headers.get("x-service-masked-values")).toBe("1")
    }
    await service.service.platform.accessLog.flush()
    const log = await service.get(`/access-logs?role=${masked.role}`)
    expect(log.json).toMatchObject({ data: [{ masked: { roles: { [masked.role]: 1 }, total: 1 } }] })
  })

  test("refuse whoever asks for full values where they permit masks", async () => {
    const { name } = await newFormat({ preset: "us-ssn", role: await newRole({ reveal: "masked" }, MASK) })
    const tokens = await encrypted(name, [null, "078-05-1120"])
    const refused = await run(name, "decrypt", tokens, headers({ "x-service-reveal": "full" }))
    expectProblem(refused, "decrypt/masked-only")
    expect(pointersOf(refused)).toEqual(["/1"])
  })

  test("refuse requests without a reason where they require one, and record it", async () => {
    const { name, role } = await newFormat({
      preset: "card-number",
      role: await newRole({ requiresReason: true }),
    })
    const tokens = await encrypted(name, [CARD])
    expectProblem(await run(name, "decrypt", tokens), "decrypt/reason-required")
    const answer = await run(name, "decrypt", tokens, headers({ "x-service-reason": "Ticket 7" }))
    expect(answer.json).toEqual([CARD])
    await service.service.platform.accessLog.flush()
    const log = await service.get(`/access-logs?role=${role}`)
    expect(log.json).toMatchObject({ data: [{ reason: "Ticket 7", total: 1 }] })
  })

  test("count each value against their budgets, and none of a document that is refused", async () => {
    const budget = { values: 3, per: "day" }
    const { name } = await newFormat({ preset: "us-ssn", role: await newRole({ conditions: { budget } }) })
    const tokens = await encrypted(name, ["078-05-1120", "078-05-1121"])
    expectProblem(await run(name, "decrypt", [tokens, "no token"].flat()), "invalid-request")
    expect((await run(name, "decrypt", tokens)).status).toBe(200)
    expectProblem(await run(name, "decrypt", tokens), "decrypt/forbidden")
  })

  test("lend nothing more once their role is archived", async () => {
    const { name, role } = await newFormat({ preset: "us-ssn" })
    const tokens = await encrypted(name, ["078-05-1120"])
    expect((await service.delete(`/data-roles/${role}`)).json).toMatchObject({ outcome: "archived" })
    expectProblem(await run(name, "encrypt", ["078-05-1120"]), "conflict")
    expect((await run(name, "decrypt", tokens)).json).toEqual(["078-05-1120"])
  })
})

describe("a request for a format", () => {
  test.each([
    [{ preset: "card-number", luhn: "any" }, ["/luhn"]],
    [{ preset: "passport" }, ["/preset"]],
    [{ alphabet: "digits" }, ["/lengths"]],
    [{ lengths: { min: 8, max: 8 } }, ["/alphabet"]],
    [{ alphabet: "digits", lengths: { min: 5, max: 8 } }, ["/keep"]],
    [{ alphabet: "digits", lengths: { min: 16, max: 16 }, keep: { first: 9 } }, ["/keep"]],
    [{ alphabet: "hex", lengths: { min: 8, max: 8 }, luhn: "keep" }, ["/luhn"]],
    [{ preset: "date", versioned: true }, ["/versioned"]],
    [{ preset: "date", role: "no-such-role" }, ["/role"]],
    [{ preset: "date", name: "Not a name" }, ["/name"]],
    [{ preset: "date", other: 1 }, [""]],
  ])("is refused at the field that is wrong: %j", async (input, pointers) => {
    const answer = await service.post("/formats", { name: newName(), role: await newRole(), ...input })
    expectProblem(answer, "invalid-request")
    expect(pointersOf(answer)).toEqual(pointers)
  })

  test("is refused when the name is taken", async () => {
    const { name, role } = await newFormat()
    expectProblem(await service.post("/formats", { name, role, preset: "date" }), "conflict")
  })

  test("creates one format, however often it is repeated", async () => {
    const body = { name: newName(), role: await newRole(), preset: "date" }
    const headers = { "idempotency-key": newName() }
    const [first, second] = [
      await service.post("/formats", body, { headers }),
      await service.post("/formats", body, { headers }),
    ]
    expect(first.status).toBe(201)
    expect(second.json).toEqual(first.json)
  })
})

describe("values that are no values of a format", () => {
  test.each([
    ['["4242424242424242", {"a":"4242"}]', ["/1/a"]],
    ["[4242424242424242]", ["/0"]],
    ['{"a":true}', ["/a"]],
    ['["\\ud800"]', ["/0"]],
    [JSON.stringify([CARD, "\u{1f600}".repeat(600)]), ["/1"]],
  ])("are refused at their place, and not echoed: %s", async (body, pointers) => {
    const { name } = await newFormat()
    const answer = await service.post(`/formats/${name}/encrypt`, body)
    expectProblem(answer, "invalid-request")
    expect(pointersOf(answer)).toEqual(pointers)
    expect(answer.text).not.toContain("4242")
  })

  test("are refused when they are no JSON, more than ten thousand, or not there", async () => {
    const { name } = await newFormat({ preset: "us-ssn" })
    expectProblem(await service.post(`/formats/${name}/encrypt`, '["'), "invalid-request")
    const values = (count: number) => Array.from({ length: count }, () => "078-05-1120")
    expectProblem(await run(name, "encrypt", values(10_001)), "invalid-request")
    expect(await encrypted(name, values(10_000))).toHaveLength(10_000)
    expect(await encrypted(name, [])).toEqual([])
    expect((await run(name, "decrypt", [null])).json).toEqual([null])
  })
})

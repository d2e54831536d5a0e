import { beforeAll, describe, expect, test } from "vitest"
import * as z from "zod"
import { idOf, newSlug, policyOf } from "../support/policies.ts"
import { expectProblem } from "../support/problem.ts"
import { startRelayDestination } from "../support/relay-destination.ts"
import { sendToRelay } from "../support/relay-request.ts"
import { type Identity, useService } from "../support/service.ts"

const service = useService()
const CARD = "4242424242424242"
const MASKED = "424242•••4242"

let app: Identity

beforeAll(async () => {
  app = await service.newApp("sandbox")
})

/** Creates a role with a mask and policies. */
async function newRole(
  policies: readonly object[],
  { mask = { type: "first-last" }, ...fields }: { readonly mask?: unknown; readonly accessLog?: string } = {},
): Promise<string> {
  const slug = newSlug()
  const { auth } = app
  const made = await service.post("/data-roles", { slug, name: "A role", mask, ...fields }, { auth })
  expect(made.status, made.text).toBe(201)
  for (const policy of policies) {
    const attached = await service.post("/data-policies", policyOf(slug, policy), { auth })
    expect(attached.status, attached.text).toBe(201)
  }
  return slug
}

async function sealed(role: string | null, value: unknown = CARD): Promise<unknown> {
  const headers = role === null ? {} : { "x-service-data-role": role }
  const answer = await service.post("/encrypt", JSON.stringify(value), { headers, auth: app.auth })
  expect(answer.status, answer.text).toBe(200)
  return answer.json
}

const decrypt = (document: unknown, reveal?: "full" | "masked") =>
  service.post("/decrypt", document, {
    auth: app.auth,
    headers: reveal === undefined ? {} : { "x-service-reveal": reveal },
  })

const countsOf = ({ headers }: { readonly headers: Headers }) => [
  headers.get("x-service-decrypted-values"),
  headers.get("x-service-masked-values"),
]

const pageSchema = z.object({ data: z.array(z.record(z.string(), z.unknown())) })
async function newest(path: string, auth = app.auth) {
  return pageSchema.parse((await service.get(path, { auth })).json).data[0] ?? {}
}

const newestAudited = () => newest(`/audit-logs?limit=1&appId=${app.app.id}`, service.team.auth)

describe("a role's mask", () => {
  test("is absent by default, and is returned with its defaults", async () => {
    const { auth } = app
    const slug = newSlug()
    const made = await service.post("/data-roles", { slug, name: "A role" }, { auth })
    expect(made.json).toMatchObject({ mask: null })
    const changed = await service.patch(`/data-roles/${slug}`, { mask: { type: "last", count: 4 } }, { auth })
    const mask = { type: "last", count: 4, keepLength: false }
    expect(changed.json).toMatchObject({ mask })
    expect((await service.patch(`/data-roles/${slug}`, { name: "Renamed" }, { auth })).json).toMatchObject({
      mask,
    })
    expect((await service.get(`/data-roles/${slug}`, { auth })).json).toMatchObject({ mask })
    expect((await service.patch(`/data-roles/${slug}`, { mask: null }, { auth })).json).toMatchObject({
      mask: null,
    })
  })

  test("is in the audit log when it is set and removed", async () => {
    const slug = await newRole([], { mask: { type: "name" } })
    const details = { mask: '{"type":"name"}' }
    expect(await newestAudited()).toMatchObject({ action: "data-role.create", details })
    await service.patch(`/data-roles/${slug}`, { mask: null }, { auth: app.auth })
    expect(await newestAudited()).toMatchObject({ action: "data-role.update", details: { mask: null } })
  })

  test.each([
    [{ type: "middle" }, "/mask/type"],
    [{ type: "last", count: 0 }, "/mask/count"],
    [{ type: "last", count: 21 }, "/mask/count"],
    [{ type: "last" }, "/mask/count"],
    [{ type: "first-last", first: 7 }, "/mask/first"],
    [{ type: "date", shows: "day" }, "/mask/shows"],
    [{ type: "fixed", text: "a\nb" }, "/mask/text"],
    [{ type: "pattern", pattern: "####" }, "/mask/pattern"],
    [{ type: "pattern", pattern: "•*" }, "/mask/pattern"],
    [{ type: "name", count: 1 }, "/mask"],
  ])("is refused with invalid-request: %o", async (mask, pointer) => {
    const answer = await service.post(
      "/data-roles",
      { slug: newSlug(), name: "A role", mask },
      { auth: app.auth },
    )
    expectProblem(answer, "invalid-request")
    expect(answer.json).toMatchObject({ fields: [{ pointer }] })
  })
})

describe("a policy for masks", () => {
  test("lets values be seen masked, as strings, and nothing else changes", async () => {
    const [masked, full] = [await newRole([{ reveal: "masked" }]), await newRole([{}])]
    const document = `{ "card": ${JSON.stringify(await sealed(masked))},\n"n":${JSON.stringify(await sealed(masked, 4242424242424242))}, "b": ${JSON.stringify(await sealed(masked, true))}, "open": ${JSON.stringify(await sealed(full, 1.5))}, "plain": 1e2 }`
    const answer = await decrypt(document)
    expect(answer.text).toBe(
      `{ "card": "${MASKED}",\n"n":"${MASKED}", "b": "•••", "open": 1.5, "plain": 1e2 }`,
    )
    expect(countsOf(answer)).toEqual(["1", "3"])
  })

  test("masks a document that is one string", async () => {
    const answer = await decrypt(JSON.stringify(await sealed(await newRole([{ reveal: "masked" }]))))
    expect([answer.status, answer.json, ...countsOf(answer)]).toEqual([200, MASKED, "0", "1"])
  })

  test("refuses with decrypt/masked-only whoever asks for full values, and records why", async () => {
    const role = await newRole([{ reveal: "masked" }])
    const answer = await decrypt({ card: await sealed(role) }, "full")
    expectProblem(answer, "decrypt/masked-only")
    expect(answer.json).toMatchObject({ fields: [{ pointer: "/card" }] })
    expect(answer.text).not.toMatch(/4242/)
    expect(await newestAudited()).toMatchObject({
      action: "decryption.refused",
      details: { code: "decrypt/masked-only", role, reason: "masked-only" },
    })
  })

  test("gives no more than decrypt/forbidden where masks are not permitted either", async () => {
    expectProblem(await decrypt([await sealed(await newRole([]))], "full"), "decrypt/forbidden")
  })

  test("is denied when the role has no mask", async () => {
    const role = await newRole([{ reveal: "masked" }], { mask: null })
    expectProblem(await decrypt([await sealed(role)]), "decrypt/forbidden")
  })

  test("permits nothing beside a value that is refused", async () => {
    const [masked, closed] = [await newRole([{ reveal: "masked" }]), await newRole([])]
    const answer = await decrypt([await sealed(masked), await sealed(closed)])
    expectProblem(answer, "decrypt/forbidden")
    expect(answer.json).toMatchObject({ fields: [{ pointer: "/1" }] })
  })

  test("is no match for one that permits full values", async () => {
    const role = await newRole([{ reveal: "masked" }, { reveal: "full" }])
    const answer = await decrypt([await sealed(role)])
    expect([answer.json, ...countsOf(answer)]).toEqual([[CARD], "1", "0"])
  })

  test("cannot be written in Cedar with `reveal`", async () => {
    const role = await newRole([])
    const cedar = "permit(principal, action, resource);"
    const policy = policyOf(role, { reveal: "masked", conditions: undefined, cedar })
    const answer = await service.post("/data-policies", policy, { auth: app.auth })
    expectProblem(answer, "invalid-request")
    expect(answer.json).toMatchObject({ fields: [{ pointer: "/reveal" }] })
  })

  test("in Cedar names the action Mask", async () => {
    const cedar = 'permit(principal, action == Action::"Mask", resource) when { context.source == "api" };'
    const role = await newRole([{ conditions: undefined, cedar }])
    expect((await decrypt([await sealed(role)])).json).toEqual([MASKED])
  })

  test("becomes one for full values, and keeps what it is about when its conditions change", async () => {
    const { auth } = app
    const role = await newRole([])
    const made = await service.post("/data-policies", policyOf(role, { reveal: "masked" }), { auth })
    const path = `/data-policies/${idOf(made.json)}`
    expect((await service.patch(path, { conditions: { sources: ["api"] } }, { auth })).json).toMatchObject({
      reveal: "masked",
    })
    expect((await service.patch(path, { reveal: null }, { auth })).json).toMatchObject({ reveal: null })
    expect((await service.get(path, { auth })).json).toMatchObject({ reveal: null })
    await service.patch(path, { reveal: "masked" }, { auth })
    const cedar = "permit(principal, action, resource);"
    expect((await service.patch(path, { cedar }, { auth })).json).toMatchObject({ reveal: null, cedar })
  })
})

describe("a request for masks", () => {
  test("gets masks where full values are permitted, and nothing of values without a role or mask", async () => {
    const [role, without] = [await newRole([{}]), await newRole([{}], { mask: null })]
    const answer = await decrypt([await sealed(role), await sealed(without), await sealed(null)], "masked")
    expect(answer.json).toEqual([MASKED, "•••", "•••"])
    expect(countsOf(answer)).toEqual(["0", "3"])
  })

  test("is refused when not even masks are permitted", async () => {
    expectProblem(await decrypt([await sealed(await newRole([]))], "masked"), "decrypt/forbidden")
  })

  test("spends no budget of full values", async () => {
    const role = await newRole([{ conditions: { budget: { values: 1, per: "day" } } }])
    const token = await sealed(role)
    for (let times = 0; times < 3; times++) expect((await decrypt([token], "masked")).json).toEqual([MASKED])
    expect((await decrypt([token])).json).toEqual([CARD])
    expectProblem(await decrypt([token]), "decrypt/forbidden")
    expect((await decrypt([token], "masked")).json).toEqual([MASKED])
  })

  test("is refused for a file, which has no mask", async () => {
    const { auth } = app
    const file = await service.post("/encrypt", Buffer.from("content"), {
      auth,
      contentType: "application/octet-stream",
    })
    const answer = await service.post("/decrypt", file.bytes, {
      auth,
      contentType: "application/octet-stream",
      headers: { "x-service-reveal": "masked" },
    })
    expectProblem(answer, "invalid-request")
    expect(answer.json).toMatchObject({ fields: [{ pointer: "/headers/x-service-reveal" }] })
  })
})

describe("a relay", () => {
  const selections = (role?: string) => [
    { type: "json", selector: "$.card", role },
    { type: "form", selector: "card", role },
  ]
  /** Sends a card in JSON and in a form through a relay that decrypts it, and does more. */
  async function sendCard(role: string, ...more: readonly object[]) {
    await using destination = await startRelayDestination()
    const { destinationDomain } = destination
    const decrypting = { action: "decrypt", selections: selections() }
    const relay = await service.post(
      "/relays",
      { destinationDomain, authentication: null, routes: [{ path: "/", request: [decrypting, ...more] }] },
      { auth: app.auth },
    )
    expect(relay.status, relay.text).toBe(201)
    const { relayDomain } = z.object({ relayDomain: z.string() }).parse(relay.json)
    const card = String(await sealed(role))
    const form = new FormData()
    form.set("card", card)
    const encoded = new Response(form)
    const sent = [
      { body: JSON.stringify({ card }), headers: { "content-type": "application/json" } },
      {
        body: Buffer.from(await encoded.arrayBuffer()),
        headers: { "content-type": encoded.headers.get("content-type") ?? "" },
      },
    ]
    const codes = []
    for (const message of sent) {
      const answer = await sendToRelay(service.service.relayUrl, { relayDomain, ...message })
      codes.push(
        answer.status < 300 ? null : z.object({ code: z.string() }).parse(JSON.parse(`${answer.body}`)).code,
      )
    }
    return { codes, arrived: destination.arrived.map(({ body }) => body.toString()) }
  }

  test("passes masks on where policies permit only those", async () => {
    const role = await newRole([{ reveal: "masked", conditions: { sources: ["relay"] } }])
    const { codes, arrived } = await sendCard(role)
    expect(codes).toEqual([null, null])
    for (const body of arrived) expect(body).toContain(MASKED)
  })

  test("refuses with decrypt/forbidden to encrypt a mask as if it were the value", async () => {
    const [role, other] = [
      await newRole([{ reveal: "masked", conditions: { sources: ["relay"] } }]),
      await newRole([{}]),
    ]
    const { codes, arrived } = await sendCard(role, { action: "encrypt", selections: selections(other) })
    expect(codes).toEqual(["decrypt/forbidden", "decrypt/forbidden"])
    expect(arrived).toEqual([])
  })
})

describe("the records of a decryption", () => {
  test("say which roles' values were masked", async () => {
    const [masked, full] = [await newRole([{ reveal: "masked" }]), await newRole([{}])]
    await decrypt([await sealed(masked), await sealed(masked), await sealed(full)])
    await service.service.platform.accessLog.flush()
    expect(await newest(`/access-logs?role=${masked}`)).toMatchObject({
      roles: { [masked]: 2, [full]: 1 },
      total: 3,
      masked: { roles: { [masked]: 2 }, withoutRole: 0, total: 2 },
    })
  })

  test("of a strict role say it in the audit log", async () => {
    const role = await newRole([{ reveal: "masked" }], { accessLog: "strict" })
    await decrypt([await sealed(role)])
    expect(await newestAudited()).toMatchObject({
      action: "decryption.performed",
      details: { roles: `${role}=1`, total: 1, masked: 1, maskedRoles: `${role}=1` },
    })
  })
})

describe("trials of policies", () => {
  test("explain that a role's values would be masked, and by which policy", async () => {
    const role = await newRole([{ name: "Support", reveal: "masked", conditions: { sources: ["api"] } }])
    const explained = (context: object) =>
      service.post("/data-policies/explain", { role, context }, { auth: app.auth })
    expect((await explained({ source: "api" })).json).toMatchObject({
      decision: "masked",
      reason: "permitted",
      policies: [{ name: "Support", reveal: "masked", matched: true, decided: true, failedConditions: [] }],
    })
    expect((await explained({ source: "relay" })).json).toMatchObject({
      decision: "deny",
      policies: [{ matched: false, failedConditions: ["sources"] }],
    })
  })

  test("explain that a policy for masks needs a role with a mask", async () => {
    const role = await newRole([{ reveal: "masked" }], { mask: null })
    const { json } = await service.post("/data-policies/explain", { role }, { auth: app.auth })
    expect(json).toMatchObject({
      decision: "deny",
      policies: [{ matched: false, failedConditions: ["reveal"] }],
    })
  })

  test("replay decisions that would be masked", async () => {
    const role = await newRole([{}])
    await decrypt([await sealed(role)])
    const policies = [policyOf(role, { name: "Masks only", reveal: "masked" })]
    const { json } = await service.post(
      "/data-policies/simulate",
      { hours: 1, role, policies },
      { auth: app.auth },
    )
    expect(json).toMatchObject({ changes: [{ before: "permit", after: "masked", policies: ["Masks only"] }] })
  })
})

describe("a policy that requires a reason", () => {
  const SUPPORT = [{ reveal: "masked" }, { name: "One value, for a reason", requiresReason: true }]
  const withReason = (document: unknown, reason: string, more: Record<string, string> = {}) =>
    service.post("/decrypt", document, { auth: app.auth, headers: { "x-service-reason": reason, ...more } })

  test("gives full values for a reason, which the access record keeps and the audit log does not", async () => {
    const role = await newRole(SUPPORT, { accessLog: "strict" })
    const token = await sealed(role)
    expect((await decrypt([token])).json).toEqual([MASKED])
    expect((await withReason([token], "TICKET 4711")).json).toEqual([CARD])
    await service.service.platform.accessLog.flush()
    expect(await newest(`/access-logs?role=${role}`)).toMatchObject({ reason: "TICKET 4711", masked: null })
    const audited = await newestAudited()
    expect(audited).toMatchObject({ action: "decryption.performed" })
    expect(JSON.stringify(audited)).not.toContain("4711")
  })

  test("refuses with decrypt/reason-required where nothing else permits, and records it", async () => {
    const role = await newRole([{ requiresReason: true }])
    const answer = await decrypt([await sealed(role)])
    expectProblem(answer, "decrypt/reason-required")
    expect(await newestAudited()).toMatchObject({
      details: { code: "decrypt/reason-required", role, reason: "reason-required" },
    })
  })

  test("refuses with decrypt/reason-required also who may see only masks, for a reason", async () => {
    const token = await sealed(await newRole([{ reveal: "masked", requiresReason: true }]))
    expectProblem(await decrypt([token]), "decrypt/reason-required")
    // No reason would help.
    expectProblem(await decrypt([token], "full"), "decrypt/forbidden")
    expect((await withReason([token], "TICKET 4711")).json).toEqual([MASKED])
  })

  test("makes a request for full values without one find masks only", async () => {
    expectProblem(await decrypt([await sealed(await newRole(SUPPORT))], "full"), "decrypt/masked-only")
  })

  test.each(["", "x".repeat(201), "caf\u00e9", "a\tb"])("refuses the reason %j", async (reason) => {
    const answer = await withReason([await sealed(null)], reason)
    expectProblem(answer, "invalid-request")
    expect(answer.json).toMatchObject({ fields: [{ pointer: "/headers/x-service-reason" }] })
    expect(answer.text).not.toContain("\u00e9")
  })

  test("must be one that permits", async () => {
    const policy = policyOf(await newRole([]), { effect: "forbid", requiresReason: true })
    const answer = await service.post("/data-policies", policy, { auth: app.auth })
    expectProblem(answer, "invalid-request")
    expect(answer.json).toMatchObject({ fields: [{ pointer: "/requiresReason" }] })
  })

  test("is explained with and without a reason", async () => {
    const role = await newRole([{ requiresReason: true }])
    const explained = (context: object) =>
      service.post("/data-policies/explain", { role, context }, { auth: app.auth })
    const policies = [{ requiresReason: true, matched: true }]
    expect((await explained({})).json).toMatchObject({
      decision: "deny",
      reason: "reason-required",
      policies,
    })
    expect((await explained({ hasReason: true })).json).toMatchObject({ decision: "permit", policies })
  })
})

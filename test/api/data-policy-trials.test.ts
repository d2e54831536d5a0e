import { describe, expect, test } from "vitest"
import * as z from "zod"
import { newAppWithRole, policyOf } from "../support/policies.ts"
import { expectProblem } from "../support/problem.ts"
import { useService } from "../support/service.ts"

const service = useService()
const newApp = () => newAppWithRole(service)

describe("POST /data-policies/explain", () => {
  test("returns which policy decides, and which conditions of the others fail", async () => {
    const { auth, role } = await newApp()
    const daily = { from: "09:00", to: "17:00", timezone: "Europe/Dublin" }
    const office = policyOf(role, {
      name: "Office",
      conditions: { ipRanges: ["10.0.0.0/8"], time: { daily } },
    })
    await service.post("/data-policies", office, { auth })
    await service.post(
      "/data-policies",
      policyOf(role, { name: "No relays", effect: "forbid", conditions: { sources: ["relay"] } }),
      { auth },
    )
    const explain = async (context: object) =>
      (await service.post("/data-policies/explain", { role, context }, { auth })).json
    const winterDay = "2026-01-05T12:00:00Z"
    expect(await explain({ ip: "10.1.2.3", time: winterDay })).toMatchObject({
      decision: "permit",
      reason: "permitted",
      policies: [
        { name: "Office", matched: true, decided: true, failedConditions: [] },
        { name: "No relays", matched: false, decided: false, failedConditions: ["sources"] },
      ],
    })
    expect(await explain({ ip: "::ffff:10.1.2.3", time: winterDay })).toMatchObject({ decision: "permit" })
    expect(await explain({ source: "relay", ip: "192.0.2.1", time: "2026-01-05T20:00:00Z" })).toMatchObject({
      decision: "deny",
      reason: "forbidden",
      policies: [
        { matched: false, failedConditions: ["ipRanges", "time.daily"] },
        { matched: true, decided: true },
      ],
    })
  })

  test("explains what a decryption really meets", async () => {
    const { auth, role, token } = await newApp()
    await service.post("/data-policies", policyOf(role, { conditions: { ipRanges: ["10.0.0.0/8"] } }), {
      auth,
    })
    expectProblem(await service.post("/decrypt", token, { auth }), "decrypt/forbidden")
    const explained = await service.post(
      "/data-policies/explain",
      { role, context: { ip: "127.0.0.1" } },
      { auth },
    )
    expect(explained.json).toMatchObject({ decision: "deny", policies: [{ failedConditions: ["ipRanges"] }] })
  })

  test.each([
    [
      "that nests after a comment ended by a carriage return",
      `//\r && ${"(".repeat(300)}true${")".repeat(300)}`,
    ],
    [
      "that closes brackets before it opens them",
      `${")".repeat(300)};permit(principal, action, resource) when {${"(".repeat(300)}true${")".repeat(300)}};`,
    ],
  ])(
    "refuses with invalid-request a policy in Cedar %s, and other decisions still work",
    async (_what, cedar) => {
      const { auth, role, token } = await newApp()
      await service.post("/data-policies", policyOf(role), { auth })
      const policies = [policyOf(role, { conditions: undefined, cedar })]
      const refused = await service.post("/data-policies/explain", { role, policies }, { auth })
      expectProblem(refused, "invalid-request")
      expect(refused.json).toMatchObject({ fields: [{ pointer: "/policies/0/cedar" }] })
      expect((await service.post("/data-policies/explain", { role }, { auth })).json).toMatchObject({
        decision: "permit",
      })
      expect(await service.post("/decrypt", token, { auth })).toMatchObject({ status: 200 })
    },
  )

  test("evaluates policies that are not saved, and saves nothing", async () => {
    const { auth, role, token } = await newApp()
    const policies = [policyOf(role, { name: "Tried" }), policyOf("other-role", { name: "Elsewhere" })]
    const answer = await service.post("/data-policies/explain", { role, policies }, { auth })
    expect(answer.json).toMatchObject({
      decision: "permit",
      policies: [{ id: null, name: "Tried", matched: true }],
    })
    expect(answer.json).toMatchObject({ policies: { length: 1 } })
    expectProblem(await service.post("/decrypt", token, { auth }), "decrypt/forbidden")
  })

  test("shows conditions in Cedar on request, in a text that decides the same when it is saved", async () => {
    const { auth, role } = await newApp()
    const daily = { from: "09:00", to: "17:00", timezone: "Europe/Dublin" }
    const conditions = { sources: ["api"], ipRanges: ["10.0.0.0/8"], time: { daily } }
    const explain = async (policies: object[], changes: object = {}) =>
      (await service.post("/data-policies/explain", { role, policies, ...changes }, { auth })).json
    const plain = await explain([policyOf(role, { conditions })])
    expect(plain).toMatchObject({ dependsOnTime: true })
    expect(plain).not.toHaveProperty("policies.0.cedar")
    const [shown] = z
      .object({ policies: z.array(z.object({ cedar: z.string() })) })
      .parse(await explain([policyOf(role, { conditions })], { showCedar: true })).policies
    expect(shown?.cedar).toContain('["api"].contains(context.source)')
    const written = policyOf(role, { conditions: undefined, cedar: shown?.cedar })
    for (const [ip, decision] of [
      ["10.1.2.3", "permit"],
      ["192.0.2.1", "deny"],
    ]) {
      const context = { ip, time: "2026-01-05T12:00:00Z" }
      expect(await explain([written], { context, showCedar: true })).toMatchObject({
        decision,
        dependsOnTime: true,
        policies: [{ cedar: shown?.cedar }],
      })
    }
    expect(await explain([policyOf(role)])).toMatchObject({ dependsOnTime: false })
  })

  test("answers for a role that does not exist as a decryption would", async () => {
    const answer = await service.post("/data-policies/explain", { role: "role-none" })
    expect(answer.json).toEqual({
      decision: "deny",
      reason: "unknown-role",
      dependsOnTime: false,
      policies: [],
    })
  })

  test.each([
    ["no role", {}, "/role"],
    ["a source that is none", { role: "pci", context: { source: "browser" } }, "/context/source"],
    ["an address that is none", { role: "pci", context: { ip: "10.0.0.0/8" } }, "/context/ip"],
    ["a time without an offset", { role: "pci", context: { time: "2026-01-01T00:00:00" } }, "/context/time"],
    ["a member that nobody knows", { role: "pci", context: { country: "IE" } }, "/context"],
    ["a policy that is none", { role: "pci", policies: [policyOf("pci"), {}] }, "/policies/1/name"],
    [
      "Cedar that is none",
      { role: "pci", policies: [policyOf("pci", { conditions: undefined, cedar: "x" })] },
      "/policies/0/cedar",
    ],
  ])("refuses with invalid-request for %s, and names its place", async (_what, body, pointer) => {
    const answer = await service.post("/data-policies/explain", body)
    expectProblem(answer, "invalid-request")
    expect(answer.json).toHaveProperty("fields.0.pointer", pointer)
  })
})

describe("POST /data-policies/simulate", () => {
  test("returns what proposed policies would change in past decisions", async () => {
    const { auth, role, token } = await newApp()
    await service.post("/data-policies", policyOf(role), { auth })
    for (let times = 0; times < 3; times++) {
      expect((await service.post("/decrypt", token, { auth })).status).toBe(200)
    }
    const simulate = async (policies: object[], changes = {}) =>
      (await service.post("/data-policies/simulate", { hours: 1, policies, ...changes }, { auth })).json
    expect(await simulate([policyOf(role)])).toEqual({ evaluated: 3, truncated: false, changes: [] })

    const relays = policyOf(role, { name: "Relays", conditions: { sources: ["relay"] } })
    expect(await simulate([relays])).toMatchObject({
      evaluated: 3,
      changes: [
        {
          role,
          context: { source: "api", ip: "127.0.0.1", apiKey: expect.stringMatching(/^key_/), function: null },
          before: "permit",
          after: "deny",
          policies: [],
        },
      ],
    })
    expect(await simulate([], { role: "another-role" })).toEqual({
      evaluated: 0,
      truncated: false,
      changes: [],
    })
    expect(await simulate([policyOf(role, { name: "No", effect: "forbid" })])).toMatchObject({
      changes: [{ after: "deny", policies: ["No"] }],
    })
  })

  test("replays nothing of another app", async () => {
    const { auth, role, token } = await newApp()
    await service.post("/data-policies", policyOf(role), { auth })
    await service.post("/decrypt", token, { auth })
    const { auth: others } = await newApp()
    const answer = await service.post(
      "/data-policies/simulate",
      { hours: 168, policies: [] },
      { auth: others },
    )
    expect(answer.json).toEqual({ evaluated: 0, truncated: false, changes: [] })
  })

  test.each([
    ["no hours", { policies: [] }, "/hours"],
    ["0 hours", { hours: 0, policies: [] }, "/hours"],
    ["169 hours", { hours: 169, policies: [] }, "/hours"],
    ["no policies", { hours: 1 }, "/policies"],
    ["a policy that is none", { hours: 1, policies: [{}] }, "/policies/0/name"],
  ])("refuses with invalid-request for %s, and names its place", async (_what, body, pointer) => {
    const answer = await service.post("/data-policies/simulate", body)
    expectProblem(answer, "invalid-request")
    expect(answer.json).toHaveProperty("fields.0.pointer", pointer)
  })
})

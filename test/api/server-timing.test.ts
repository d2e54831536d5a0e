import { describe, expect, test } from "vitest"
import * as z from "zod"
import { createMembers } from "../support/members.ts"
import { newAppWithRole, policyOf } from "../support/policies.ts"
import { useService } from "../support/service.ts"

const service = useService()

const HEADER = "server-timing"

/** Returns the phases of an answer, by name, in milliseconds. */
function phasesOf({ headers }: { readonly headers: Headers }): Record<string, number> {
  const phases = (headers.get(HEADER) ?? "").split(", ").map((each) => {
    const [name = "", duration = ""] = each.split(";dur=")
    expect(duration).toMatch(/^[0-9]+(\.[0-9])?$/)
    return [name, Number(duration)] as const
  })
  return Object.fromEntries(phases)
}

describe("Server-Timing", () => {
  test("tells those who run an app what the time of a request was spent on", async () => {
    const { app, auth, role, token } = await newAppWithRole(service)
    expect((await service.post("/data-policies", policyOf(role), { auth })).status).toBe(201)
    const encrypted = await service.post("/encrypt", '"x"', { auth })
    expect(Object.keys(phasesOf(encrypted))).toEqual(["total", "authentication", "policy", "keys", "crypto"])
    const phases = phasesOf(await service.post("/decrypt", token, { auth }))
    const { total = 0, ...parts } = phases
    expect(Object.keys(parts)).toEqual(["authentication", "policy", "keys", "crypto"])
    // Each is rounded up.
    expect(Object.values(parts).reduce((sum, each) => sum + each)).toBeLessThanOrEqual(total + 0.5)
    expect(Object.keys(phasesOf(await service.get("/apps", { auth: service.team.auth })))).toEqual([
      "total",
      "authentication",
    ])
    const members = createMembers(service)
    const read = await service.get("/data-roles", members.by(await members.signIn("auditor"), app.app.id))
    expect(phasesOf(read)).toMatchObject({ total: expect.any(Number) })
  })

  test("is not sent to holders of tokens, nor to unknown senders, nor with a refusal", async () => {
    const { auth, token } = await newAppWithRole(service)
    const plain = z.string().parse((await service.post("/encrypt", '"x"', { auth })).json)
    const issued = await service.post(
      "/client-side-tokens",
      { action: "api:decrypt", payload: { a: plain } },
      { auth },
    )
    const { token: jwt } = z.object({ token: z.string() }).parse(issued.json)
    const headers = { authorization: `Token ${jwt}` }
    const answers = [
      {
        status: 200,
        answer: await service.post("/decrypt", JSON.stringify({ a: plain }), { auth: null, headers }),
      },
      { status: 200, answer: await service.get("/health", { auth: null }) },
      { status: 401, answer: await service.post("/encrypt", '"x"', { auth: null }) },
      { status: 403, answer: await service.post("/decrypt", token, { auth }) },
      { status: 400, answer: await service.post("/decrypt", '"ev:', { auth }) },
    ]
    expect(answers.map(({ answer }) => [answer.status, answer.headers.get(HEADER)])).toEqual(
      answers.map(({ status }) => [status, null]),
    )
  })

  test("is not for pages of other origins", async () => {
    const { auth } = await service.newApp("sandbox")
    const headers = { origin: "https://shop.example" }
    const answer = await service.post("/encrypt", '"x"', { auth, headers })
    expect(answer.headers.get("timing-allow-origin")).toBeNull()
    expect(answer.headers.get("access-control-expose-headers")).not.toContain(HEADER)
  })
})

import { createService } from "@sealway/api"
import { describe, expect, test } from "vitest"
import { prepareTeam, sendRequest } from "../support/endpoint-requests.ts"
import { newAppWithRole, policyOf } from "../support/policies.ts"
import { expectProblem } from "../support/problem.ts"
import { useService } from "../support/service.ts"

const service = useService()

const OFFICE = { sources: ["api"], ipRanges: ["10.0.0.0/8"] } as const
const wordsOf = (...words: readonly string[]) => ({
  known: true,
  reason: null,
  requests: words.map((each) => expect.objectContaining({ words: each })),
  complete: true,
  until: null,
})

const OFFICE_WORDS = "through the API, from 10.0.0.0/8"

async function newAppWithOffice() {
  const app = await newAppWithRole(service)
  const office = policyOf(app.role, { name: "Office", conditions: OFFICE })
  await service.post("/data-policies", office, { auth: app.auth })
  return { ...app, office }
}

// Each question takes a second or two of work.
describe("GET /data-roles/{role_id}/access", () => {
  test("shows all requests that the saved policies permit", async () => {
    const { auth, role } = await newAppWithOffice()
    const { json } = await service.get(`/data-roles/${role}/access`, { auth })
    expect(json).toMatchObject({ role, access: wordsOf(OFFICE_WORDS) })
    expect(json).toMatchObject({
      access: {
        requests: [
          {
            parts: [
              { name: "source", words: "through the API", timezone: null, excluded: false, values: ["api"] },
              { name: "ip", words: "from 10.0.0.0/8", excluded: false, values: ["10.0.0.0/8"] },
            ],
          },
        ],
      },
    })
    // What was found for the same policies is still true, and says from when.
    expect((await service.get(`/data-roles/${role}/access`, { auth })).json).toEqual(json)
  })

  test("refuses with not-found a role that the app does not have", async () => {
    const { auth } = await newAppWithRole(service)
    expectProblem(await service.get("/data-roles/none/access", { auth }), "not-found")
  })
})

describe("POST /data-policies/analyze", () => {
  test("says what a draft newly permits and refuses, and warns, without saving it", async () => {
    const { auth, role, office } = await newAppWithOffice()
    const policies = [
      { ...office, conditions: { sources: ["api"], ipRanges: ["10.0.0.0/9"] } },
      policyOf(role, { name: "Relays", conditions: { sources: ["relay"] } }),
      policyOf(role, { name: "No tokens", effect: "forbid", conditions: { sources: ["client-token"] } }),
    ]
    const answer = await service.post("/data-policies/analyze", { role, policies }, { auth })
    expect(answer.json).toMatchObject({
      permitted: wordsOf("through relays"),
      refused: wordsOf("through the API, from 10.128.0.0/9"),
      warnings: [{ policy: "No tokens", kind: "forbids-nothing", reason: expect.any(String) }],
    })
    const { json } = await service.get("/data-policies", { auth })
    expect(json).toMatchObject({ data: [{ name: "Office", conditions: OFFICE }] })
  })

  test("tells masks from full values, for a role that has a mask", async () => {
    const { auth, role } = await newAppWithRole(service)
    const masked = policyOf(role, { name: "Support", reveal: "masked", conditions: { sources: ["api"] } })
    const analyze = async (...policies: readonly object[]) =>
      (await service.post("/data-policies/analyze", { role, policies }, { auth })).json
    expect(await analyze(masked)).toMatchObject({
      permitted: wordsOf(),
      warnings: [{ kind: "closed-role" }, { policy: "Support", kind: "never-applies" }],
    })
    await service.patch(`/data-roles/${role}`, { mask: { type: "name" } }, { auth })
    expect(await analyze(masked)).toMatchObject({
      permitted: wordsOf("through the API, masked"),
      warnings: [],
    })
    await service.post("/data-policies", masked, { auth })
    const { json } = await service.get(`/data-roles/${role}/access`, { auth })
    expect(json).toMatchObject({ access: wordsOf("through the API, masked") })
  })

  test("refuses a draft that could not be saved with invalid-request, and a missing role with not-found", async () => {
    const { auth, role } = await newAppWithRole(service)
    const send = (body: object) => service.post("/data-policies/analyze", body, { auth })
    const broken = { name: "broken", effect: "permit", roles: [role], cedar: "permit(" }
    const answer = await send({ role, policies: [broken] })
    expectProblem(answer, "invalid-request")
    expect(answer.json).toMatchObject({ fields: [{ pointer: "/policies/0/cedar" }] })
    expectProblem(await send({ role: "none", policies: [] }), "not-found")
  })
})

test("a service that proves nothing refuses both with forbidden and names the command line", async () => {
  const { platform } = service.service
  const { endpoints } = createService(platform)
  const given = await prepareTeam(platform, endpoints)
  for (const [id, request] of [
    ["get-data-role-access", { path: { role_id: "pci" } }],
    ["analyze-data-policies", { body: { role: "pci", policies: [] } }],
  ] as const) {
    const answer = await sendRequest(endpoints, id, given, request, "one")
    expect(JSON.parse(String(answer.body))).toMatchObject({
      code: "forbidden",
      detail: expect.stringContaining("npx sealway policies who"),
    })
  }
})

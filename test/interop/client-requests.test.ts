import { beforeAll, describe, expect, test } from "vitest"
import * as z from "zod"
import { deployFunction } from "../support/functions.ts"
import { expectProblem } from "../support/problem.ts"
import { type Answer, useService } from "../support/service.ts"

/** The requests of SDKs that need another runtime, as they send them. */

const INITIALISATION =
  "The function failed to initialize. This error is commonly encountered when there are problems with the function code (e.g. a syntax error) or when a required import is missing."
const service = useService()
let card: string

beforeAll(async () => {
  const index = `export const handler = async (payload) => {
  if (payload.shouldError) throw new Error("User threw an error")
  return Object.fromEntries(Object.entries(payload).map(([name, value]) => [name, typeof value]))
}`
  await deployFunction(service, "charge", "index.mjs", index)
  await deployFunction(service, "broken", "index.mjs", 'import "left-pad"\nexport const handler = () => 1')
  card = String((await service.post("/encrypt", '"4242424242424242"')).json)
}, 120_000)

const byKey = () => ({ auth: null, headers: { "api-key": service.sandbox.auth.key } })
const tokenSchema = z.object({ id: z.string(), token: z.string(), expiry: z.int(), createdAt: z.int() })
const lifetimeOf = (answer: Answer) => {
  const { expiry, createdAt } = tokenSchema.parse(answer.json)
  return expiry - createdAt
}
const runToken = async (body: unknown, options: object = {}) => {
  const answer = await service.post("/v2/functions/charge/run-token", body, { ...byKey(), ...options })
  expect(answer.status).toBe(200)
  return tokenSchema.parse(answer.json).token
}

describe("client-side tokens", () => {
  const payload = () => ({ card })

  test.each([
    ["Python and Ruby: expiry null", { expiry: null }],
    ["PHP: expiry null, with numbered members for a list", { expiry: null, payload: { 0: "a", 1: "b" } }],
    ["Java: no expiry", {}],
  ])("are issued for 5 minutes to %s", async (_client, changes) => {
    const body = { action: "api:decrypt", payload: payload(), ...changes }
    const answer = await service.post("/client-side-tokens", body)
    expect([answer.status, lifetimeOf(answer)]).toEqual([201, 300_000])
  })

  test("are issued for 5 minutes to Go, which sends expiry 0 and the key alone", async () => {
    const body = { action: "api:decrypt", payload: payload(), expiry: 0 }
    const answer = await service.post("/client-side-tokens", body, byKey())
    // Its SDK accepts 200 only; the specification says 201.
    expect([answer.status, lifetimeOf(answer)]).toEqual([201, 300_000])
  })

  test.each<[string, () => unknown]>([
    ["a list, from Python, Node.js and Ruby", () => [card]],
    ["one token, from Java and the browser", () => card],
  ])("are issued for %s", async (_client, payload) => {
    const body = { payload: payload(), expiry: null, action: "api:decrypt" }
    expect((await service.post("/client-side-tokens", body)).status).toBe(201)
  })

  test("are refused with forbidden for a key that may not decrypt itself", async () => {
    const auth = await service.newKey(service.sandbox.app, ["function:run"])
    const body = { action: "api:decrypt", payload: payload(), expiry: null }
    expectProblem(await service.post("/client-side-tokens", body, { auth }), "forbidden")
  })
})

describe("runs", () => {
  test.each([
    ["Python: async false", { async: false }],
    ["Ruby: async null", { async: null }],
    ["Go and PHP: no async", {}],
  ])("are waited for by %s", async (_client, changes) => {
    const answer = await service.post("/functions/charge/runs", { payload: { card }, ...changes })
    expect([answer.status, answer.json]).toMatchObject([
      200,
      { status: "success", result: { card: "string" } },
    ])
  })

  test("are scheduled for Python, with no id in the answer, and Location naming the run", async () => {
    const answer = await service.post("/functions/charge/runs", { payload: { card }, async: true })
    expect([answer.status, answer.json]).toEqual([202, { status: "scheduled" }])
    expect(answer.headers.get("location")).toMatch(/^\/functions\/charge\/runs\/func_run_/)
  })

  test("that fail to initialise report it to Go, PHP and Ruby in the words that they compare, and the reason in the stack", async () => {
    const answer = await service.post("/functions/broken/runs", { payload: {} })
    expect(answer.json).toMatchObject({
      status: "failure",
      id: expect.stringMatching(/^func_run_/),
      error: { message: INITIALISATION, stack: expect.stringContaining("left-pad") },
    })
    expect(answer.text).not.toMatch(/\/(?:tmp|var|usr|root|home)\//)
  })

  test("that throw return the error's message to every client", async () => {
    const answer = await service.post("/functions/charge/runs", { payload: { shouldError: true } })
    expect(answer.json).toMatchObject({ status: "failure", error: { message: "User threw an error" } })
  })
})

describe("older run tokens", () => {
  test("are issued with 200 to Python, Ruby, Go, Java and PHP, by the key alone", async () => {
    const token = await runToken({ card })
    const headers = { authorization: `RunToken ${token}` }
    const answer = await service.post(
      "/functions/charge/runs",
      { payload: { card } },
      { auth: null, headers },
    )
    expect(answer.json).toMatchObject({ status: "success", result: { card: "string" } })
  })

  test.each([
    ["Java and PHP: {}", "{}", {}],
    ["Node: nothing", undefined, {}],
    ["Python: nothing, as JSON", undefined, { "content-type": "application/json" }],
  ])("are for the payload {} when the body is that of %s", async (_client, body, headers) => {
    const token = await runToken(body, { headers: { ...byKey().headers, ...headers } })
    const run = (payload: object) =>
      service.post("/run/charge", payload, { auth: null, headers: { authorization: `Bearer ${token}` } })
    expectProblem(await run({ card }), "forbidden")
    expect((await run({})).status).toBe(200)
  })
})

describe("runs on a run host, with the bare payload", () => {
  test("answer PHP, by the key alone, with 200 and the result", async () => {
    const headers = { ...byKey().headers, "x-version-id": "0" }
    const answer = await service.post("/run/charge", { card }, { auth: null, headers })
    expect([answer.status, answer.json]).toMatchObject([
      200,
      {
        status: "success",
        result: { card: "string" },
        runId: expect.stringMatching(/^func_run_/),
        appUuid: service.sandbox.app.id,
      },
    ])
  })

  test("answer a page with a run token as Bearer, once, for its payload", async () => {
    const token = await runToken({ card })
    const run = (payload: object, name = "charge") =>
      service.post(`/run/${name}`, payload, { auth: null, headers: { authorization: `Bearer ${token}` } })
    expectProblem(await run({ card, more: 1 }), "forbidden")
    expectProblem(await run({ card }, "broken"), "forbidden")
    expect((await run({ card })).json).toMatchObject({ result: { card: "string" } })
    expectProblem(await run({ card }), "forbidden")
  })

  test("are scheduled with x-async, and can be read where Location says", async () => {
    const headers = { ...byKey().headers, "x-async": "true" }
    const answer = await service.post("/run/charge", { card }, { auth: null, headers })
    expect([answer.status, answer.json]).toEqual([202, { status: "scheduled" }])
    const path = answer.headers.get("location") ?? ""
    const ended = async () => (await service.get(path)).json
    await expect
      .poll(ended, { timeout: 60_000 })
      .toMatchObject({ status: "success", result: { card: "string" } })
  }, 90_000)

  test.each(["charge", "broken"])(
    "answer a failure of %s with 422, because older clients take any 200 for a success",
    async (name) => {
      const answer = await service.post(`/run/${name}`, { shouldError: true }, byKey())
      expectProblem(answer, "functions/run-failed")
      expect(answer.text).not.toContain("User threw an error")
    },
  )

  test("refuse anything but one object, a key without function:run, and a client-side token", async () => {
    for (const body of ["[]", '{},"async":true', "null", '{"a":1,"a":2}']) {
      expectProblem(await service.post("/run/charge", body, byKey()), "invalid-request")
    }
    const auth = await service.newKey(service.sandbox.app, ["api:decrypt"])
    expectProblem(await service.post("/run/charge", {}, { auth }), "forbidden")
    const issued = await service.post("/client-side-tokens", { action: "api:decrypt", payload: {} })
    const headers = { authorization: `Bearer ${tokenSchema.parse(issued.json).token}` }
    expectProblem(await service.post("/run/charge", {}, { auth: null, headers }), "unauthorized")
    expectProblem(await service.post("/run/charge", {}, { auth: null }), "unauthorized")
    expectProblem(await service.post("/run/nothing", {}, byKey()), "not-found")
  })
})

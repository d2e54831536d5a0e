import { setTimeout as delay } from "node:timers/promises"
import { deflateRawSync } from "node:zlib"
import { answered, craftZip } from "@sealway/functions/testing"
import type { ApiErrorCode } from "@sealway/kernel"
import { changeApiKey, createApp, issueApiKey } from "@sealway/management"
import type { Invocation } from "@sealway/ports"
import { SYSTEM } from "@sealway/records"
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest"
import * as z from "zod"
import { CODE, expectProblem, type FunctionService, startFunctionService } from "./function-service.ts"

let service: FunctionService
beforeAll(async () => {
  service = await startFunctionService()
  await service.deploy("charge", { timeoutSeconds: 2, callbackUrl: "http://127.0.0.1:1/done" })
  await service.settled("charge")
})
afterAll(() => service[Symbol.asyncDispose]())
beforeEach(() => {
  service.settings.behaviour = ({ payload }) => answered({ status: "success", result: payload })
  service.calls.length = 0
})

const idSchema = z.object({ id: z.string() })
const tokenSchema = z.object({ id: z.string(), token: z.string(), expiry: z.int(), createdAt: z.int() })
const CHARGE = { function_name: "charge" }

async function ended(location: string) {
  const run_id = location.split("/").at(-1) ?? ""
  for (;;) {
    const answer = await service.call("get-function-run", { path: { ...CHARGE, run_id } })
    if (!answer.text.includes('"status":"scheduled"')) return answer
    await delay(20)
  }
}

async function sealedWithRole(slug: string): Promise<string> {
  await service.call("create-data-role", { body: { slug, name: slug } })
  const headers = { "x-service-data-role": slug }
  return String((await service.call("encrypt", { body: '"4242424242424242"', headers })).json)
}

const runToken = async (payload: object, endpoint = "create-run-token") => {
  const body = endpoint === "create-run-token" ? { payload } : payload
  const answer = await service.call(endpoint, { path: CHARGE, body })
  expect(answer.status).toBe(endpoint === "create-run-token" ? 201 : 200)
  return tokenSchema.parse(answer.json)
}
const runWith = (token: string, payload: unknown, name = "charge") =>
  service.run(name, { payload }, { key: null, headers: { authorization: `RunToken ${token}` } })

describe("deploying", () => {
  test("answers 202 with the function, which is then ready, listed and found by its name", async () => {
    const answer = await service.deploy("listed", { memoryMb: 512 })
    expect(answer.status).toBe(202)
    expect(answer.json).toMatchObject({
      id: expect.stringMatching(/^func_[0-9a-z]{26}$/),
      name: "listed",
      language: "node@24",
      handler: "index.mjs",
      timeoutSeconds: 30,
      memoryMb: 512,
      callbackUrl: null,
      status: "deploying",
      deployment: 1,
      activeDeployment: null,
    })
    expect(await service.settled("listed")).toMatchObject({ status: "ready", activeDeployment: 1 })
    const listed = await service.call("list-functions", { query: { limit: "1" } })
    expect(listed.json).toMatchObject({ data: [{ name: "listed" }], hasMore: true })
  })

  test("deploys a function again by its name", async () => {
    await service.deploy("again")
    await service.settled("again")
    expect((await service.deploy("again", { language: "python@3.13", handler: "main.py" })).status).toBe(202)
    expect(await service.settled("again")).toMatchObject({ language: "python@3.13", activeDeployment: 2 })
  })

  test.each<[string, object, string]>([
    ["a name with capitals", { name: "Charge" }, "/name"],
    ["a name of 61 characters", { name: "a".repeat(61) }, "/name"],
    ["a language that nobody knows", { language: "ruby@3" }, "/language"],
    ["a handler out of the zip", { handler: "../index.mjs" }, "/handler"],
    ["a handler that is not there", { handler: "other.mjs" }, "/handler"],
    ["a handler of another language", { handler: "main.py" }, "/handler"],
    ["no time", { timeoutSeconds: 0 }, "/timeoutSeconds"],
    ["too much time", { timeoutSeconds: 901 }, "/timeoutSeconds"],
    ["too little memory", { memoryMb: 127 }, "/memoryMb"],
    ["too much memory", { memoryMb: 3009 }, "/memoryMb"],
    ["code that is no base64", { code: `${CODE}!` }, "/code"],
    ["code that is no zip", { code: "AAAA" }, "/code"],
    ["a callback that is no URL", { callbackUrl: "nowhere" }, "/callbackUrl"],
    ["a callback without slashes", { callbackUrl: "http:127.0.0.1" }, "/callbackUrl"],
  ])("refuses %s, and points at it", async (_what, changes, pointer) => {
    const answer = await service.deploy("refused", changes)
    expectProblem(answer, "invalid-request")
    expect(answer.json).toMatchObject({ fields: [{ pointer }] })
  })

  test("accepts the bounds of time and memory", async () => {
    expect((await service.deploy("most", { timeoutSeconds: 900, memoryMb: 3008 })).status).toBe(202)
    expect((await service.deploy("least", { timeoutSeconds: 1, memoryMb: 128 })).status).toBe(202)
  })

  test("refuses more than a zip may have, and callers without credentials or the scope to write", async () => {
    expectProblem(await service.deploy("large", { code: "A".repeat(4_500_000) }), "payload-too-large")
    const body = { name: "x", language: "node@24", handler: "index.mjs", code: CODE }
    expectProblem(await service.call("deploy-function", { body, key: null }), "unauthorized")
    const key = await service.newKey(["function:read"])
    expectProblem(await service.call("deploy-function", { body, key }), "forbidden")
    expectProblem(await service.call("delete-function", { path: CHARGE, key }), "forbidden")
  })

  test("refuses with invalid-request a zip that unpacks to more than it says, and stores nothing", async () => {
    const content = Buffer.alloc(10_000_000)
    const packed = deflateRawSync(content)
    const small = { content, packed, says: { bytes: 1_000 } }
    const sharing = [0, 1, 2, 3].map((index) => ({
      path: `f${index}`,
      ...small,
      ...(index > 0 && { offset: 0 }),
    }))
    for (const files of [[{ path: "index.mjs", ...small }], sharing]) {
      const answer = await service.deploy("bomb", { code: craftZip(files).toString("base64") })
      expectProblem(answer, "invalid-request")
      expect(answer.json).toMatchObject({ fields: [{ pointer: "/code", reason: "The zip is damaged." }] })
    }
    expectProblem(await service.call("get-function", { path: { function_name: "bomb" } }), "not-found")
  })

  test("deletes a function with its runs and logs", async () => {
    await service.deploy("gone")
    await service.settled("gone")
    const path = { function_name: "gone" }
    expect((await service.call("delete-function", { path })).status).toBe(204)
    for (const id of ["get-function", "delete-function", "list-function-runs", "list-function-logs"]) {
      expectProblem(await service.call(id, { path }), "not-found")
    }
    expectProblem(await service.run("gone", { payload: {} }), "not-found")
  })

  test.each(["Charge", "a".repeat(61), "x".repeat(3000), "charge#", "__proto__", "%00"])(
    "finds no function of the name %s",
    async (function_name) => {
      const path = { function_name }
      for (const id of ["get-function", "delete-function", "list-function-runs"]) {
        expectProblem(await service.call(id, { path }), "not-found")
      }
      expectProblem(await service.run(function_name, { payload: {} }), "not-found")
    },
  )

  test("shows none of its functions to another app", async () => {
    const wanted = { name: "Other", environment: "sandbox" } as const
    const other = await createApp(service.platform, service.team.id, wanted, SYSTEM)
    const key = await service.newKey(["*"], other)
    expect((await service.call("list-functions", { key })).json).toEqual({ data: [], hasMore: false })
    expectProblem(await service.call("get-function", { path: CHARGE, key }), "not-found")
    expectProblem(await service.run("charge", { payload: {} }, { key }), "not-found")
  })
})

describe("a run", () => {
  test("gives the function its payload with tokens opened, and returns its result as it is written", async () => {
    const token = String((await service.call("encrypt", { body: "42" })).json)
    service.settings.behaviour = () => ({
      kind: "answered",
      answer: Buffer.from('{"status":"success","result":{"amount": 1.50, "id":12345678901234567890}}'),
    })
    const answer = await service.run("charge", `{"payload":{"amount":"${token}","rate":0.10}}`)
    expect(service.calls[0]?.event).toContain('{"payload":{"amount":42,"rate":0.10},')
    expect(answer.status).toBe(200)
    expect(answer.text).toMatch(
      /^\{"id":"func_run_[0-9a-z]{26}","status":"success","result":\{"amount": 1\.50, "id":12345678901234567890\},"createdAt":\d{13}\}$/,
    )
  })

  test("gives the function a field named __proto__ like any other", async () => {
    const body = '{"payload":{"a":1,"__proto__":{"b":2}}}'
    const answer = await service.run("charge", body)
    expect(service.calls[0]?.event).toContain('{"payload":{"a":1,"__proto__":{"b":2}},')
    expect(answer.text).toContain('"result":{"a":1,"__proto__":{"b":2}}')
  })

  test("gives the function its name, the run and the app's public key", async () => {
    const { id } = idSchema.parse((await service.run("charge", { payload: {} })).json)
    expect(JSON.parse(service.calls[0]?.event ?? "")).toEqual({
      payload: {},
      context: {
        functionName: "charge",
        runId: id,
        app: service.app.id,
        publicKey: { ecdhP256KeyUncompressed: expect.stringMatching(/^B[A-Za-z0-9+/]{86}=$/), debug: true },
      },
    })
  })

  test.each([
    [
      "what is thrown",
      answered({ status: "failure", error: { message: "No", stack: "at f" } }),
      { message: "No", stack: "at f" },
    ],
    ["an exit", { kind: "exited" } as const, { message: expect.stringContaining("ended"), stack: "" }],
    [
      "no memory",
      { kind: "out-of-memory" } as const,
      { message: expect.stringContaining("256 MB"), stack: "" },
    ],
  ])("is answered with 200 and failure when it fails by %s", async (_what, invocation, error) => {
    service.settings.behaviour = () => invocation
    const answer = await service.run("charge", { payload: {} })
    expect([answer.status, answer.json]).toEqual([
      200,
      { id: expect.any(String), status: "failure", error, createdAt: expect.any(Number) },
    ])
  })

  test.each([
    [{ kind: "timed-out", isStopped: true } as const, "functions/request-timeout"],
    [{ kind: "timed-out", isStopped: false } as const, "functions/request-timeout"],
    [{ kind: "not-ready" } as const, "functions/function-not-ready"],
    [{ kind: "busy" } as const, "too-many-requests"],
    [{ kind: "payload-too-large" } as const, "payload-too-large"],
  ] satisfies [Invocation, ApiErrorCode][])(
    "is refused, when it ends as %j, with %s",
    async (invocation, code) => {
      service.settings.behaviour = () => invocation
      expectProblem(await service.run("charge", { payload: {} }), code)
    },
  )

  test("is waited for no longer than 29 seconds, and not much longer than the function's limit", async () => {
    await service.run("charge", { payload: {} })
    await service.deploy("slow", { timeoutSeconds: 900 })
    await service.settled("slow")
    await service.run("slow", { payload: {} })
    expect(service.calls.map(({ limitMs }) => limitMs)).toEqual([12_000, 29_000])
  })

  test("is refused with functions/function-not-ready when the function is not ready yet", async () => {
    service.settings.refusal = "InvalidParameterValueException"
    await service.deploy("failing")
    expect(await service.settled("failing")).toMatchObject({
      status: "failed",
      lastError: expect.stringContaining("InvalidParameter"),
    })
    service.settings.refusal = null
    expectProblem(await service.run("failing", { payload: {} }), "functions/function-not-ready")
    await service.deploy("failing")
    await service.settled("failing")
    expect((await service.run("failing", { payload: {} })).status).toBe(200)
  })

  test.each([
    "{}",
    '{"payload":[]}',
    '{"payload":{},"more":1}',
    '{"payload":{},"async":"yes"}',
    "[",
    '{"payload":{},"payload":{}}',
  ])("refuses %s with invalid-request", async (body) =>
    expectProblem(await service.run("charge", body), "invalid-request"),
  )

  test("refuses a token that does not open, callers without credentials, and a function that does not exist", async () => {
    const token = String((await service.call("encrypt", { body: '"x"' })).json).replace(/.{4}:\$$/, "AAAA:$")
    const broken = await service.run("charge", { payload: { a: [token] } })
    expectProblem(broken, "invalid-request")
    expect(broken.json).toMatchObject({ fields: [{ pointer: "/payload/a/0" }] })
    expectProblem(await service.run("charge", { payload: {} }, { key: null }), "unauthorized")
    expectProblem(await service.run("other", { payload: {} }), "not-found")
    expect(service.calls).toEqual([])
  })

  test("is refused with forbidden for a key without function:run, even if it deployed the function", async () => {
    const token = String((await service.call("encrypt", { body: '"4242"' })).json)
    for (const scopes of [[], ["function:write", "function:read"], ["api:decrypt"]] as const) {
      const key = await service.newKey(scopes)
      expectProblem(await service.run("charge", { payload: { card: token } }, { key }), "forbidden")
      const body = { card: token }
      const asked = { path: CHARGE, key }
      expectProblem(
        await service.call("create-run-token", { ...asked, body: { payload: body } }),
        "forbidden",
      )
      expectProblem(await service.call("create-run-token-v2", { ...asked, body }), "forbidden")
    }
    expect(service.calls).toEqual([])
    const key = await service.newKey(["function:run"])
    expect((await service.run("charge", { payload: { card: token } }, { key })).status).toBe(200)
  })

  test("decrypts values with a role as far as policies permit this function, and audits refusals", async () => {
    const token = await sealedWithRole("pci")
    const refused = await service.run("charge", { payload: { card: token } })
    expectProblem(refused, "decrypt/forbidden")
    expect(refused.json).toMatchObject({ fields: [{ pointer: "/payload/card" }] })
    expect(service.calls).toEqual([])
    const records = await Array.fromAsync(service.platform.audit.read(service.team.id, null))
    expect(records[0]).toMatchObject({
      action: "decryption.refused",
      details: { role: "pci", code: "decrypt/forbidden" },
    })

    const conditions = { sources: ["function"], functions: ["charge"] }
    const policy = { name: "Charge", effect: "permit", roles: ["pci"], conditions }
    expect((await service.call("create-data-policy", { body: policy })).status).toBe(201)
    const answer = await service.run("charge", { payload: { card: token } })
    expect(answer.json).toMatchObject({ status: "success", result: { card: "4242424242424242" } })
    await service.deploy("other-one")
    await service.settled("other-one")
    expectProblem(await service.run("other-one", { payload: { card: token } }), "decrypt/forbidden")
    expectProblem(await service.call("decrypt", { body: JSON.stringify(token) }), "decrypt/forbidden")
  })

  test("passes no honey token to a function, whatever policies permit", async () => {
    const created = await service.call("create-honey-token", { body: { name: "Trap", shape: "card-number" } })
    const { token } = z.object({ token: z.string() }).parse(created.json)
    expectProblem(await service.run("charge", { payload: { card: token } }), "decrypt/forbidden")
    expect(service.calls).toEqual([])
    const records = await Array.fromAsync(service.platform.audit.read(service.team.id, null))
    expect(records[0]).toMatchObject({
      action: "decryption.refused",
      details: { reason: "honey-token", endpoint: "run-function" },
    })
  })
})

describe("a run repeated with its Idempotency-Key", () => {
  const keyed = (name: string) => ({ headers: { "idempotency-key": name } })
  const permit = (slug: string, conditions: object = {}, fields: object = {}) =>
    service.call("create-data-policy", {
      body: {
        name: slug,
        effect: "permit",
        roles: [slug],
        conditions: { sources: ["function"], ...conditions },
        ...fields,
      },
    })
  const setMask = async (slug: string, mask: object) =>
    expect((await service.call("update-data-role", { path: { role_id: slug }, body: { mask } })).status).toBe(
      200,
    )

  test("gives the same answer, and the function runs once", async () => {
    const [first, second] = [
      await service.run("charge", { payload: { a: 1 } }, keyed("charge-1")),
      await service.run("charge", { payload: { a: 1 } }, keyed("charge-1")),
    ]
    expect(second?.text).toBe(first?.text)
    expect(second?.headers["idempotency-replayed"]).toBe("true")
    expect(service.calls).toHaveLength(1)
  })

  test("is refused with decrypt/forbidden, and audited, once policies do not permit its payload any more", async () => {
    const payload = { card: await sealedWithRole("replayed") }
    const policy = idSchema.parse((await permit("replayed")).json)
    const first = await service.run("charge", { payload }, keyed("taken-away"))
    expect(first.json).toMatchObject({ result: { card: "4242424242424242" } })

    await service.call("delete-data-policy", { path: { policy_id: policy.id } })
    const refused = await service.run("charge", { payload }, keyed("taken-away"))
    expectProblem(refused, "decrypt/forbidden")
    expect(refused.json).toMatchObject({ fields: [{ pointer: "/payload/card" }] })
    const [record] = await Array.fromAsync(service.platform.audit.read(service.team.id, null))
    expect(record).toMatchObject({ action: "decryption.refused", details: { role: "replayed" } })

    await permit("replayed")
    expect((await service.run("charge", { payload }, keyed("taken-away"))).text).toBe(first.text)
    expect(service.calls).toHaveLength(1)
  })

  test("is refused with decrypt/forbidden once policies permit only masks of what the function got in full", async () => {
    const payload = { card: await sealedWithRole("narrowed-to-masks") }
    await setMask("narrowed-to-masks", { type: "first-last" })
    await permit("narrowed-to-masks", {}, { reveal: "masked" })
    const policy = idSchema.parse((await permit("narrowed-to-masks")).json)
    const first = await service.run("charge", { payload }, keyed("full-first"))
    expect(first.json).toMatchObject({ result: { card: "4242424242424242" } })

    await service.call("delete-data-policy", { path: { policy_id: policy.id } })
    const refused = await service.run("charge", { payload }, keyed("full-first"))
    expectProblem(refused, "decrypt/forbidden")
    expect(refused.text).not.toContain("4242424242424242")
    const masked = await service.run("charge", { payload }, keyed("masked-first"))
    expect(masked.json).toMatchObject({ result: { card: "424242•••4242" } })
  })

  test("gives the same answer from masks while policies permit the same masks, or full values", async () => {
    const payload = { card: await sealedWithRole("same-masks") }
    await setMask("same-masks", { type: "first-last" })
    await permit("same-masks", {}, { reveal: "masked" })
    const run = () => service.run("charge", { payload }, keyed("same-masks"))
    const first = await run()
    expect(first.json).toMatchObject({ result: { card: "424242•••4242" } })
    expect((await run()).text).toBe(first.text)
    await setMask("same-masks", { type: "fixed", text: "hidden" })
    expectProblem(await run(), "decrypt/forbidden")
    await permit("same-masks")
    expect((await run()).text).toBe(first.text)
    expect(service.calls).toHaveLength(1)
  })

  test("is refused with idempotency-key-reused with another x-async, without a check of policies", async () => {
    const body = { card: await sealedWithRole("bare") }
    const policy = idSchema.parse((await permit("bare")).json)
    const runBare = (headers: Record<string, string> = {}) =>
      service.call("run-bare-payload", {
        path: { function_name: "charge" },
        body,
        headers: { ...keyed("bare").headers, ...headers },
      })
    const first = await runBare()
    expect(first.json).toMatchObject({ result: { card: "4242424242424242" } })
    await service.call("delete-data-policy", { path: { policy_id: policy.id } })
    expectProblem(await runBare(), "decrypt/forbidden")
    for (const text of ["true", "TRUE", "false"]) {
      expectProblem(await runBare({ "x-async": text }), "idempotency-key-reused")
    }
    expect(service.calls).toHaveLength(1)
  })

  test("neither checks nor spends budgets: its values were counted when the function ran", async () => {
    const payload = { card: await sealedWithRole("counted") }
    await permit("counted", { budget: { values: 2, per: "day" } })
    const first = await service.run("charge", { payload }, keyed("counted"))
    for (let repetition = 0; repetition < 3; repetition++) {
      expect((await service.run("charge", { payload }, keyed("counted"))).text).toBe(first.text)
    }
    expect((await service.run("charge", { payload })).status).toBe(200)
    expectProblem(await service.run("charge", { payload }), "decrypt/forbidden")
    expect((await service.run("charge", { payload }, keyed("counted"))).text).toBe(first.text)
    expect(service.calls).toHaveLength(2)
  })

  test("is refused with forbidden once its API key may not run functions any more", async () => {
    const wanted = { kind: "sandbox", teamId: service.team.id, appId: service.app.id, name: "Key" } as const
    const issue = () =>
      issueApiKey(service.platform, { ...wanted, scopes: ["function:run"], expiresAt: null }, SYSTEM)
    const { key, record } = await issue()
    const asked = { ...keyed("narrowed"), key }
    expect((await service.run("charge", { payload: {} }, asked)).status).toBe(200)
    const owner = { teamId: service.team.id, appId: service.app.id }
    await changeApiKey(service.platform, owner, record.id, { scopes: [] }, SYSTEM)
    const elsewhere = await service.anotherProcess()
    expectProblem(await elsewhere.run("charge", { payload: {} }, asked), "forbidden")
    expect(service.calls).toHaveLength(1)
  })

  test.each<[string, Invocation | Error, ApiErrorCode]>([
    ["did not end in time", { kind: "timed-out", isStopped: true }, "functions/request-timeout"],
    ["was cut off from us", new Error("The connection is lost"), "internal-server-error"],
  ])("is refused with idempotency-result-unknown when the function %s", async (_what, behaviour, code) => {
    service.settings.behaviour = () => behaviour
    expectProblem(await service.run("charge", { payload: {} }, keyed(code)), code)
    service.settings.behaviour = ({ payload }) => answered({ status: "success", result: payload })
    for (let repetition = 0; repetition < 2; repetition++) {
      const again = await service.run("charge", { payload: {} }, keyed(code))
      expectProblem(again, "idempotency-result-unknown")
      expect(again.headers["retry-after"]).toBeUndefined()
    }
    expect(service.calls).toHaveLength(1)
  })

  test("is refused with idempotency-result-unknown when the answer is too large to store", async () => {
    const sized = (characters: number) =>
      answered({ status: "success", result: { text: "x".repeat(characters) } })
    service.settings.behaviour = () => sized(380 * 1024)
    const kept = await service.run("charge", { payload: {} }, keyed("kept"))
    expect((await service.run("charge", { payload: {} }, keyed("kept"))).text).toBe(kept.text)
    service.settings.behaviour = () => sized(384 * 1024)
    expect((await service.run("charge", { payload: {} }, keyed("large"))).status).toBe(200)
    const again = await service.run("charge", { payload: {} }, keyed("large"))
    expectProblem(again, "idempotency-result-unknown")
    expect(service.calls).toHaveLength(2)
  })

  test.each(["busy", "not-ready", "payload-too-large"] as const)(
    "runs the function when the first request was refused because the host was or found it %s",
    async (kind) => {
      service.settings.behaviour = () => ({ kind })
      expect((await service.run("charge", { payload: {} }, keyed(kind))).status).not.toBe(200)
      service.settings.behaviour = ({ payload }) => answered({ status: "success", result: payload })
      expect((await service.run("charge", { payload: {} }, keyed(kind))).status).toBe(200)
    },
  )

  test("schedules it once when it is asynchronous", async () => {
    const run = () => service.run("charge", { payload: { async: 1 }, async: true }, keyed("later"))
    const { headers } = await run()
    await ended(headers.location ?? "")
    const again = await run()
    expect([again.status, again.headers.location]).toEqual([202, headers.location])
    expect(service.calls).toHaveLength(1)
  })
})

describe("an asynchronous run", () => {
  test("is accepted with 202 and a place, runs, and its result is read there and listed", async () => {
    const token = String((await service.call("encrypt", { body: '"4242"' })).json)
    const answer = await service.run("charge", { payload: { card: token }, async: true })
    expect([answer.status, answer.json]).toEqual([202, { status: "scheduled" }])
    const location = answer.headers.location ?? ""
    expect(location).toMatch(/^\/functions\/charge\/runs\/func_run_[0-9a-z]{26}$/)
    const run = await ended(location)
    const id = location.split("/").at(-1)
    const times = { createdAt: expect.any(Number), completedAt: expect.any(Number) }
    expect(run.json).toEqual({ id, status: "success", result: { card: "4242" }, ...times })
    const listed = await service.call("list-function-runs", { path: CHARGE, query: { limit: "1" } })
    expect(listed.json).toMatchObject({ data: [{ id, status: "success", ...times }] })
    expect(listed.text).not.toContain('4242"')
  })

  test("is refused with payload-too-large when it has more than 256 KB, and accepted with one byte less", async () => {
    const sized = (bytes: number) => {
      const empty = JSON.stringify({ async: true, payload: { a: "" } })
      return JSON.stringify({ async: true, payload: { a: "x".repeat(bytes - empty.length) } })
    }
    expectProblem(await service.run("charge", sized(256 * 1024 + 1)), "payload-too-large")
    expect((await service.run("charge", sized(256 * 1024))).status).toBe(202)
  })

  test("is not read without the scope, nor at another place", async () => {
    const answer = await service.run("charge", { payload: {}, async: true })
    const run_id = answer.headers.location?.split("/").at(-1) ?? ""
    const key = await service.newKey(["api:decrypt"])
    expectProblem(await service.call("get-function-run", { path: { ...CHARGE, run_id }, key }), "forbidden")
    for (const path of [
      { function_name: "listed", run_id },
      { ...CHARGE, run_id: "func_run_0" },
      { ...CHARGE, run_id: "x" },
    ]) {
      expectProblem(await service.call("get-function-run", { path }), "not-found")
    }
  })
})

describe("a run token", () => {
  test.each(["create-run-token", "create-run-token-v2"])(
    "for %s is valid for one run of its payload",
    async (endpoint) => {
      const { id, token, expiry, createdAt } = await runToken({ a: 1, b: [] }, endpoint)
      expect(id).toMatch(/^run_token_[0-9a-z]{26}$/)
      expect(expiry - createdAt).toBe(5 * 60_000)
      const answer = await runWith(token, { b: [], a: 1 })
      expect([answer.status, answer.json]).toMatchObject([
        200,
        { status: "success", result: { a: 1, b: [] } },
      ])
      expectProblem(await runWith(token, { a: 1, b: [] }), "forbidden")
      expect(service.calls).toHaveLength(1)
    },
  )

  test("from create-run-token-v2 is for the payload {} when the body is empty, whatever its type", async () => {
    const headers = { "content-type": "text/plain" }
    const answer = await service.call("create-run-token-v2", { path: CHARGE, headers })
    const { token } = tokenSchema.parse(answer.json)
    expectProblem(await runWith(token, { a: 1 }), "forbidden")
    expect((await runWith(token, {})).status).toBe(200)
    const full = { path: CHARGE, headers, body: "{}" }
    expectProblem(await service.call("create-run-token-v2", full), "unsupported-media-type")
  })

  test("runs the function once when it is used many times at once", async () => {
    const { token } = await runToken({ a: 1 })
    const answers = await Promise.all(Array.from({ length: 8 }, () => runWith(token, { a: 1 })))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(7).fill(403)])
    expect(service.calls).toHaveLength(1)
  })

  test("is not used up by another payload, another function or a function that is not ready", async () => {
    const { token } = await runToken({ a: 1 })
    for (const payload of [{ a: 2 }, {}, { a: 1, b: 2 }])
      expectProblem(await runWith(token, payload), "forbidden")
    expectProblem(await runWith(token, { a: 1 }, "listed"), "forbidden")
    expect((await runWith(token, { a: 1 })).status).toBe(200)
    expect(service.calls).toHaveLength(1)
  })

  test("is refused with forbidden once its API key may not run functions any more", async () => {
    const wanted = { kind: "sandbox", teamId: service.team.id, appId: service.app.id, name: "Key" } as const
    const scopes = ["function:run", "function:read"] as const
    const issued = await issueApiKey(service.platform, { ...wanted, scopes, expiresAt: null }, SYSTEM)
    const body = { payload: { a: 1 } }
    const answer = await service.call("create-run-token", { path: CHARGE, body, key: issued.key })
    const { token } = tokenSchema.parse(answer.json)
    const owner = { teamId: service.team.id, appId: service.app.id }
    await changeApiKey(service.platform, owner, issued.record.id, { scopes: ["function:read"] }, SYSTEM)
    expectProblem(await runWith(token, { a: 1 }), "forbidden")
    expect(service.calls).toEqual([])
  })

  test("is valid for nothing else, and a client-side token is not valid for a run", async () => {
    const { token } = await runToken({ a: 1 })
    for (const carrier of ["RunToken", "Token", "Bearer"]) {
      const asked = { body: { a: 1 }, key: null, headers: { authorization: `${carrier} ${token}` } }
      expectProblem(await service.call("decrypt", asked), "unauthorized")
      expectProblem(await service.call("get-function", { path: CHARGE, ...asked }), "unauthorized")
    }
    const body = { action: "api:decrypt", payload: { a: 1 } }
    const clientSide = tokenSchema.parse((await service.call("create-client-side-token", { body })).json)
    expectProblem(await runWith(clientSide.token, { a: 1 }), "unauthorized")
    expectProblem(await runWith(`${token.slice(0, -2)}AA`, { a: 1 }), "unauthorized")
    expect(service.calls).toEqual([])
  })

  test("is not issued for a function that does not exist, nor for a payload that is not an object", async () => {
    const path = { function_name: "nothing" }
    expectProblem(await service.call("create-run-token", { path, body: { payload: {} } }), "not-found")
    for (const body of [{}, { payload: [] }, { payload: {}, more: 1 }, '{"payload":{"a":1,"a":2}}']) {
      expectProblem(await service.call("create-run-token", { path: CHARGE, body }), "invalid-request")
    }
  })
})

describe("apart from runs", () => {
  test("the printed lines of a function are listed for keys that may read", async () => {
    const answer = await service.call("list-function-logs", {
      path: CHARGE,
      query: { since: "5", limit: "7" },
    })
    expect(answer.json).toMatchObject({
      data: [{ at: 5, message: expect.stringMatching(/-1 7$/) }],
      continueAfter: null,
    })
    for (const query of [
      { limit: "0" },
      { limit: "1001" },
      { since: "-1" },
      { after: "a b" },
      { more: "1" },
    ]) {
      expectProblem(await service.call("list-function-logs", { path: CHARGE, query }), "invalid-request")
    }
  })

  test("the secret of callbacks is returned to keys that may write, and is the same each time", async () => {
    const first = await service.call("get-callback-secret")
    expect(first.json).toEqual({ secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/) })
    expect((await service.call("get-callback-secret")).text).toBe(first.text)
    const key = await service.newKey(["function:read"])
    expectProblem(await service.call("get-callback-secret", { key }), "forbidden")
  })

  test("the end of an asynchronous run is an event with a callback, and a delivery of it", async () => {
    const { headers } = await service.run("charge", { payload: {}, async: true })
    await ended(headers.location ?? "")
    const eventId = `webhook_event_${headers.location?.split("func_run_").at(-1)}`
    await expect
      .poll(
        async () => (await service.call("get-webhook-event", { path: { webhook_event_id: eventId } })).json,
      )
      .toMatchObject({ type: "function.run.completed", data: { function: "charge", status: "success" } })
  })
})

describe("the trace of a request", () => {
  const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
  const headers = { traceparent: `00-${TRACE}-00f067aa0ba902b7-01`, tracestate: "a=1" }
  const contextSchema = z.object({ context: z.looseObject({ runId: z.string() }) })
  const contexts = () => service.calls.map(({ event }) => contextSchema.parse(JSON.parse(event)).context)

  test("reaches the function of a run, at once or later, with a new parent each time", async () => {
    await service.run("charge", { payload: {} }, { headers })
    const later = await service.run("charge", { payload: {}, async: true }, { headers })
    await ended(later.headers.location ?? "")
    const traced = { traceparent: expect.stringMatching(`^00-${TRACE}-[0-9a-f]{16}-01$`), tracestate: "a=1" }
    expect(contexts()).toMatchObject([traced, traced])
    expect(new Set(contexts().map(({ traceparent }) => traceparent)).size).toBe(2)
  })

  test("does not exist when there is none, or a malformed one", async () => {
    await service.run("charge", { payload: {} })
    await service.run("charge", { payload: {} }, { headers: { ...headers, traceparent: "00-1-2-3" } })
    for (const context of contexts()) expect(Object.keys(context)).not.toContain("traceparent")
  })
})

import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { Webhook } from "standardwebhooks"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import * as z from "zod"
import { deployFunction } from "../support/functions.ts"
import { expectProblem } from "../support/problem.ts"
import { useService } from "../support/service.ts"

const service = useService()

const NODE = `export const handler = async (payload, context) => {
  if (payload.throw) throw new Error(payload.throw)
  if (payload.exit) process.exit(3)
  if (payload.hang) await new Promise(() => setInterval(() => undefined, 1000))
  if (payload.undefined) return undefined
  if (payload.large) return "a".repeat(1_000_000)
  return { payload, functionName: context.functionName, runId: context.runId, app: context.app }
}`
const PYTHON = `import os, time

def handler(payload, context):
    if payload.get("throw"):
        raise ValueError(payload["throw"])
    if payload.get("exit"):
        os._exit(3)
    if payload.get("hang"):
        time.sleep(60)
    if payload.get("large"):
        return "a" * 1_000_000
    return {"payload": payload, "functionName": context.functionName, "runId": context.runId, "app": context.app}
`

const resultSchema = z.object({ status: z.literal("success"), result: z.string() })

/** What was posted to the callback. */
const posts: { readonly headers: Record<string, string>; readonly body: string }[] = []
const receiver = createServer(async (request, response) => {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  const headers = Object.fromEntries(
    Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
  )
  posts.push({ headers, body: Buffer.concat(chunks).toString() })
  response.writeHead(204).end()
})
beforeAll(() => new Promise<void>((done) => receiver.listen(0, "127.0.0.1", done)))
afterAll(() => {
  receiver.closeAllConnections()
  receiver.close()
})
const callbackUrl = () => `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/done`

describe.each([
  ["node", "index.mjs", NODE],
  ["python", "main.py", PYTHON],
])("a function in %s", (name, handler, source) => {
  const run = (payload: object, more: object = {}) =>
    service.post(`/functions/${name}/runs`, { payload, ...more })

  beforeAll(async () => {
    const settings = { timeoutSeconds: 1, callbackUrl: callbackUrl() }
    expect(await deployFunction(service, name, handler, source, settings)).toMatchObject({ status: "ready" })
  })

  test("gets what was encrypted, and answers", async () => {
    const card = String((await service.post("/encrypt", '"4242"')).json)
    const answer = await run({ card })
    expect([answer.status, answer.json]).toMatchObject([
      200,
      {
        status: "success",
        result: { payload: { card: "4242" }, functionName: name, app: service.sandbox.app.id },
      },
    ])
  })

  test("returns large results completely, however many at the same time", async () => {
    const answers = await Promise.all(Array.from({ length: 5 }, () => run({ large: true })))
    const lengths = answers.map(({ json }) => resultSchema.parse(json).result.length)
    expect(lengths).toEqual(Array(5).fill(1_000_000))
  })

  test("fails when it throws or exits, and its next run does not", async () => {
    expect((await run({ throw: "declined" })).json).toMatchObject({
      status: "failure",
      error: { message: "declined", stack: expect.stringContaining(handler) },
    })
    expect((await run({ exit: true })).json).toMatchObject({
      status: "failure",
      error: { message: expect.stringContaining("process ended"), stack: "" },
    })
    expect((await run({})).json).toMatchObject({ status: "success" })
  })

  test("is refused with functions/request-timeout when it does not end in time, and fails when nobody waits", async () => {
    expectProblem(await run({ hang: true }), "functions/request-timeout")
    const { headers } = await run({ hang: true }, { async: true })
    const location = headers.get("location") ?? ""
    await expect
      .poll(async () => (await service.get(location)).json, { timeout: 10_000 })
      .toMatchObject({ status: "failure", error: { message: expect.stringContaining("time limit") } })
  })

  test("is reported to its callback, signed, when it ran while nobody waited", async () => {
    const { headers } = await run({ a: 1 }, { async: true })
    const id = headers.get("location")?.split("/").at(-1)
    await expect.poll(() => posts.some(({ body }) => body.includes(`${id}`)), { timeout: 10_000 }).toBe(true)
    const post = posts.find(({ body }) => body.includes(`${id}`))
    const secret = (await service.get("/callback-secret")).json as { secret: string }
    expect(new Webhook(secret.secret).verify(post?.body ?? "", post?.headers ?? {})).toMatchObject({
      type: "function.run.completed",
      data: { run: id, function: name, status: "success" },
    })
  })

  test("answers why when it is deployed again with code that does not load", async () => {
    const broken = handler.endsWith(".py")
      ? "raise ImportError('no such thing')"
      : "throw new Error('no such thing')"
    await deployFunction(service, `${name}-broken`, handler, broken)
    const answer = await service.post(`/functions/${name}-broken/runs`, { payload: {} })
    expect(answer.json).toMatchObject({
      status: "failure",
      error: {
        message:
          "The function failed to initialize. This error is commonly encountered when there are problems with the function code (e.g. a syntax error) or when a required import is missing.",
        stack: expect.stringContaining("no such thing"),
      },
    })
    expect(answer.text).not.toMatch(/\/(?:tmp|var|usr|root|home|work)\//)
  })
})

test("waits for a run that takes longer than other calls of AWS may take", async () => {
  const source = "export const handler = () => new Promise((done) => setTimeout(() => done('late'), 4_000))"
  await deployFunction(service, "late", "index.mjs", source)
  const answer = await service.post("/functions/late/runs", { payload: {} })
  expect(answer.json).toMatchObject({ status: "success", result: "late" })
}, 20_000)

test("ends each of many asynchronous runs once", async () => {
  await deployFunction(service, "many", "index.mjs", "export const handler = ({ n }) => ({ n })")
  const places = await Promise.all(
    Array.from({ length: 40 }, async (_, n) => {
      const { headers } = await service.post("/functions/many/runs", { payload: { n }, async: true })
      return headers.get("location") ?? ""
    }),
  )
  for (const [n, place] of places.entries()) {
    await expect
      .poll(async () => (await service.get(place)).json, { timeout: 20_000 })
      .toMatchObject({ status: "success", result: { n } })
  }
}, 60_000)

import type { HttpEvent, HttpResult, LambdaHandler } from "@sealway/http"
import { CancelledError } from "@sealway/kernel"
import { expect, test } from "vitest"
import { LAMBDA_CONTEXT, proxyEvent } from "../../../../../../test/support/proxy-event.ts"
import { atLambdaEdge } from "./at-lambda-edge.ts"
import { onlyReading } from "./only-reading.ts"

const OK: HttpResult = { statusCode: 200, body: "ok" }

/** What a Lambda function has around a handler, and what it has done. */
function edge() {
  const done: unknown[] = []
  const settling = (what: string) => ({
    settle: async () => {
      await Promise.resolve()
      done.push(what)
    },
  })
  const log = { error: (message: string, fields?: object) => void done.push({ message, ...fields }) }
  const platform = { stats: settling("figures"), limiter: settling("limits"), log }
  return { done, platform }
}

const event = (method = "GET"): HttpEvent => proxyEvent({ method, path: "/apps" })

test("writes the figures and limits that are due before it answers, since Lambda may freeze it afterwards", async () => {
  const { done, platform } = edge()
  expect(await atLambdaEdge(async () => OK, platform)(event(), LAMBDA_CONTEXT)).toEqual(OK)
  expect(done).toEqual(["figures", "limits"])
})

test("cancels the work of a request shortly before Lambda would end it, and answers", async () => {
  const { platform } = edge()
  const untilCancelled: LambdaHandler = async (_event, { task }) => {
    const { promise, resolve } = Promise.withResolvers<HttpResult>()
    task?.signal.addEventListener("abort", () => {
      const { reason } = task.signal
      resolve({ statusCode: 503, body: reason instanceof CancelledError ? reason.by : "unknown" })
    })
    return promise
  }
  const short = { ...LAMBDA_CONTEXT, getRemainingTimeInMillis: () => 201 }
  expect(await atLambdaEdge(untilCancelled, platform)(event(), short)).toEqual({
    statusCode: 503,
    body: "deadline",
  })
})

test("gives each request a task of its own", async () => {
  const { platform } = edge()
  const tasks = new Set<unknown>()
  const handler = atLambdaEdge(async (_event, { task }) => {
    tasks.add(task)
    return OK
  }, platform)
  for (let sent = 0; sent < 3; sent++) await handler(event(), LAMBDA_CONTEXT)
  expect([tasks.size, tasks.has(undefined)]).toEqual([3, false])
})

test("answers with a problem document, and logs why, when something other than the request's own error is thrown", async () => {
  const { done, platform } = edge()
  const error = new Error("a defect")
  const handler = atLambdaEdge(() => Promise.reject(error), platform)
  const { statusCode, headers, body = "" } = await handler(event(), LAMBDA_CONTEXT)
  expect([statusCode, headers?.["content-type"]]).toEqual([500, "application/problem+json"])
  expect(JSON.parse(body)).toMatchObject({ code: "internal-server-error" })
  expect(body).not.toContain("defect")
  expect(done).toEqual([
    { message: "request failed", requestId: "request-1", code: "internal-server-error", error },
  ])
})

test.each([
  ["GET", 200],
  ["HEAD", 200],
  ["PUT", 405],
  ["OPTIONS", 405],
])("answers %s of an endpoint for GET with %d", async (method, status) => {
  const { done, platform } = edge()
  const handler = atLambdaEdge(async () => OK, platform, onlyReading())
  const answer = await handler(event(method), LAMBDA_CONTEXT)
  expect(answer.statusCode).toBe(status)
  if (status === 405) expect(answer.headers).toMatchObject({ allow: expect.stringContaining("GET") })
  expect(done.length).toBe(status === 200 ? 2 : 0)
})

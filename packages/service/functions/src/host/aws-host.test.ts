import { once } from "node:events"
import { createServer, type ServerResponse } from "node:http"
import { createAwsClients } from "@sealway/ports/aws"
import { expect, onTestFinished, test } from "vitest"
import { createAwsHost } from "./aws-host.ts"

/** More than the connections that the SDK has by default. */
const RUNS = 60

test("all runs reach the Lambda of this machine at once, and none leaves a connection with its result", async () => {
  const waiting: ServerResponse[] = []
  const server = createServer((request, response) => {
    request.resume()
    if (waiting.push(response) === RUNS) for (const each of waiting) each.end("{}")
  })
  await once(server.listen(0, "127.0.0.1"), "listening")
  onTestFinished(() => void server.close().closeAllConnections())
  const address = server.address()
  const port = typeof address === "object" ? address?.port : null
  const { connect } = createAwsClients(
    { region: "eu-west-1", endpoints: { lambda: `http://127.0.0.1:${port}` } },
    { credentials: { accessKeyId: "id", secretAccessKey: "secret" } },
  )
  const host = createAwsHost(connect, {
    prefix: "",
    roleArn: "",
    logRetentionDays: 1,
    logKeyArn: null,
    tags: {},
  })
  const calls = Array.from({ length: RUNS }, () => host.invoke("charge", Buffer.from("{}"), 30_000))
  expect(await Promise.all(calls)).toEqual(calls.map(() => ({ kind: "answered", answer: Buffer.from("{}") })))
  await expect
    .poll(() => new Promise((resolve) => server.getConnections((_, count) => resolve(count))))
    .toBe(0)
})

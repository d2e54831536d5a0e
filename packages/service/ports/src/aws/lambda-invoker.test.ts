import { once } from "node:events"
import { createServer, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { text } from "node:stream/consumers"
import { expect, onTestFinished, test, vi } from "vitest"
import { createConnections } from "./connections.ts"
import { createLambdaInvoker } from "./lambda-invoker.ts"

/** @param answers of Lambda, one after the other */
async function startLambda(...answers: ((response: ServerResponse) => unknown)[]) {
  const asked: string[] = []
  const server = createServer(async (request, response) => {
    asked.push(`${request.url} ${await text(request)}`)
    answers[asked.length - 1]?.(response)
  })
  await once(server.listen(0, "127.0.0.1"), "listening")
  const { port } = server.address() as AddressInfo
  const { connect, destroy } = createConnections(
    { region: "eu-west-1", endpoints: { lambda: `http://127.0.0.1:${port}` } },
    { credentials: { accessKeyId: "id", secretAccessKey: "secret" } },
  )
  // No pause between attempts.
  const chance = vi.spyOn(Math, "random").mockReturnValue(0)
  onTestFinished(() => {
    chance.mockRestore()
    destroy()
    server.closeAllConnections()
    server.close()
  })
  return { invoke: createLambdaInvoker(connect), asked }
}

const succeed = (response: ServerResponse) => response.end('{"isWritten":true}')
const fail = (response: ServerResponse) =>
  response.writeHead(200, { "x-amz-function-error": "Unhandled" }).end('{"errorMessage":"a secret"}')

test("a function is called again when it fails, or its answer is lost", async () => {
  const { invoke, asked } = await startLambda(fail, (response) => response.destroy(), succeed)
  expect(await invoke("writer", { a: 1 })).toEqual({ isWritten: true })
  expect(asked).toEqual(Array(3).fill('/2015-03-31/functions/writer/invocations {"a":1}'))
})

test("a function that keeps failing is called three times, and nothing that it answers is told", async () => {
  const { invoke, asked } = await startLambda(fail, fail, fail, succeed)
  const failure = await invoke("writer", {}).catch((error: unknown) => error)
  expect(failure).toMatchObject({ name: "FunctionFailed", $metadata: { httpStatusCode: 500 } })
  expect(JSON.stringify(failure) + String(failure)).not.toContain("a secret")
  expect(asked).toHaveLength(3)
})

test("nothing is told of an answer that is no JSON", async () => {
  const { invoke } = await startLambda((response) => response.end("a secret"))
  const failure = await invoke("writer", {}).catch((error: unknown) => error)
  expect(failure).toMatchObject({
    name: "FunctionFailed",
    message: "A function answered with what is no JSON",
  })
  expect(failure).not.toHaveProperty("cause")
})

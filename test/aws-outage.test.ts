import { createServer, type Server, type Socket } from "node:net"
import { createService } from "@sealway/api"
import { createApiKey, createAwsClients, createPlatform, parseConfiguration } from "@sealway/platform"
import { afterEach, describe, expect, test } from "vitest"
import { LAMBDA_CONTEXT, proxyEvent } from "./support/proxy-event.ts"

let server: Server | undefined
afterEach(() => server?.close())

/** Encrypts with the AWS services at a port. */
async function encryptAgainst(port: number) {
  const endpoint = `http://127.0.0.1:${port}`
  const configuration = parseConfiguration({
    AWS_REGION: "us-east-1",
    AWS_ENDPOINT_URL_DYNAMODB: endpoint,
    AWS_ENDPOINT_URL_KMS: endpoint,
    SEALWAY_CONFIG_TABLE: "config",
    SEALWAY_EVENTS_TABLE: "events",
    SEALWAY_RUNS_TABLE: "runs",
    SEALWAY_FUNCTION_PREFIX: "functions-",
    SEALWAY_FUNCTION_ROLE_ARN: "arn:aws:iam::000000000000:role/none",
    SEALWAY_FUNCTION_CODE_BUCKET: "code",
    SEALWAY_KMS_KEY_ID: "alias/sealway",
    SEALWAY_LOG_LEVEL: "ERROR",
  })
  const clients = createAwsClients(configuration, {
    credentials: { accessKeyId: "id", secretAccessKey: "secret" },
    requestTimeoutMs: 50,
  })
  const silent = { info: () => undefined, warn: () => undefined, error: () => undefined }
  const service = createService({ ...createPlatform(configuration, clients), log: silent })
  const handler = service.endpoints.find(({ endpoint: { id } }) => id === "encrypt")?.handler
  const event = proxyEvent({
    method: "POST",
    path: "/encrypt",
    headers: { "content-type": "application/json", "api-key": createApiKey("sandbox") },
    body: '"x"',
  })
  return handler?.(event, LAMBDA_CONTEXT)
}

async function listen(onConnection: (socket: Socket) => void): Promise<number> {
  const listening = createServer(onConnection).listen(0, "127.0.0.1")
  server = listening
  await new Promise((resolve) => listening.once("listening", resolve))
  const address = listening.address()
  return typeof address === "object" && address !== null ? address.port : 0
}

describe("a request that needs AWS answers service-unavailable", () => {
  test("when AWS cannot be reached", async () => {
    const port = await listen(() => undefined)
    await new Promise((resolve) => server?.close(resolve))
    expect(await encryptAgainst(port)).toMatchObject({ statusCode: 503, headers: { "retry-after": "1" } })
  })

  test("when AWS takes a connection and says nothing", async () => {
    const sockets: Socket[] = []
    const port = await listen((socket) => sockets.push(socket))
    expect(await encryptAgainst(port)).toMatchObject({ statusCode: 503 })
    for (const socket of sockets) socket.destroy()
  })

  test("when AWS hangs up", async () => {
    const port = await listen((socket) => socket.destroy())
    expect(await encryptAgainst(port)).toMatchObject({ statusCode: 503 })
  })
})

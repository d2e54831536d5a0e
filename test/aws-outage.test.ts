import { connect, createServer, type Server, type Socket } from "node:net"
import { createApiKey } from "@sealway/accounts"
import { createService } from "@sealway/api"
import { createPlatform, type Platform } from "@sealway/http"
import { parseConfiguration } from "@sealway/ports"
import { createAwsClients } from "@sealway/ports/aws"
import {
  createForwardProxy,
  createRelayAuthority,
  createRelayServer,
  createRelayServing,
} from "@sealway/relay-proxy"
import { afterEach, describe, expect, test } from "vitest"
import { exchange } from "./relay/raw-exchange.ts"
import { LAMBDA_CONTEXT, proxyEvent } from "./support/proxy-event.ts"
import { basic } from "./support/service.ts"

let server: Server | undefined
afterEach(() => server?.close())

const silent = { info: () => undefined, warn: () => undefined, error: () => undefined }

/** Creates a platform with the AWS services at a port. */
function platformAgainst(port: number): Platform {
  const endpoint = `http://127.0.0.1:${port}`
  const configuration = parseConfiguration({
    AWS_REGION: "us-east-1",
    AWS_ENDPOINT_URL_DYNAMODB: endpoint,
    AWS_ENDPOINT_URL_KMS: endpoint,
    SEALWAY_CONFIG_TABLE: "config",
    SEALWAY_KEYS_TABLE: "keys",
    SEALWAY_AUDIT_TABLE: "audit",
    SEALWAY_EVENTS_TABLE: "events",
    SEALWAY_RUNS_TABLE: "runs",
    SEALWAY_PAYMENTS_TABLE: "payments",
    SEALWAY_FUNCTION_PREFIX: "functions-",
    SEALWAY_FUNCTION_ROLE_ARN: "arn:aws:iam::000000000000:role/none",
    SEALWAY_FUNCTION_CODE_BUCKET: "code",
    SEALWAY_FILE_BUCKET: "files",
    SEALWAY_KMS_KEY_ID: "alias/sealway",
    SEALWAY_LOG_LEVEL: "ERROR",
    SEALWAY_RELAY_DOMAIN: "relay.example.com",
  })
  const clients = createAwsClients(configuration, {
    credentials: { accessKeyId: "id", secretAccessKey: "secret" },
    requestTimeoutMs: 50,
  })
  return { ...createPlatform(configuration, clients), log: silent }
}

async function encryptAgainst(port: number) {
  const service = createService(platformAgainst(port))
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

  test("when AWS accepts a connection and says nothing", async () => {
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

describe("a request through a relay that needs AWS answers internal-server-error", () => {
  test("when AWS hangs up repeatedly, for both proxies, on one connection", async () => {
    const platform = platformAgainst(await listen((socket) => socket.destroy()))
    const serving = createRelayServing(platform)
    const authority = createRelayAuthority({ ...platform, table: platform.configTable })
    const common = { handler: serving.handler, log: silent }
    const reverse = createRelayServer(common)
    const { apiKeyUses } = platform
    const { relays } = serving
    const forward = createForwardProxy({ ...common, authority, relays, apiKeyUses, identity: platform })
    const loopback = { port: 0, host: "127.0.0.1" }
    const [relay, proxy] = [await reverse.listen(loopback), await forward.listen(loopback)]
    const authorization = `Proxy-Authorization: ${basic({ user: "app_x", key: createApiKey("sandbox") })}\r\n`
    const problem = { code: "internal-server-error", status: 500 }
    try {
      const client = connect(relay.port, "127.0.0.1")
      for (let times = 0; times < 2; times++) {
        const get = "GET /marker-7f3a HTTP/1.1\r\nHost: marker-7f3a.app-x.relay.example.com\r\n\r\n"
        const answer = await exchange(client, get)
        expect(answer).toMatchObject({ ...problem, headers: { "x-service-error-code": problem.code } })
        expect(answer.body).not.toContain("marker-7f3a")
      }
      client.destroy()
      const plain = `GET http://a.example/ HTTP/1.1\r\nHost: a.example\r\n${authorization}\r\n`
      expect(await exchange(connect(proxy.port, "127.0.0.1"), plain)).toMatchObject(problem)
      const tunnel = `CONNECT a.example:443 HTTP/1.1\r\nHost: a.example:443\r\n${authorization}\r\n`
      expect(await exchange(connect(proxy.port, "127.0.0.1"), tunnel)).toMatchObject(problem)
    } finally {
      await Promise.all([reverse.close(), forward.close()])
      await serving.close()
    }
  })
})

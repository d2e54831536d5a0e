import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { inspect } from "node:util"
import { KMSClient, ListKeysCommand } from "@aws-sdk/client-kms"
import { type AwsClients, isUnavailability } from "@sealway/ports"
import { createAwsClients } from "@sealway/ports/aws"
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest"

const CREDENTIALS = { accessKeyId: "id", secretAccessKey: "secret" }

describe("a call of a service that answers badly", () => {
  let answer: (response: ServerResponse, request: IncomingMessage) => void = () => undefined
  const requests: IncomingMessage[] = []
  const server = createServer((request, response) => {
    requests.push(request)
    answer(response, request)
  })
  let endpoint: string
  let sdk: KMSClient
  let clients: AwsClients
  beforeAll(async () => {
    await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening))
    endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    // No pause between attempts.
    vi.spyOn(Math, "random").mockReturnValue(0)
  })
  afterAll(() => {
    vi.restoreAllMocks()
    server.closeAllConnections()
    server.close()
  })
  beforeEach(() => {
    requests.length = 0
    const region = "eu-west-1"
    // New ones for each test: failures use up the right to repeat.
    clients = createAwsClients({ region, endpoints: { kms: endpoint } }, { credentials: CREDENTIALS })
    sdk = new KMSClient({ region, endpoint, credentials: CREDENTIALS, maxAttempts: 3 })
  })

  const listKeys = ({ keys } = clients) => Array.fromAsync(keys.listAgreementKeys({}))

  const json =
    (status: number, body: object, headers: Record<string, string> = {}) =>
    (response: ServerResponse) =>
      void response.writeHead(status, headers).end(JSON.stringify(body))

  test.each([
    ["throttles", json(400, { __type: "ThrottlingException" })],
    ["is out of order", json(500, { __type: "KMSInternalException" })],
    ["is out of order in its answer too", json(500, { __type: "KMSInternalException", Plaintext: 1 })],
    ["is not there", json(503, {})],
    ["asks for fewer calls", json(429, {})],
    ["refuses", json(400, { __type: "ValidationException", message: "No." })],
    [
      "refuses in an older form",
      json(400, { __type: "com.amazonaws.kms#DisabledException", Message: "No." }),
    ],
    ["refuses in a header", json(400, {}, { "x-amzn-errortype": "NotFoundException:http://a.example/" })],
    ["hangs up", (response: ServerResponse) => void response.destroy()],
    [
      "hangs up in the middle",
      (response: ServerResponse) => {
        response.writeHead(200, { "content-length": "100" }).write("{")
        setImmediate(() => response.destroy())
      },
    ],
  ])("that %s is repeated as often as by the SDK, and ends alike", async (_, reply) => {
    answer = reply
    const [byOwn] = await Promise.allSettled([listKeys()])
    const attempts = requests.length
    const [bySdk] = await Promise.allSettled([sdk.send(new ListKeysCommand({}))])
    expect(attempts).toBe(requests.length - attempts)
    expect(nameOf(byOwn)).toEqual(nameOf(bySdk))
  })

  test("that is no JSON is repeated, and reported with its status", async () => {
    answer = (response) => void response.writeHead(502).end("<p>A proxy</p>")
    await expect(listKeys()).rejects.toMatchObject({
      name: "Unknown",
      message: "Unknown",
      $metadata: { httpStatusCode: 502 },
    })
    expect(requests).toHaveLength(3)
  })

  test("that is cut off is not quoted by its error", async () => {
    answer = (response) => void response.end('{"Keys":[{"KeyId":"a secret}]}')
    const failure = await listKeys().catch((thrown: unknown) => thrown)
    expect(failure).toMatchObject({ name: "Unknown" })
    expect(inspect(failure)).not.toContain("secret")
  })

  test("is signed with the clock of AWS once that turns out to differ", async () => {
    const future = new Date(Date.now() + 3_600_000)
    answer = (response, request) => {
      const isSkewed = !String(request.headers["x-amz-date"]).startsWith(compact(future))
      const error = { __type: "InvalidSignatureException", message: "Signature expired" }
      const date = { date: future.toUTCString() }
      return isSkewed ? json(400, error, date)(response) : json(200, { Keys: [] }, date)(response)
    }
    expect(await listKeys()).toEqual([])
    expect(await listKeys()).toEqual([])
    expect(requests).toHaveLength(3)
  })

  test("carries the trace by which Lambda recognises endless loops, and no credentials", async () => {
    answer = json(200, {})
    vi.stubEnv("AWS_LAMBDA_FUNCTION_NAME", "encrypt")
    vi.stubEnv("_X_AMZN_TRACE_ID", "Root=1-5f2a")
    await listKeys()
    vi.unstubAllEnvs()
    const [{ headers }] = requests as [IncomingMessage]
    expect(headers).toMatchObject({
      "x-amzn-trace-id": "Root=1-5f2a",
      "x-amz-target": "TrentService.ListKeys",
      "content-type": "application/x-amz-json-1.1",
    })
    expect(JSON.stringify(headers)).not.toContain(CREDENTIALS.secretAccessKey)
  })

  test("that stalls in the middle is repeated, and ends", async () => {
    answer = (response) => void response.writeHead(200, { "content-length": "100" }).write("{")
    const impatient = createAwsClients(
      { region: "eu-west-1", endpoints: { kms: endpoint } },
      { credentials: CREDENTIALS, requestTimeoutMs: 50 },
    )
    await expect(listKeys(impatient)).rejects.toMatchObject({ name: "TimeoutError" })
    expect(requests).toHaveLength(3)
    impatient.destroy()
  })

  test("that stalls in the middle of an object ends", async () => {
    answer = (response) => void response.writeHead(200, { "content-length": "100" }).write("PK")
    const impatient = createAwsClients(
      { region: "eu-west-1", endpoints: { s3: endpoint } },
      { credentials: CREDENTIALS, requestTimeoutMs: 50 },
    )
    const objects = impatient.openObjects("code", Date.now)
    for (const read of await Promise.allSettled([objects.get("a"), objects.readStart("a", 4)])) {
      expect(read).toMatchObject({ reason: { name: "TimeoutError" } })
      expect(read.status === "rejected" && isUnavailability(read.reason)).toBe(true)
    }
    impatient.destroy()
  })

  test("for the start of an empty object finds it, though S3 has no range of it", async () => {
    const body = "<Error><Code>InvalidRange</Code><Message>The range is not satisfiable</Message></Error>"
    answer = (response) => void response.writeHead(416, { "content-type": "application/xml" }).end(body)
    const { openObjects, destroy } = createAwsClients(
      { region: "eu-west-1", endpoints: { s3: endpoint } },
      { credentials: CREDENTIALS },
    )
    const found = await openObjects("files", Date.now).readStart("empty", 4)
    expect(found).toEqual({ start: new Uint8Array(), size: 0 })
    destroy()
  })

  test("is repeated in the standard way, whatever the environment says", async () => {
    vi.stubEnv("AWS_RETRY_MODE", "adaptive")
    vi.stubEnv("AWS_MAX_ATTEMPTS", "9")
    const { config } = clients.connect("kms", (settings) => new KMSClient(settings))
    const [strategy, attempts] = [await config.retryStrategy(), await config.maxAttempts()]
    vi.unstubAllEnvs()
    expect([strategy, attempts]).toMatchObject([{ mode: "standard" }, 3])
  })

  test("that ends with a status of its own is an unavailability", async () => {
    for (const status of [429, 500, 502, 503]) {
      answer = (response) => void response.writeHead(status).end("<p>A proxy</p>")
      const error = await listKeys().catch((thrown: unknown) => thrown)
      expect(isUnavailability(error), String(status)).toBe(true)
    }
    answer = json(400, { __type: "ValidationException" })
    const refusal = await listKeys().catch((thrown: unknown) => thrown)
    expect(isUnavailability(refusal)).toBe(false)
  })

  const nameOf = (end: PromiseSettledResult<unknown>) =>
    end.status === "rejected" && end.reason instanceof Error ? end.reason.name : null
  /** `20260131T10`: the hour, which is precise enough. */
  const compact = (date: Date) => date.toISOString().replace(/[-:]/g, "").slice(0, 11)
})

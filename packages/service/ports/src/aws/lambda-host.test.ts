import { createServer, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest"
import { createConnections } from "./connections.ts"
import { createLambdaHost } from "./lambda-host.ts"

/** What the service answers next, and the requests it got. */
let answer: (response: ServerResponse) => void = () => undefined
const asked: {
  readonly method: string
  readonly path: string
  readonly body: string
  /** Empty for Lambda. */
  readonly logsOperation: string
}[] = []
const server = createServer(async (request, response) => {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  asked.push({
    method: request.method ?? "",
    path: request.url ?? "",
    body: Buffer.concat(chunks).toString(),
    logsOperation: String(request.headers["x-amz-target"] ?? "").replace("Logs_20140328.", ""),
  })
  answer(response)
})
let host: ReturnType<typeof createLambdaHost>

beforeAll(async () => {
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done))
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const { connect } = createConnections(
    { region: "eu-west-1", endpoints: { lambda: endpoint, logs: endpoint } },
    { credentials: { accessKeyId: "a", secretAccessKey: "b" } },
  )
  host = createLambdaHost(connect, {
    prefix: "stage-fn-",
    roleArn: "arn:aws:iam::1:role/r",
    logRetentionDays: 30,
    logKeyArn: "arn:aws:kms:eu-west-1:1:key/k",
    tags: { "sealway:stage": "ada" },
  })
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})
beforeEach(() => {
  asked.length = 0
})

const json =
  (status: number, body: unknown, headers: Record<string, string> = {}) =>
  (response: ServerResponse) =>
    void response
      .writeHead(status, { "content-type": "application/json", ...headers })
      .end(JSON.stringify(body))
const error = (status: number, name: string) => json(status, { message: "x" }, { "x-amzn-errortype": name })
const unhandled = (errorType: string, errorMessage = "") =>
  json(200, { errorType, errorMessage }, { "x-amz-function-error": "Unhandled" })

const PROGRAM = {
  name: "func_1-1",
  language: "python@3.12",
  zip: new Uint8Array([1]),
  handler: "__sealway__/runtime.handler",
  timeoutSeconds: 7,
  memoryMb: 128,
} as const

const ARN = "arn:aws:lambda:eu-west-1:1:function:stage-fn-func_1-1"
const LOG_GROUP = "/aws/lambda/stage-fn-func_1-1"
const isToLogs = () => asked.at(-1)?.logsOperation !== ""
const steps = () =>
  asked.map(({ method, path, logsOperation }) => logsOperation || `${method} ${path.split("/").at(-1)}`)

describe("a Lambda function", () => {
  test("is created with its own time and memory and the stage's tags, and without environment", async () => {
    answer = json(201, { FunctionArn: ARN })
    await host.create(PROGRAM)
    expect(JSON.parse(asked[0]?.body ?? "")).toEqual({
      FunctionName: "stage-fn-func_1-1",
      PackageType: "Zip",
      Runtime: "python3.12",
      Handler: "__sealway__/runtime.handler",
      Role: "arn:aws:iam::1:role/r",
      Timeout: 7,
      MemorySize: 128,
      Code: { ZipFile: "AQ==" },
      Tags: { "sealway:stage": "ada" },
    })
  })

  test("gets a log group that names it as the owner, with the stage's key and retention", async () => {
    answer = json(201, { FunctionArn: ARN })
    await host.create(PROGRAM)
    const [, group, retention] = asked.map(({ body }) => JSON.parse(body))
    expect(steps()).toEqual(["POST functions", "CreateLogGroup", "PutRetentionPolicy"])
    expect(group).toEqual({
      logGroupName: LOG_GROUP,
      kmsKeyId: "arn:aws:kms:eu-west-1:1:key/k",
      tags: { "sealway:stage": "ada", "sealway:function": ARN },
    })
    expect(retention).toEqual({ logGroupName: LOG_GROUP, retentionInDays: 30 })
  })

  test("is completed when it exists already, with its log group", async () => {
    answer = (response) => {
      const { method, logsOperation } = asked.at(-1) ?? {}
      if (logsOperation === "CreateLogGroup") {
        return error(400, "ResourceAlreadyExistsException")(response)
      }
      if (logsOperation === "" && method === "POST") return error(409, "ResourceConflictException")(response)
      return json(200, { FunctionArn: ARN })(response)
    }
    await host.create(PROGRAM)
    const made = ["POST functions", "GET configuration", "CreateLogGroup", "PutRetentionPolicy"]
    expect(steps()).toEqual(made)
    expect(JSON.parse(asked[2]?.body ?? "").tags).toMatchObject({ "sealway:function": ARN })
  })

  test("is not complete while its log group cannot be created", async () => {
    answer = (response) =>
      isToLogs() ? error(400, "LimitExceededException")(response) : json(201, { FunctionArn: ARN })(response)
    await expect(host.create(PROGRAM)).rejects.toMatchObject({ name: "LimitExceededException" })
  })

  test("is reported as refused when Lambda refuses it, and other errors are passed on", async () => {
    answer = error(400, "InvalidParameterValueException")
    await expect(host.create(PROGRAM)).rejects.toMatchObject({
      name: "RefusedProgramError",
      reason: "InvalidParameterValueException",
    })
    answer = error(500, "ServiceException")
    await expect(host.create(PROGRAM)).rejects.toMatchObject({ name: "ServiceException" })
    expect(asked).toHaveLength(2)
  })

  test.each([
    [json(200, { State: "Active" }), "active"],
    [json(200, { State: "Inactive" }), "active"],
    [json(200, { State: "Pending" }), "pending"],
    [json(200, { State: "Failed", StateReasonCode: "InvalidSubnet" }), { failed: "InvalidSubnet" }],
    [error(404, "ResourceNotFoundException"), "absent"],
  ])("has a state: case %#", async (answered, state) => {
    answer = answered
    expect(await host.stateOf("func_1-1")).toEqual(state)
  })

  test.each([
    ["that is there", json(204, {})],
    ["that is not there", error(404, "ResourceNotFoundException")],
  ])("%s is removed without an error, and its log group after it", async (_, answered) => {
    answer = answered
    await host.remove("func_1-1")
    expect(steps()).toEqual(["DELETE stage-fn-func_1-1", "DeleteLogGroup"])
    expect(JSON.parse(asked[1]?.body ?? "")).toEqual({ logGroupName: LOG_GROUP })
  })
})

describe("a call", () => {
  const invoke = (limitMs = 5_000) => host.invoke("func_1-1", Buffer.from("{}"), limitMs)

  test("returns the answer as it is written", async () => {
    answer = (response) => void response.writeHead(200).end('{"status": "success", "result": 1.0}')
    expect(await invoke()).toEqual({
      kind: "answered",
      answer: Buffer.from('{"status": "success", "result": 1.0}'),
    })
  })

  test.each([
    [
      unhandled("Runtime.OutOfMemory", "RequestId: 1 Error: Runtime exited with error: signal: killed"),
      "out-of-memory",
    ],
    [
      unhandled("Runtime.ExitError", "RequestId: 1 Error: Runtime exited with error: signal: killed"),
      "out-of-memory",
    ],
    [
      unhandled("Runtime.ExitError", "RequestId: 1 Error: Runtime exited with error: exit status 3"),
      "exited",
    ],
    [unhandled("Function.ResponseSizeTooLarge", "too large"), "answer-too-large"],
    [unhandled("Runtime.ImportModuleError", "no module"), "not-initialised"],
    [json(200, "no object", { "x-amz-function-error": "Unhandled" }), "exited"],
    [unhandled("Runtime.UnhandledPromiseRejection", "nobody awaited it"), "exited"],
    [unhandled("RangeError", "Task timed out after 3.00 seconds"), "exited"],
    [unhandled("RangeError", "signal: killed"), "exited"],
    [error(404, "ResourceNotFoundException"), "absent"],
    [error(409, "ResourceConflictException"), "not-ready"],
    [error(502, "ResourceNotReadyException"), "not-ready"],
    [error(429, "TooManyRequestsException"), "busy"],
    [error(413, "RequestTooLargeException"), "payload-too-large"],
  ])("says why it failed: case %#", async (answered, kind) => {
    answer = answered
    expect(await invoke()).toEqual({ kind })
    expect(asked).toHaveLength(1)
  })

  test.each([
    unhandled("Sandbox.Timedout", "RequestId: 1 Error: Task timed out after 3.00 seconds"),
    unhandled("", "2026-01-01 1 Task timed out after 3.00 seconds"),
  ])("is reported as timed out, and as stopped, past the function's own time: case %#", async (answered) => {
    answer = answered
    expect(await invoke()).toEqual({ kind: "timed-out", isStopped: true })
  })

  test("is not waited for longer than it may take, and may then still run", async () => {
    answer = () => undefined
    expect(await invoke(50)).toEqual({ kind: "timed-out", isStopped: false })
    expect(asked).toHaveLength(1)
  })

  test("is not waited for when nobody wants its answer any more, and may then still run", async () => {
    const unwanted = new AbortController()
    answer = () => unwanted.abort()
    const called = host.invoke("func_1-1", Buffer.from("{}"), 5_000, unwanted.signal)
    expect(await called).toEqual({ kind: "timed-out", isStopped: false })
    expect(asked).toHaveLength(1)
  })

  test("is not sent again when its answer is lost", async () => {
    answer = (response) => void response.socket?.destroy()
    await expect(invoke()).rejects.toThrow()
    expect(asked).toHaveLength(1)
  })

  test("is not sent when it is larger than Lambda accepts", async () => {
    const most = 6 * 1024 * 1024
    answer = json(200, {})
    expect(await host.invoke("func_1-1", Buffer.alloc(most + 1), 5_000)).toEqual({
      kind: "payload-too-large",
    })
    expect(asked).toEqual([])
    expect((await host.invoke("func_1-1", Buffer.alloc(most), 5_000)).kind).toBe("answered")
  })
})

describe("logs", () => {
  test("are lines with their times, and where they continue", async () => {
    answer = json(200, { events: [{ timestamp: 5, message: "a\n" }], nextToken: "next" })
    expect(await host.logs("func_1-1", 1, 10, "here")).toEqual({
      lines: [{ at: 5, message: "a" }],
      next: "next",
    })
    expect(JSON.parse(asked[0]?.body ?? "")).toEqual({
      logGroupName: "/aws/lambda/stage-fn-func_1-1",
      startTime: 1,
      limit: 10,
      nextToken: "here",
    })
  })

  test("are empty before the first line, and null on a page that does not exist", async () => {
    answer = error(400, "ResourceNotFoundException")
    expect(await host.logs("func_1-1", 1, 10, null)).toEqual({ lines: [], next: null })
    answer = error(400, "InvalidParameterException")
    expect(await host.logs("func_1-1", 1, 10, "x")).toBeNull()
  })
})

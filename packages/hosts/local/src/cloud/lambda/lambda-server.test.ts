import { mkdir, readdir, writeFile } from "node:fs/promises"
import { createServer } from "node:http"
import { join } from "node:path"
import {
  CreateFunctionCommand,
  DeleteFunctionCommand,
  GetFunctionConfigurationCommand,
  InvokeCommand,
  LambdaClient,
} from "@aws-sdk/client-lambda"
import { zipSync } from "fflate"
import { expect, onTestFinished, test } from "vitest"
import { EMBEDDED_REGION, randomCredentials } from "../credentials.ts"
import { closeServer, listenOnLoopback } from "../loopback-server.ts"
import { signedRequest } from "../testing/signed-request.ts"
import { temporaryFolder } from "../testing/temporary-folder.ts"
import { signatureVerifier } from "../verify-signature.ts"
import { type LambdaOptions, startLambda } from "./start-lambda.ts"

const credentials = randomCredentials()
const ECHO = "exports.handler = async (event) => event"

test("keeps functions across a restart", async () => {
  const folder = await temporaryFolder()
  const before = await started({ folder })
  await create(before.lambda, "kept", ECHO)
  await before.close()

  const { lambda } = await started({ folder })

  expect(await invoke(lambda, "kept", 5)).toEqual({ answer: 5, error: null })
})

test("forgets deleted functions across a restart, and removes incomplete ones", async () => {
  const folder = await temporaryFolder()
  const before = await started({ folder })
  await create(before.lambda, "gone", ECHO)
  await before.lambda.send(new DeleteFunctionCommand({ FunctionName: "gone" }))
  await before.close()
  await mkdir(join(folder, "half.0123", "code"), { recursive: true })
  await mkdir(join(folder, "damaged.0123"))
  await writeFile(join(folder, "damaged.0123", "configuration.json"), "{")

  const { lambda } = await started({ folder })

  await expect(configurationOf(lambda, "gone")).rejects.toMatchObject({ name: "ResourceNotFoundException" })
  expect(await readdir(folder)).toEqual([])
})

test("lets a run finish when its function is deleted meanwhile", async () => {
  const folder = await temporaryFolder()
  const { lambda } = await started({ folder })
  const door = await startDoor()
  await create(
    lambda,
    "slow",
    "exports.handler = async (url) => { await fetch(url); return require('./late.js') }",
  )
  const running = invoke(lambda, "slow", door.url)
  await door.knocked
  await lambda.send(new DeleteFunctionCommand({ FunctionName: "slow" }))
  await expect(invoke(lambda, "slow", null)).rejects.toMatchObject({ name: "ResourceNotFoundException" })
  door.open()

  expect(await running).toEqual({ answer: "late", error: null })
  await expect.poll(() => readdir(folder)).toEqual([])
})

test("refuses a function in Python when Python is not installed", async () => {
  const { lambda } = await started({ pythonPath: "/nowhere/python3" })
  const Code = { ZipFile: zipOf("") }

  await expect(
    lambda.send(new CreateFunctionCommand({ ...SETTINGS, FunctionName: "f", Runtime: "python3.13", Code })),
  ).rejects.toMatchObject({ name: "InvalidParameterValueException" })
})

test.each([{ a: "1", "a/b": "2" }, { [`${"é".repeat(200)}`]: "1" }])(
  "refuses a zip with conflicting paths with InvalidParameterValueException, and keeps nothing of it: %#",
  async (files) => {
    const folder = await temporaryFolder()
    const { lambda } = await started({ folder })
    const entries = Object.entries(files).map(([path, text]) => [path, Buffer.from(text)] as const)
    const Code = { ZipFile: zipSync(Object.fromEntries(entries)) }

    await expect(
      lambda.send(new CreateFunctionCommand({ ...SETTINGS, FunctionName: "f", Code })),
    ).rejects.toMatchObject({ name: "InvalidParameterValueException" })
    expect(await readdir(folder)).toEqual([])
  },
)

test("refuses unsupported fields", async () => {
  const { lambda } = await started()

  await expect(
    lambda.send(
      new CreateFunctionCommand({
        ...SETTINGS,
        FunctionName: "f",
        Code: { ZipFile: zipOf(ECHO) },
        Environment: { Variables: { SECRET: "marker-7f3a" } },
      }),
    ),
  ).rejects.toMatchObject({
    name: "InvalidParameterValueException",
    message: "Invalid or not offered by the embedded Lambda: Environment.",
  })
})

test("answers when a function writes to the channel itself, and keeps working", async () => {
  const { lambda } = await started()
  const forge = (bytes: string) =>
    `const { writeSync } = require("node:fs")\nexports.handler = async (event) => { if (event) writeSync(3, Buffer.from(${bytes})); return event }`
  await create(lambda, "endless", forge('"S\\xff\\xff\\xff\\xff", "latin1"'))
  await create(lambda, "other", forge('"R\\0\\0\\0\\0", "latin1"'))
  await create(lambda, "twice", forge('"S\\0\\0\\0\\x011S\\0\\0\\0\\x012", "latin1"'))

  for (const name of ["endless", "other", "twice"]) {
    expect(await invoke(lambda, name, 1)).toMatchObject({ error: "Unhandled" })
    expect(await invoke(lambda, name, 0)).toEqual({ answer: 0, error: null })
  }
})

test("runs two concurrent invocations in two processes, and consecutive ones in one", async () => {
  const { lambda } = await started()
  const door = await startDoor()
  await create(
    lambda,
    "pid",
    "const id = Math.random(); exports.handler = async (url) => { if (url) await fetch(url); return id }",
  )
  const held = invoke(lambda, "pid", door.url)
  await door.knocked
  const [first, second] = [await invoke(lambda, "pid", null), await invoke(lambda, "pid", null)]
  door.open()

  expect(second.answer).toBe(first.answer)
  expect((await held).answer).not.toBe(first.answer)
})

test("ends invocations when it is stopped", async () => {
  const { lambda, close } = await started()
  const door = await startDoor()
  await create(lambda, "endless", "exports.handler = async (url) => { await fetch(url) }")
  const running = invoke(lambda, "endless", door.url)
  await door.knocked

  await close()

  expect(await running).toMatchObject({ error: "Unhandled" })
})

test("refuses unsigned requests, and a body that is not the signed one", async () => {
  const { endpoint } = await started()
  const logs = { service: "logs", target: "Logs_20140328.FilterLogEvents", body: "{}", credentials }
  const { headers, ...request } = await signedRequest(endpoint, logs)
  const { authorization: _, ...unsigned } = headers
  const codeOf = async (init: RequestInit) =>
    Reflect.get(Object(await (await fetch(endpoint, init)).json()), "__type")

  expect(await codeOf({ ...request, headers: unsigned })).toBe("MissingAuthenticationTokenException")
  expect(await codeOf({ ...request, headers, body: '{"logGroupName": "a"}' })).toBe(
    "InvalidSignatureException",
  )
})

test.each(["Logs_20140328.PutLogEvents", "AWSLambda.Invoke", "__proto__"])(
  "refuses the operation %s with UnknownOperationException",
  async (target) => {
    const { endpoint } = await started()
    const request = await signedRequest(endpoint, { service: "lambda", target, body: "{}", credentials })

    const response = await fetch(endpoint, request)

    expect([response.status, response.headers.get("x-amzn-errortype")]).toEqual([
      404,
      "UnknownOperationException",
    ])
  },
)

const SETTINGS = {
  Runtime: "nodejs24.x",
  Handler: "main.handler",
  Role: "arn:aws:iam::000000000000:role/function",
  Timeout: 20,
} as const

async function started(options: Partial<LambdaOptions> = {}) {
  const verify = signatureVerifier(credentials, ["lambda", "logs"])
  // Functions call servers of the tests.
  const service = await startLambda({ folder: null, functionNetwork: "host", ...options, verify })
  const { endpoint } = service
  const lambda = new LambdaClient({ endpoint, region: EMBEDDED_REGION, credentials, maxAttempts: 1 })
  let closed: Promise<void> | undefined
  const close = () => {
    closed ??= service.close()
    return closed
  }
  onTestFinished(close)
  return { endpoint, lambda, close }
}

/** Starts a server that answers nobody until it is opened. */
async function startDoor() {
  const knocked = Promise.withResolvers<void>()
  const opened = Promise.withResolvers<void>()
  const server = createServer(async (_, response) => {
    knocked.resolve()
    await opened.promise
    response.end()
  })
  const url = await listenOnLoopback(server)
  onTestFinished(() => closeServer(server))
  return { url, knocked: knocked.promise, open: () => opened.resolve() }
}

function zipOf(source: string): Uint8Array {
  return zipSync({ "main.js": Buffer.from(source), "late.js": Buffer.from('module.exports = "late"') })
}

async function create(lambda: LambdaClient, name: string, source: string): Promise<void> {
  await lambda.send(
    new CreateFunctionCommand({ ...SETTINGS, FunctionName: name, Code: { ZipFile: zipOf(source) } }),
  )
}

function configurationOf(lambda: LambdaClient, name: string) {
  return lambda.send(new GetFunctionConfigurationCommand({ FunctionName: name }))
}

async function invoke(lambda: LambdaClient, name: string, event: unknown) {
  const { Payload, FunctionError } = await lambda.send(
    new InvokeCommand({ FunctionName: name, Payload: JSON.stringify(event) }),
  )
  const answer: unknown = JSON.parse(Buffer.from(Payload ?? []).toString())
  return { answer, error: FunctionError ?? null }
}

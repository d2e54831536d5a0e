import {
  CloudWatchLogsClient,
  CreateLogGroupCommand,
  DeleteLogGroupCommand,
  FilterLogEventsCommand,
  PutRetentionPolicyCommand,
} from "@aws-sdk/client-cloudwatch-logs"
import {
  CreateFunctionCommand,
  type CreateFunctionCommandInput,
  DeleteFunctionCommand,
  GetFunctionCommand,
  GetFunctionConfigurationCommand,
  InvokeCommand,
  LambdaClient,
  waitUntilFunctionActiveV2,
} from "@aws-sdk/client-lambda"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import {
  LAMBDA_RUNTIMES,
  type Language,
  lambdaUnderTest,
  ROLE_ARN,
  zipOf,
} from "../lambda/embedded-lambda.ts"
import { SET_UP_TIMEOUT_MS, uniqueName } from "./service-under-test.ts"

const MAX_EVENT_BYTES = 6_291_456

/** One function in each language, which does what its event says. */
const SOURCES: Readonly<Record<Language, Readonly<Record<string, string>>>> = {
  node: {
    "main.mjs": `
      let calls = 0
      export const handler = async ({ action, value }, context) => {
        calls += 1
        if (action === "count") return calls
        if (action === "throw") throw new RangeError("out of range")
        if (action === "exit") process.exit(value)
        if (action === "sleep") await new Promise((resolve) => setTimeout(resolve, 60_000))
        if (action === "repeat") return "x".repeat(value)
        if (action === "print") console.log(value)
        if (action === "context") {
          return [context.functionName, context.awsRequestId.length, context.getRemainingTimeInMillis() > 0]
        }
        return value
      }`,
    "broken.mjs": "export const handler = (",
  },
  python: {
    "main.py": `
import os, time
calls = 0
def handler(event, context):
    global calls
    calls += 1
    action, value = event.get("action"), event.get("value")
    if action == "count":
        return calls
    if action == "throw":
        raise ValueError("out of range")
    if action == "exit":
        os._exit(value)
    if action == "sleep":
        time.sleep(60)
    if action == "repeat":
        return "x" * value
    if action == "print":
        print(value)
    if action == "context":
        return [context.function_name, len(context.aws_request_id), context.get_remaining_time_in_millis() > 0]
    return value`,
    "broken.py": "def handler(",
  },
}

const service = await serviceUnderTest()
const lambda = new LambdaClient(service.client)
const logs = new CloudWatchLogsClient(service.client)
const made: string[] = []
const main: Record<Language, string> = { node: uniqueName(), python: uniqueName() }

beforeAll(async () => {
  await Promise.all([
    create("node", { FunctionName: main.node }),
    create("python", { FunctionName: main.python }),
  ])
}, SET_UP_TIMEOUT_MS)

afterAll(async () => {
  await Promise.all(made.map((FunctionName) => lambda.send(new DeleteFunctionCommand({ FunctionName }))))
  lambda.destroy()
  logs.destroy()
  await service.close()
}, SET_UP_TIMEOUT_MS)

describe.each<Language>(["node", "python"])("a function in %s", (language) => {
  test.each([null, 1.5, "é\u{1f600}", [{ a: [] }], { "": true }])(
    "answers %j with what it returns",
    async (value) => {
      expect(await invoke(main[language], { value })).toEqual({ status: 200, error: null, answer: value })
    },
  )

  test("gets its name, its request and its time", async () => {
    expect(await invoke(main[language], { action: "context" })).toMatchObject({
      answer: [main[language], 36, true],
    })
  })

  test("stays warm", async () => {
    const FunctionName = await create(language)

    const first = await invoke(FunctionName, { action: "count" })
    const second = await invoke(FunctionName, { action: "count" })

    expect([first.answer, second.answer]).toEqual([1, 2])
  })

  test("answers an error with its type and message", async () => {
    expect(await invoke(main[language], { action: "throw" })).toMatchObject({
      status: 200,
      error: "Unhandled",
      answer: { errorType: language === "node" ? "RangeError" : "ValueError", errorMessage: "out of range" },
    })
  })

  test("is reported as Runtime.ExitError when it exits", async () => {
    expect(await invoke(main[language], { action: "exit", value: 4 })).toMatchObject({
      error: "Unhandled",
      answer: { errorType: "Runtime.ExitError", errorMessage: expect.stringContaining("exit status 4") },
    })
  })

  test("is reported as timed out when it takes too long", async () => {
    const FunctionName = await create(language, { Timeout: 1 })

    expect(await invoke(FunctionName, { action: "sleep" })).toMatchObject({
      error: "Unhandled",
      answer: { errorMessage: expect.stringContaining("Task timed out after 1.00 seconds") },
    })
  })

  test.each([
    ["a module that is not there", "nothing.handler", /^Runtime\.ImportModuleError$/],
    ["a module that is not of its language", "broken.handler", /^Runtime\.UserCodeSyntaxError$/],
    ["a handler that is not there", "main.nothing", /^Runtime\.HandlerNotFound$/],
  ])("with %s is reported with why it did not start", async (_, Handler, errorType) => {
    const FunctionName = await create(language, { Handler })

    expect(await invoke(FunctionName, {})).toMatchObject({
      error: "Unhandled",
      answer: { errorType: expect.stringMatching(errorType) },
    })
  })

  test("may return six megabytes, and not more", async () => {
    const [enough, tooMuch] = [MAX_EVENT_BYTES - 2, MAX_EVENT_BYTES + 200]

    expect((await invoke(main[language], { action: "repeat", value: enough })).answer).toHaveLength(enough)
    expect(await invoke(main[language], { action: "repeat", value: tooMuch })).toMatchObject({
      error: "Unhandled",
      answer: { errorType: "Function.ResponseSizeTooLarge" },
    })
  })

  test("leaves what it prints in its log group", { timeout: SET_UP_TIMEOUT_MS }, async () => {
    const FunctionName = await create(language)
    for (const value of ["first é", "second", "third"]) await invoke(FunctionName, { action: "print", value })

    const logGroupName = `/aws/lambda/${FunctionName}`
    const printed = async () => {
      const messages: string[] = []
      let nextToken: string | undefined
      do {
        const page = await logs.send(
          new FilterLogEventsCommand({
            logGroupName,
            limit: 2,
            startTime: 0,
            ...(nextToken && { nextToken }),
          }),
        )
        for (const { message = "" } of page.events ?? []) messages.push(message)
        nextToken = page.nextToken
      } while (nextToken !== undefined)
      return ["first é", "second", "third"].map((text) => messages.findIndex((each) => each.includes(text)))
    }
    await expect
      .poll(() => printed().catch(() => []), { timeout: SET_UP_TIMEOUT_MS / 2, interval: 500 })
      .toSatisfy(([first = -1, second = -1, third = -1]) => first >= 0 && first < second && second < third)
  })
})

describe("a log group", () => {
  const name = () => `/aws/lambda/${uniqueName()}`
  const remove = (logGroupName: string) => logs.send(new DeleteLogGroupCommand({ logGroupName }))

  test("is created with tags and a retention before anything is printed, and exists until it is deleted", async () => {
    const logGroupName = name()
    const filter = () => logs.send(new FilterLogEventsCommand({ logGroupName }))
    const tags = { "sealway:function": "arn:aws:lambda:us-east-1:000000000000:function:f-1_a" }

    await logs.send(new CreateLogGroupCommand({ logGroupName, tags }))
    await logs.send(new PutRetentionPolicyCommand({ logGroupName, retentionInDays: 14 }))
    expect((await filter()).events).toEqual([])
    await remove(logGroupName)

    await expect(filter()).rejects.toMatchObject({ name: "ResourceNotFoundException" })
  })

  test("is refused with ResourceAlreadyExistsException when its name exists", async () => {
    const logGroupName = name()
    await logs.send(new CreateLogGroupCommand({ logGroupName }))

    await expect(logs.send(new CreateLogGroupCommand({ logGroupName }))).rejects.toMatchObject({
      name: "ResourceAlreadyExistsException",
    })
    await remove(logGroupName)
  })

  test.each([
    ["a name with a colon", () => new CreateLogGroupCommand({ logGroupName: "a:b" })],
    [
      "a retention that CloudWatch Logs does not offer",
      () => new PutRetentionPolicyCommand({ logGroupName: name(), retentionInDays: 2 }),
    ],
  ])("is refused with InvalidParameterException for %s", async (_, command) => {
    const call = command()
    const sent = call instanceof CreateLogGroupCommand ? logs.send(call) : logs.send(call)
    await expect(sent).rejects.toMatchObject({ name: "InvalidParameterException" })
  })
})

test("describes a function as it was created", async () => {
  const FunctionName = await create("node", { Timeout: 900, MemorySize: 3_008, Description: "what for" })
  const expected = {
    FunctionName,
    Runtime: "nodejs24.x",
    Handler: "main.handler",
    Timeout: 900,
    MemorySize: 3_008,
    Description: "what for",
    State: "Active",
    PackageType: "Zip",
    Version: "$LATEST",
    FunctionArn: expect.stringMatching(`^arn:aws:lambda:[a-z0-9-]+:\\d{12}:function:${FunctionName}$`),
  }

  const { Configuration } = await lambda.send(new GetFunctionCommand({ FunctionName }))

  expect(Configuration).toMatchObject(expected)
  expect(await lambda.send(new GetFunctionConfigurationCommand({ FunctionName }))).toMatchObject(expected)
  expect(
    await lambda.send(new GetFunctionConfigurationCommand({ FunctionName: Configuration?.FunctionArn })),
  ).toMatchObject(expected)
})

test("shows a newly created function as pending", async () => {
  const FunctionName = uniqueName()
  const { State } = await lambda.send(new CreateFunctionCommand({ ...settings("node"), FunctionName }))
  made.push(FunctionName)

  expect(State).toBe("Pending")
})

test("deletes a function, and creates another with its name", async () => {
  const FunctionName = await create("node")
  await lambda.send(new DeleteFunctionCommand({ FunctionName }))
  made.splice(made.indexOf(FunctionName), 1)

  await expect(invoke(FunctionName, {})).rejects.toMatchObject({ name: "ResourceNotFoundException" })
  await create("python", { FunctionName })
  expect(await invoke(FunctionName, { value: 1 })).toMatchObject({ answer: 1 })
})

test("accepts an event of six megabytes, and refuses more with RequestTooLargeException", async () => {
  const event = (bytes: number) => ({ value: "x".repeat(bytes - '{"value":""}'.length) })

  expect(await invoke(main.node, event(MAX_EVENT_BYTES - 1_000))).toMatchObject({ error: null })
  await expect(invoke(main.node, event(MAX_EVENT_BYTES + 1))).rejects.toMatchObject({
    name: expect.stringMatching(/^Request(Entity)?TooLargeException$/),
  })
})

test("refuses with InvalidRequestContentException an event that is not JSON", async () => {
  await expect(
    lambda.send(new InvokeCommand({ FunctionName: main.node, Payload: "{" })),
  ).rejects.toMatchObject({ name: "InvalidRequestContentException" })
})

test("refuses with ResourceConflictException a name that is taken", async () => {
  await expect(create("node", { FunctionName: main.node })).rejects.toMatchObject({
    name: "ResourceConflictException",
  })
})

test.each([
  ["bytes that are no zip", Buffer.from("no zip")],
  ["a zip that was cut", zipOf({ "main.mjs": "export const handler = () => 1" }).subarray(0, 60)],
  ["a zip whose file was changed", changed(zipOf({ "main.mjs": "export const handler = () => 1" }))],
])("refuses with InvalidParameterValueException %s", async (_, ZipFile) => {
  await expect(create("node", { Code: { ZipFile } })).rejects.toMatchObject({
    name: "InvalidParameterValueException",
  })
})

test.each([
  ["a timeout of no time", { Timeout: 0 }],
  ["a timeout of more than 15 minutes", { Timeout: 901 }],
  ["too little memory", { MemorySize: 127 }],
  ["no code", { Code: {} }],
] as const)("refuses %s", async (_, wrong) => {
  await expect(create("node", wrong)).rejects.toMatchObject({
    name: expect.stringMatching(/^(InvalidParameterValue|Validation)Exception$/),
  })
})

test.each([
  ["GetFunction", (FunctionName: string) => lambda.send(new GetFunctionCommand({ FunctionName }))],
  [
    "GetFunctionConfiguration",
    (FunctionName: string) => lambda.send(new GetFunctionConfigurationCommand({ FunctionName })),
  ],
  ["DeleteFunction", (FunctionName: string) => lambda.send(new DeleteFunctionCommand({ FunctionName }))],
  ["Invoke", (FunctionName: string) => lambda.send(new InvokeCommand({ FunctionName }))],
  [
    "FilterLogEvents",
    (name: string) => logs.send(new FilterLogEventsCommand({ logGroupName: `/aws/lambda/${name}` })),
  ],
  [
    "DeleteLogGroup",
    (name: string) => logs.send(new DeleteLogGroupCommand({ logGroupName: `/aws/lambda/${name}` })),
  ],
  [
    "PutRetentionPolicy",
    (name: string) =>
      logs.send(new PutRetentionPolicyCommand({ logGroupName: `/aws/lambda/${name}`, retentionInDays: 14 })),
  ],
] as const)("refuses, in %s, what does not exist with ResourceNotFoundException", async (_, call) => {
  await expect(call(uniqueName())).rejects.toMatchObject({ name: "ResourceNotFoundException" })
})

/**
 * Starts the embedded Lambda; or, when `SEALWAY_CONTRACT_LAMBDA_ENDPOINT` is set, uses the service there (`aws`: AWS
 * itself), where `SEALWAY_CONTRACT_LAMBDA_ROLE_ARN` names the functions' role.
 */
async function serviceUnderTest() {
  const endpoint = process.env.SEALWAY_CONTRACT_LAMBDA_ENDPOINT
  if (!endpoint) return { ...(await lambdaUnderTest()), roleArn: ROLE_ARN }
  const roleArn = process.env.SEALWAY_CONTRACT_LAMBDA_ROLE_ARN ?? ROLE_ARN
  return { client: endpoint === "aws" ? {} : { endpoint }, roleArn, close: async () => undefined }
}

function settings(language: Language) {
  return {
    Runtime: LAMBDA_RUNTIMES[language],
    Handler: "main.handler",
    Role: service.roleArn,
    Timeout: 20,
    Code: { ZipFile: zipOf(SOURCES[language]) },
  }
}

/** Creates a function, and waits until it can be invoked. */
async function create(
  language: Language,
  changes: Partial<CreateFunctionCommandInput> = {},
): Promise<string> {
  const FunctionName = changes.FunctionName ?? uniqueName()
  const input = { ...settings(language), ...changes, FunctionName }
  await lambda.send(new CreateFunctionCommand(input))
  made.push(FunctionName)
  await waitUntilFunctionActiveV2({ client: lambda, maxWaitTime: 100, minDelay: 1 }, input)
  return FunctionName
}

async function invoke(FunctionName: string, event: unknown) {
  const { Payload, FunctionError, StatusCode } = await lambda.send(
    new InvokeCommand({ FunctionName, Payload: JSON.stringify(event) }),
  )
  const answer: unknown = JSON.parse(Buffer.from(Payload ?? []).toString())
  return { status: StatusCode, error: FunctionError ?? null, answer }
}

/** Returns the zip with one bit of its packed content changed. */
function changed(zip: Uint8Array): Uint8Array {
  const copy = Uint8Array.from(zip)
  copy[45] = (copy[45] ?? 0) ^ 1
  return copy
}

import { afterAll, beforeAll, expect, test } from "vitest"
import { z } from "zod"
import { randomCredentials } from "../credentials.ts"
import type { RunningService } from "../loopback-server.ts"
import { signedRequest } from "../testing/signed-request.ts"
import { signatureVerifier } from "../verify-signature.ts"
import { startSqs } from "./start-sqs.ts"

const MARKER = "marker-52c9"
const credentials = randomCredentials()
const answerSchema = z.looseObject({ __type: z.string().optional(), message: z.string().optional() })
let sqs: RunningService
let QueueUrl: string

beforeAll(async () => {
  sqs = await startSqs(signatureVerifier(credentials, ["sqs"]))
  await call("CreateQueue", { QueueName: "a" })
  QueueUrl = `${sqs.endpoint}/000000000000/a`
})
afterAll(() => sqs.close())

test.each([
  ["a message without a body", "SendMessage", {}, "InvalidParameterValue"],
  ["an empty message", "SendMessage", { MessageBody: "" }, "InvalidMessageContents"],
  ["half of a surrogate pair", "SendMessage", { MessageBody: "\ud83d" }, "InvalidMessageContents"],
  ["a delay over 900 s", "SendMessage", { MessageBody: MARKER, DelaySeconds: 901 }, "InvalidParameterValue"],
  [
    "a member of FIFO queues",
    "SendMessage",
    { MessageBody: MARKER, MessageGroupId: "1" },
    "UnsupportedOperation",
  ],
  ["more than 10 messages", "ReceiveMessage", { MaxNumberOfMessages: 11 }, "InvalidParameterValue"],
  ["a wait over 20 s", "ReceiveMessage", { WaitTimeSeconds: 21 }, "InvalidParameterValue"],
  ["a handle that was never issued", "DeleteMessage", { ReceiptHandle: MARKER }, "ReceiptHandleIsInvalid"],
  [
    "a visibility timeout over 12 h",
    "ChangeMessageVisibility",
    { ReceiptHandle: MARKER, VisibilityTimeout: 43_201 },
    "InvalidParameterValue",
  ],
  [
    "entries with the same id",
    "SendMessageBatch",
    { Entries: ["1", "1"].map((Id) => ({ Id, MessageBody: MARKER })) },
    "BatchEntryIdsNotDistinct",
  ],
])("refuses %s, without repeating the request", async (_, operation, members, type) => {
  const { status, body } = await call(operation, { QueueUrl, ...members })

  expect({ status, type: body.__type }).toEqual({ status: 400, type })
  expect(JSON.stringify(body)).not.toContain(MARKER)
})

test.each([
  ["a name with a slash", { QueueName: "a/b" }, "InvalidParameterValue"],
  [
    "a visibility timeout that is no number",
    { Attributes: { VisibilityTimeout: "x" } },
    "InvalidAttributeValue",
  ],
  ["an attribute that it does not support", { Attributes: { FifoQueue: "true" } }, "UnsupportedOperation"],
  ["a redrive policy that is not JSON", { Attributes: { RedrivePolicy: "{" } }, "InvalidAttributeValue"],
  [
    "a dead-letter queue that does not exist",
    { Attributes: { RedrivePolicy: '{"deadLetterTargetArn":"arn:x","maxReceiveCount":"2"}' } },
    "InvalidParameterValue",
  ],
])("refuses to create a queue with %s", async (_, members, type) => {
  expect(await call("CreateQueue", { QueueName: "b", ...members })).toMatchObject({ body: { __type: type } })
  expect(await call("GetQueueUrl", { QueueName: "b" })).toMatchObject({
    body: { __type: "QueueDoesNotExist" },
  })
})

test("creates a queue once, and refuses the same name with other attributes", async () => {
  const Attributes = { VisibilityTimeout: "30" }

  expect(await call("CreateQueue", { QueueName: "a", Attributes })).toMatchObject({ body: { QueueUrl } })
  expect(
    await call("CreateQueue", { QueueName: "a", Attributes: { VisibilityTimeout: "31" } }),
  ).toMatchObject({ body: { __type: "QueueNameExists" } })
})

test("accepts a message of 1 MiB and refuses a longer one", async () => {
  const ofLength = (length: number) => ({ QueueUrl, MessageBody: "a".repeat(length) })

  expect((await call("SendMessage", ofLength(1_048_574))).status).toBe(200)
  expect((await call("SendMessage", ofLength(1_048_577))).body.__type).toBe("InvalidParameterValue")
})

test.each(["PurgeQueue", "sendMessage", "", "__proto__"])(
  "refuses the operation %o with UnknownOperationException",
  async (operation) => {
    expect(await call(operation, { QueueUrl })).toMatchObject({
      status: 400,
      body: { __type: "UnknownOperationException" },
    })
  },
)

test.each([
  ["nothing", "", "SerializationException"],
  ["cut-off JSON", `{"QueueUrl": "${MARKER}`, "SerializationException"],
  ["an array", "[]", "InvalidParameterValue"],
])("refuses a body that is %s", async (_, text, type) => {
  const { status, body } = await callWithText("SendMessage", text)

  expect({ status, type: body.__type }).toEqual({ status: 400, type })
  expect(JSON.stringify(body)).not.toContain(MARKER)
})

async function call(operation: string, members: object) {
  return callWithText(operation, JSON.stringify(members))
}

async function callWithText(operation: string, body: string) {
  const request = {
    ...{ service: "sqs", target: `AmazonSQS.${operation}`, body, credentials },
    headers: { "content-type": "application/x-amz-json-1.0" },
  }
  const response = await fetch(sqs.endpoint, await signedRequest(sqs.endpoint, request))
  return { status: response.status, body: answerSchema.parse(await response.json()) }
}

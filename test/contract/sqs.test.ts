import {
  ChangeMessageVisibilityBatchCommand,
  ChangeMessageVisibilityCommand,
  CreateQueueCommand,
  DeleteMessageBatchCommand,
  DeleteMessageCommand,
  DeleteQueueCommand,
  GetQueueAttributesCommand,
  type Message,
  ReceiveMessageCommand,
  SendMessageBatchCommand,
  SendMessageCommand,
  SQSClient,
} from "@aws-sdk/client-sqs"
import { afterAll, beforeAll, expect, test } from "vitest"
import {
  SET_UP_TIMEOUT_MS,
  type ServiceUnderTest,
  serviceUnderTest,
  uniqueName,
} from "./service-under-test.ts"

const queueUrls: string[] = []
let service: ServiceUnderTest
let client: SQSClient

beforeAll(async () => {
  service = await serviceUnderTest("sqs")
  client = new SQSClient(service.client)
}, SET_UP_TIMEOUT_MS)

afterAll(async () => {
  await Promise.all(queueUrls.map((QueueUrl) => client.send(new DeleteQueueCommand({ QueueUrl }))))
  client.destroy()
  await service.close()
}, SET_UP_TIMEOUT_MS)

test.concurrent("delivers a message with its body, attributes and receive count", async () => {
  const QueueUrl = await createQueue()
  const MessageBody = JSON.stringify({ text: "é\t\uff5e\n" })
  const { MessageId } = await client.send(
    new SendMessageCommand({
      QueueUrl,
      MessageBody,
      MessageAttributes: { type: { DataType: "String", StringValue: "a" } },
    }),
  )

  const [message] = await receive(QueueUrl, 1)

  expect(message).toMatchObject({
    MessageId,
    Body: MessageBody,
    MessageAttributes: { type: { DataType: "String", StringValue: "a" } },
    Attributes: { ApproximateReceiveCount: "1" },
  })
})

test.concurrent("delivers characters outside the Basic Multilingual Plane", async () => {
  const QueueUrl = await createQueue()
  await client.send(new SendMessageCommand({ QueueUrl, MessageBody: "\u{1f600}" }))

  expect(await receive(QueueUrl, 1)).toMatchObject([{ Body: "\u{1f600}" }])
})

test.concurrent("refuses with InvalidMessageContents a character that XML does not allow", async () => {
  const QueueUrl = await createQueue()

  await expect(client.send(new SendMessageCommand({ QueueUrl, MessageBody: "\0" }))).rejects.toMatchObject({
    name: expect.stringContaining("InvalidMessageContents"),
  })
})

test.concurrent("hides a received message until its visibility time-out is over, then delivers it again", async () => {
  const QueueUrl = await createQueue({ VisibilityTimeout: "2" })
  await send(QueueUrl, ["a"])
  const [first] = await receive(QueueUrl, 1)

  expect(await receiveNow(QueueUrl)).toEqual([])
  const [second] = await receive(QueueUrl, 1)

  expect(second?.MessageId).toBe(first?.MessageId)
  expect(second?.Attributes?.ApproximateReceiveCount).toBe("2")
})

test.concurrent("delivers a message again at once when its visibility time-out is set to 0", async () => {
  const QueueUrl = await createQueue({ VisibilityTimeout: "600" })
  await send(QueueUrl, ["a"])
  const [first] = await receive(QueueUrl, 1)

  await release(QueueUrl, first)

  const [second] = await receive(QueueUrl, 1)
  expect(second?.MessageId).toBe(first?.MessageId)
})

test.concurrent("does not deliver a deleted message again", async () => {
  const QueueUrl = await createQueue({ VisibilityTimeout: "1" })
  await send(QueueUrl, ["a"])
  const [message] = await receive(QueueUrl, 1)

  await client.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle: message?.ReceiptHandle }))

  expect(await receiveWithin(QueueUrl, 2)).toEqual([])
})

test.concurrent("moves a message to the dead-letter queue after as many deliveries as its queue allows", async () => {
  const deadLettersUrl = await createQueue()
  const { Attributes } = await client.send(
    new GetQueueAttributesCommand({ QueueUrl: deadLettersUrl, AttributeNames: ["QueueArn"] }),
  )
  const RedrivePolicy = JSON.stringify({ deadLetterTargetArn: Attributes?.QueueArn, maxReceiveCount: 2 })
  const QueueUrl = await createQueue({ RedrivePolicy, VisibilityTimeout: "600" })
  await send(QueueUrl, ["a"])

  const [first] = await receive(QueueUrl, 1)
  await release(QueueUrl, first)
  const [second] = await receive(QueueUrl, 1)
  await release(QueueUrl, second)
  expect(await receiveWithin(QueueUrl, 1)).toEqual([])

  expect(await receive(deadLettersUrl, 1)).toMatchObject([{ MessageId: first?.MessageId, Body: "a" }])
})

test.concurrent("delivers again what was not deleted of a batch", async () => {
  const QueueUrl = await createQueue({ VisibilityTimeout: "600" })
  const { Successful, Failed = [] } = await send(QueueUrl, ["a", "b", "c"])
  expect(Successful?.map(({ Id }) => Id)).toEqual(["0", "1", "2"])
  expect(Failed).toEqual([])
  const messages = await receive(QueueUrl, 3)
  expect(messages.map(({ Body }) => Body).sort()).toEqual(["a", "b", "c"])
  const failed = messages.find(({ Body }) => Body === "b")

  await client.send(
    new DeleteMessageBatchCommand({
      QueueUrl,
      Entries: messages
        .filter((message) => message !== failed)
        .map(({ ReceiptHandle }, index) => ({ Id: String(index), ReceiptHandle })),
    }),
  )
  await release(QueueUrl, failed)

  expect(await receive(QueueUrl, 1)).toMatchObject([{ Body: "b" }])
})

test.concurrent("does the rest of a batch when one entry's receipt handle was never issued", async () => {
  const QueueUrl = await createQueue({ VisibilityTimeout: "600" })
  await send(QueueUrl, ["a"])
  const [message] = await receive(QueueUrl, 1)

  const { Successful, Failed } = await client.send(
    new ChangeMessageVisibilityBatchCommand({
      QueueUrl,
      Entries: [
        { Id: "given", ReceiptHandle: message?.ReceiptHandle, VisibilityTimeout: 0 },
        { Id: "never-given", ReceiptHandle: "never given", VisibilityTimeout: 0 },
      ],
    }),
  )

  expect(Successful).toMatchObject([{ Id: "given" }])
  expect(Failed).toMatchObject([{ Id: "never-given", Code: "ReceiptHandleIsInvalid", SenderFault: true }])
  expect(await receive(QueueUrl, 1)).toMatchObject([{ Body: "a" }])
})

test.concurrent("refuses with EmptyBatchRequest a batch without entries", async () => {
  const QueueUrl = await createQueue()

  await expect(send(QueueUrl, [])).rejects.toMatchObject({ name: "EmptyBatchRequest" })
})

test.concurrent("refuses with TooManyEntriesInBatchRequest a batch of eleven", async () => {
  const QueueUrl = await createQueue()

  await expect(send(QueueUrl, Array.from({ length: 11 }, String))).rejects.toMatchObject({
    name: "TooManyEntriesInBatchRequest",
  })
})

test.concurrent("delivers a delayed message after its delay", async () => {
  const QueueUrl = await createQueue()
  await client.send(new SendMessageCommand({ QueueUrl, MessageBody: "a", DelaySeconds: 1 }))

  expect(await receiveNow(QueueUrl)).toEqual([])

  expect(await receive(QueueUrl, 1)).toMatchObject([{ Body: "a" }])
})

test.concurrent("refuses with QueueDoesNotExist when the queue does not exist", async () => {
  const QueueUrl = await createQueue()

  await expect(send(`${QueueUrl}-other`, ["a"])).rejects.toMatchObject({ name: "QueueDoesNotExist" })
})

async function createQueue(Attributes: Record<string, string> = {}): Promise<string> {
  const { QueueUrl } = await client.send(new CreateQueueCommand({ QueueName: uniqueName(), Attributes }))
  if (!QueueUrl) throw new Error("CreateQueue returned no URL.")
  queueUrls.push(QueueUrl)
  return QueueUrl
}

/** Sends a batch whose entries are numbered from 0. */
async function send(QueueUrl: string, bodies: readonly string[]) {
  const Entries = bodies.map((MessageBody, index) => ({ Id: String(index), MessageBody }))
  return client.send(new SendMessageBatchCommand({ QueueUrl, Entries }))
}

/** Makes a received message visible at once. */
async function release(QueueUrl: string, message: Message | undefined): Promise<void> {
  const { ReceiptHandle } = message ?? {}
  await client.send(new ChangeMessageVisibilityCommand({ QueueUrl, ReceiptHandle, VisibilityTimeout: 0 }))
}

/** Receives until it has as many messages: SQS may deliver fewer at a time than there are. */
async function receive(QueueUrl: string, count: number): Promise<Message[]> {
  const messages: Message[] = []
  for (let attempt = 0; attempt < 5 && messages.length < count; attempt++) {
    messages.push(...(await receiveWithin(QueueUrl, 5)))
  }
  return messages
}

async function receiveNow(QueueUrl: string): Promise<Message[]> {
  return receiveWithin(QueueUrl, 0)
}

async function receiveWithin(QueueUrl: string, seconds: number): Promise<Message[]> {
  const { Messages = [] } = await client.send(
    new ReceiveMessageCommand({
      QueueUrl,
      WaitTimeSeconds: seconds,
      MaxNumberOfMessages: 10,
      MessageAttributeNames: ["All"],
      MessageSystemAttributeNames: ["All"],
    }),
  )
  return Messages
}

import { once } from "node:events"
import { createServer } from "node:http"
import { CreateQueueCommand, SQSClient } from "@aws-sdk/client-sqs"
import { type AwsClients, createAwsClients } from "@sealway/platform"
import type { SQSEvent, SQSRecord } from "aws-lambda"
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest"
import { type EmbeddedCloud, startEmbeddedCloud } from "../cloud/start-embedded-cloud.ts"
import { type QueuePollerOptions, startQueuePoller } from "./queue-poller.ts"

const MD5_OF_A = "0cc175b9c0f1b6a831c399e269772661"

let cloud: EmbeddedCloud
let clients: AwsClients
let queues = 0

beforeAll(async () => {
  cloud = await startEmbeddedCloud({ dataFolder: null, tables: [], queues: [] })
  // As for all other calls; the poller waits longer.
  clients = createAwsClients(cloud, { credentials: cloud.credentials, requestTimeoutMs: 1_000 })
})
afterAll(async () => {
  clients.destroy()
  await cloud.close()
})

async function createQueue(visibilityTimeoutSeconds = 1): Promise<string> {
  queues += 1
  const { region, credentials } = cloud
  const admin = new SQSClient({ endpoint: cloud.endpoints.sqs, region, credentials })
  const { QueueUrl = "" } = await admin.send(
    new CreateQueueCommand({
      QueueName: `queue-${queues}`,
      Attributes: { VisibilityTimeout: String(visibilityTimeoutSeconds) },
    }),
  )
  admin.destroy()
  return QueueUrl
}

const send = (QueueUrl: string, MessageBody: string) =>
  clients.sqs.call("SendMessage", { QueueUrl, MessageBody })

/** Counts the messages in a queue, whether they can be received now or not. */
async function count(QueueUrl: string): Promise<number> {
  const { Attributes = {} } = await clients.sqs.call("GetQueueAttributes", {
    QueueUrl,
    AttributeNames: ["All"],
  })
  const { ApproximateNumberOfMessages = "0", ApproximateNumberOfMessagesNotVisible = "0" } = Attributes
  return Number(ApproximateNumberOfMessages) + Number(ApproximateNumberOfMessagesNotVisible)
}

function poll(
  queueUrl: string,
  handler: QueuePollerOptions["handler"],
  options: Partial<QueuePollerOptions> = {},
) {
  const errors: unknown[] = []
  const log = { error: (_: string, { error }: { error?: unknown } = {}) => errors.push(error) }
  const poller = startQueuePoller({
    client: clients.sqs,
    queueUrl,
    region: cloud.region,
    handler,
    log,
    ...options,
  })
  return { poller, errors }
}

/** Creates a handler that records its messages, and fails those that match. */
function keeper(fails: (record: SQSRecord) => boolean = () => false) {
  const records: SQSRecord[] = []
  const handler = async ({ Records }: SQSEvent) => {
    records.push(...Records)
    return {
      batchItemFailures: Records.filter(fails).map(({ messageId }) => ({ itemIdentifier: messageId })),
    }
  }
  return { records, handler }
}

describe("the queue poller", () => {
  test("passes messages on as Lambda does, and deletes them", async () => {
    const queueUrl = await createQueue()
    const { records, handler } = keeper()
    const { poller, errors } = poll(queueUrl, handler)
    await clients.sqs.call("SendMessage", {
      QueueUrl: queueUrl,
      MessageBody: "a",
      MessageAttributes: {
        kind: { DataType: "String", StringValue: "b" },
        bytes: { DataType: "Binary", BinaryValue: Buffer.from("c") },
      },
    })
    await vi.waitFor(() => expect(records).toHaveLength(1), 5_000)
    expect(records[0]).toEqual({
      messageId: expect.stringMatching(/.+/),
      receiptHandle: expect.stringMatching(/.+/),
      body: "a",
      md5OfBody: MD5_OF_A,
      eventSource: "aws:sqs",
      eventSourceARN: expect.stringMatching(new RegExp(`^arn:aws:sqs:${cloud.region}:\\d+:queue-\\d+$`)),
      awsRegion: cloud.region,
      attributes: expect.objectContaining({
        ApproximateReceiveCount: "1",
        SentTimestamp: expect.stringMatching(/^\d{13}$/),
      }),
      messageAttributes: {
        kind: { dataType: "String", stringValue: "b" },
        bytes: { dataType: "Binary", binaryValue: "Yw==" },
      },
    })
    await vi.waitFor(async () => expect(await count(queueUrl)).toBe(0), 5_000)
    await poller.close()
    expect(errors).toEqual([])
  })

  test("leaves a failed message, which comes again, and deletes the others", async () => {
    const queueUrl = await createQueue()
    await Promise.all(["good", "bad", "good"].map((body) => send(queueUrl, body)))
    const isBad = ({ body, attributes }: SQSRecord) =>
      body === "bad" && attributes.ApproximateReceiveCount === "1"
    const { records, handler } = keeper(isBad)
    const { poller } = poll(queueUrl, handler)
    await vi.waitFor(() => expect(records).toHaveLength(4), 10_000)
    expect(records.map(({ body }) => body).sort()).toEqual(["bad", "bad", "good", "good"])
    await vi.waitFor(async () => expect(await count(queueUrl)).toBe(0), 5_000)
    await poller.close()
  })

  test("leaves the message when the handler throws, logs that, and continues", async () => {
    const queueUrl = await createQueue()
    await send(queueUrl, "a")
    const failure = new Error("once")
    const handler = vi.fn(async (_: SQSEvent) => ({ batchItemFailures: [] })).mockRejectedValueOnce(failure)
    const { poller, errors } = poll(queueUrl, handler)
    await vi.waitFor(() => expect(handler).toHaveBeenCalledTimes(2), 10_000)
    await vi.waitFor(async () => expect(await count(queueUrl)).toBe(0), 5_000)
    await poller.close()
    expect(errors).toEqual([failure])
  })

  test("processes the configured number of messages concurrently, and takes the next as soon as one is done", async () => {
    const queueUrl = await createQueue(60)
    await Promise.all(["a", "b", "c", "d", "e"].map((body) => send(queueUrl, body)))
    const inHand: PromiseWithResolvers<void>[] = []
    const sizes: number[] = []
    const handler = async ({ Records }: SQSEvent) => {
      sizes.push(Records.length)
      const held = Promise.withResolvers<void>()
      inHand.push(held)
      await held.promise
      return { batchItemFailures: [] }
    }
    const { poller } = poll(queueUrl, handler, { concurrency: 2 })
    await vi.waitFor(() => expect(inHand).toHaveLength(2), 5_000)
    for (const taken of [3, 4, 5]) {
      // The first one continues: the others do not wait for it.
      inHand[taken - 2]?.resolve()
      await vi.waitFor(() => expect(inHand).toHaveLength(taken), 5_000)
      await vi.waitFor(async () => expect(await count(queueUrl)).toBe(7 - taken), 5_000)
    }
    for (const held of inHand) held.resolve()
    await vi.waitFor(async () => expect(await count(queueUrl)).toBe(0), 5_000)
    await poller.close()
    expect(sizes).toEqual([1, 1, 1, 1, 1])
  })

  test("stops immediately while it waits for messages, and takes no more", async () => {
    const queueUrl = await createQueue()
    const { records, handler } = keeper()
    const { poller, errors } = poll(queueUrl, handler)
    await vi.waitFor(() => expect(records).toEqual([]))
    const closed = poller.close().then(() => "closed")
    const later = new Promise((resolve) => setTimeout(resolve, 5_000, "later"))
    expect(await Promise.race([closed, later])).toBe("closed")
    await poller.close()
    await send(queueUrl, "late")
    expect(await count(queueUrl)).toBe(1)
    expect(records).toEqual([])
    expect(errors).toEqual([])
  })

  test("finishes and deletes the current message when it is closed", async () => {
    const queueUrl = await createQueue(60)
    await send(queueUrl, "a")
    const begun = Promise.withResolvers<void>()
    const release = Promise.withResolvers<void>()
    const { poller } = poll(queueUrl, async () => {
      begun.resolve()
      await release.promise
      return { batchItemFailures: [] }
    })
    await begun.promise
    let isClosed = false
    const closing = poller.close().then(() => {
      isClosed = true
    })
    await count(queueUrl)
    expect(isClosed).toBe(false)
    release.resolve()
    await closing
    expect(await count(queueUrl)).toBe(0)
  })

  test("logs failed calls, and continues when they succeed", async () => {
    const answers = ["Broken", "Broken", "Broken"]
    const message = { MessageId: "m", ReceiptHandle: "r", Body: "a", MD5OfBody: MD5_OF_A }
    const server = createServer((request, response) => {
      const failure = answers.shift()
      const isReceive = request.headers["x-amz-target"] === "AmazonSQS.ReceiveMessage"
      const body = failure
        ? { __type: failure }
        : isReceive
          ? { Messages: [message] }
          : { Successful: [], Failed: [] }
      response
        .writeHead(failure ? 400 : 200, { "content-type": "application/x-amz-json-1.0" })
        .end(JSON.stringify(body))
    })
    server.listen(0, "127.0.0.1")
    await once(server, "listening")
    const address = server.address()
    const endpoint = `http://127.0.0.1:${typeof address === "object" ? address?.port : address}`
    const { region, credentials } = cloud
    const failing = createAwsClients({ region, endpoints: { sqs: endpoint } }, { credentials })
    const { records, handler } = keeper()
    const { poller, errors } = poll(`${endpoint}/0/queue`, handler, { client: failing.sqs })
    await vi.waitFor(() => expect(records.length).toBeGreaterThan(0), 5_000)
    await poller.close()
    expect(errors.map((error) => error instanceof Error && error.name)).toEqual([
      "Broken",
      "Broken",
      "Broken",
    ])
    failing.destroy()
    server.closeAllConnections()
    server.close()
  })
})

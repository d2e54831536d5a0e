import type { SQSEvent, SQSRecord } from "aws-lambda"
import { describe, expect, test, vi } from "vitest"
import { MessageQueue } from "../cloud/queues/message-queue.ts"
import { type QueuePollerOptions, startQueuePoller } from "./queue-poller.ts"

function createQueue(visibilityTimeoutSeconds = 1): MessageQueue {
  const visibilityTimeoutMs = visibilityTimeoutSeconds * 1_000
  return new MessageQueue({ visibilityTimeoutMs, redrive: null, wallClock: Date.now })
}

/** Counts the messages in a queue, whether they can be received now or not. */
function count({ counts: { visible, inFlight } }: MessageQueue): number {
  return visible + inFlight
}

function poll(
  queue: MessageQueue,
  handler: QueuePollerOptions["handler"],
  options: Partial<QueuePollerOptions> = {},
) {
  const errors: unknown[] = []
  const log = { error: (_: string, { error }: { error?: unknown } = {}) => errors.push(error) }
  return { poller: startQueuePoller({ queue, handler, log, ...options }), errors }
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
    const queue = createQueue()
    const { records, handler } = keeper()
    const { poller, errors } = poll(queue, handler)
    queue.send("a", 0)
    await vi.waitFor(() => expect(records).toHaveLength(1), 5_000)
    expect(records[0]).toEqual({
      messageId: expect.stringMatching(/.+/),
      receiptHandle: expect.stringMatching(/.+/),
      body: "a",
      md5OfBody: "",
      eventSource: "aws:sqs",
      eventSourceARN: "",
      awsRegion: "",
      attributes: expect.objectContaining({
        ApproximateReceiveCount: "1",
        SentTimestamp: expect.stringMatching(/^\d{13}$/),
      }),
      messageAttributes: {},
    })
    await vi.waitFor(() => expect(count(queue)).toBe(0), 5_000)
    await poller.close()
    expect(errors).toEqual([])
  })

  test("leaves a failed message, which comes again, and deletes the others", async () => {
    const queue = createQueue()
    for (const body of ["good", "bad", "good"]) queue.send(body, 0)
    const isBad = ({ body, attributes }: SQSRecord) =>
      body === "bad" && attributes.ApproximateReceiveCount === "1"
    const { records, handler } = keeper(isBad)
    const { poller } = poll(queue, handler)
    await vi.waitFor(() => expect(records).toHaveLength(4), 10_000)
    expect(records.map(({ body }) => body).sort()).toEqual(["bad", "bad", "good", "good"])
    await vi.waitFor(() => expect(count(queue)).toBe(0), 5_000)
    await poller.close()
  })

  test("leaves the message when the handler throws, logs that, and continues", async () => {
    const queue = createQueue()
    queue.send("a", 0)
    const failure = new Error("once")
    const handler = vi.fn(async (_: SQSEvent) => ({ batchItemFailures: [] })).mockRejectedValueOnce(failure)
    const { poller, errors } = poll(queue, handler)
    await vi.waitFor(() => expect(handler).toHaveBeenCalledTimes(2), 10_000)
    await vi.waitFor(() => expect(count(queue)).toBe(0), 5_000)
    await poller.close()
    expect(errors).toEqual([failure])
  })

  test("processes the configured number of messages concurrently, and takes the next as soon as one is done", async () => {
    const queue = createQueue(60)
    for (const body of ["a", "b", "c", "d", "e"]) queue.send(body, 0)
    const inHand: PromiseWithResolvers<void>[] = []
    const sizes: number[] = []
    const handler = async ({ Records }: SQSEvent) => {
      sizes.push(Records.length)
      const held = Promise.withResolvers<void>()
      inHand.push(held)
      await held.promise
      return { batchItemFailures: [] }
    }
    const { poller } = poll(queue, handler, { concurrency: 2 })
    await vi.waitFor(() => expect(inHand).toHaveLength(2), 5_000)
    for (const taken of [3, 4, 5]) {
      // The first one continues: the others do not wait for it.
      inHand[taken - 2]?.resolve()
      await vi.waitFor(() => expect(inHand).toHaveLength(taken), 5_000)
      await vi.waitFor(() => expect(count(queue)).toBe(7 - taken), 5_000)
    }
    for (const held of inHand) held.resolve()
    await vi.waitFor(() => expect(count(queue)).toBe(0), 5_000)
    await poller.close()
    expect(sizes).toEqual([1, 1, 1, 1, 1])
  })

  test("stops immediately while it waits for messages, and takes no more", async () => {
    const queue = createQueue()
    const { records, handler } = keeper()
    const { poller, errors } = poll(queue, handler)
    await vi.waitFor(() => expect(records).toEqual([]))
    const closed = poller.close().then(() => "closed")
    const later = new Promise((resolve) => setTimeout(resolve, 5_000, "later"))
    expect(await Promise.race([closed, later])).toBe("closed")
    await poller.close()
    queue.send("late", 0)
    expect(count(queue)).toBe(1)
    expect(records).toEqual([])
    expect(errors).toEqual([])
  })

  test("finishes and deletes the current message when it is closed", async () => {
    const queue = createQueue(60)
    queue.send("a", 0)
    const begun = Promise.withResolvers<void>()
    const release = Promise.withResolvers<void>()
    const { poller } = poll(queue, async () => {
      begun.resolve()
      await release.promise
      return { batchItemFailures: [] }
    })
    await begun.promise
    let isClosed = false
    const closing = poller.close().then(() => {
      isClosed = true
    })
    count(queue)
    expect(isClosed).toBe(false)
    release.resolve()
    await closing
    expect(count(queue)).toBe(0)
  })
})

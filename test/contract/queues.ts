import {
  CreateQueueCommand,
  DeleteMessageCommand,
  DeleteQueueCommand,
  GetQueueAttributesCommand,
  ReceiveMessageCommand,
  SQSClient,
} from "@aws-sdk/client-sqs"
import type { QueueDefinition, QueueSender } from "@sealway/ports"
import { createAwsClients } from "@sealway/ports/aws"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { type AwsUnderTest, SET_UP_TIMEOUT_MS, uniqueName } from "./service-under-test.ts"

interface Received {
  readonly body: string
  settle(): unknown
}

export interface QueuesUnderTest {
  readonly queues: QueueSender
  /** Receives a message, after as long as that takes; null when none comes. @param waitSeconds at most 20 */
  receive(queue: string, waitSeconds: number): Promise<Received | null>
  close(): unknown
}

export const DEFINITIONS: readonly QueueDefinition[] = [
  { name: "events", visibilityTimeoutSeconds: 1, maxReceiveCount: 2 },
  { name: "slow-events", visibilityTimeoutSeconds: 600, maxReceiveCount: 2 },
]

/** Creates queues in SQS. */
export async function startSqs(config: AwsUnderTest): Promise<QueuesUnderTest> {
  const client = new SQSClient(config)
  const prefix = uniqueName()
  const urls = new Map<string, string>()
  const create = async (name: string, Attributes: Record<string, string> = {}) => {
    const { QueueUrl = "" } = await client.send(
      new CreateQueueCommand({ QueueName: `${prefix}-${name}`, Attributes }),
    )
    urls.set(name, QueueUrl)
    return QueueUrl
  }
  for (const { name, visibilityTimeoutSeconds, maxReceiveCount } of DEFINITIONS) {
    const QueueUrl = await create(`${name}-dead-letters`)
    const described = await client.send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ["All"] }))
    const deadLetterTargetArn = described.Attributes?.QueueArn
    await create(name, {
      VisibilityTimeout: String(visibilityTimeoutSeconds),
      RedrivePolicy: JSON.stringify({ deadLetterTargetArn, maxReceiveCount }),
    })
  }
  const { region, endpoint, ...options } = config
  const clients = createAwsClients({ region, endpoints: { sqs: endpoint } }, options)
  const known = new Map(
    DEFINITIONS.flatMap(({ name }) => {
      const deadLetters = `${name}-dead-letters` as const
      return [[name, urls.get(name) ?? ""] as const, [deadLetters, urls.get(deadLetters) ?? ""] as const]
    }),
  )
  return {
    queues: clients.openQueues(known),
    async receive(name, WaitTimeSeconds) {
      const QueueUrl = urls.get(name)
      const command = new ReceiveMessageCommand({ QueueUrl, WaitTimeSeconds })
      const [found] = (await client.send(command)).Messages ?? []
      if (found === undefined) return null
      const { ReceiptHandle, Body = "" } = found
      return { body: Body, settle: () => client.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle })) }
    },
    async close() {
      for (const QueueUrl of urls.values()) await client.send(new DeleteQueueCommand({ QueueUrl }))
      client.destroy()
      clients.destroy()
    },
  }
}

/**
 * What queues promise, wherever they are.
 *
 * @param place `of SQS`
 */
export function describeQueues(place: string, start: () => Promise<QueuesUnderTest>): void {
  describe(`queues ${place}`, () => {
    let under: QueuesUnderTest
    beforeAll(async () => {
      under = await start()
    }, SET_UP_TIMEOUT_MS)
    afterAll(() => under.close(), SET_UP_TIMEOUT_MS)

    /** Receives a message and settles it. */
    async function take(queue: string, waitSeconds = 5): Promise<unknown> {
      const received = await under.receive(queue, waitSeconds)
      await received?.settle()
      return received === null ? null : JSON.parse(received.body)
    }

    test("deliver a message unchanged, whatever its characters, and no more once it is settled", async () => {
      const message = { text: "é\u{1f600}\0\ufffe\ud800\n", list: [1, null, { deep: true }] }
      await under.queues.send("events", message)
      expect(await take("events")).toEqual(message)
      expect(await under.receive("events", 2)).toBeNull()
    })

    test("deliver a message again that was not settled, and then to the dead letters", async () => {
      await under.queues.send("events", { again: true })
      for (const queue of ["events", "events"]) {
        const received = await under.receive(queue, 5)
        expect(received?.body).toBe('{"again":true}')
      }
      expect(await under.receive("events", 2)).toBeNull()
      expect(await take("events-dead-letters")).toEqual({ again: true })
    })

    test("deliver a message that waits when its delay is over, and not before", async () => {
      await under.queues.send("slow-events", { late: true }, { delaySeconds: 0.5 })
      await under.queues.send("slow-events", { late: false })
      expect(await take("slow-events")).toEqual({ late: false })
      expect(await under.receive("slow-events", 0)).toBeNull()
      expect(await take("slow-events")).toEqual({ late: true })
    })

    test("take what is sent to the dead letters", async () => {
      await under.queues.send("slow-events-dead-letters", { dead: true })
      expect(await take("slow-events-dead-letters")).toEqual({ dead: true })
    })

    test("refuse a message of more than a megabyte, and a queue that the process does not have", async () => {
      const { queues } = under
      await expect(queues.send("events", { text: "x".repeat(1_048_576) })).rejects.toThrow()
      await expect(queues.send("enrolments", {})).rejects.toThrow()
      await queues.send("slow-events", { text: "x".repeat(1_000_000) })
      expect(await take("slow-events")).toMatchObject({ text: expect.any(String) })
    })
  })
}

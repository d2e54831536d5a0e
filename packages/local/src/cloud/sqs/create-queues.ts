import type { QueueDefinition, Sqs } from "@sealway/platform"

/** Creates the queues, each with the dead-letter queue `<name>-dead-letters`. @returns the URL of each, by name */
export async function createQueues(
  client: Sqs,
  queues: readonly QueueDefinition[],
): Promise<ReadonlyMap<string, string>> {
  return new Map((await Promise.all(queues.map((queue) => createQueue(client, queue)))).flat())
}

async function createQueue(client: Sqs, queue: QueueDefinition): Promise<[string, string][]> {
  const deadLettersName = `${queue.name}-dead-letters`
  const deadLetters = await client.call("CreateQueue", { QueueName: deadLettersName })
  const { Attributes: { QueueArn } = {} } = await client.call("GetQueueAttributes", {
    QueueUrl: deadLetters.QueueUrl,
    AttributeNames: ["QueueArn"],
  })
  const created = await client.call("CreateQueue", {
    QueueName: queue.name,
    Attributes: {
      VisibilityTimeout: String(queue.visibilityTimeoutSeconds),
      RedrivePolicy: JSON.stringify({
        deadLetterTargetArn: QueueArn,
        maxReceiveCount: queue.maxReceiveCount,
      }),
    },
  })
  return [
    [queue.name, String(created.QueueUrl)],
    [deadLettersName, String(deadLetters.QueueUrl)],
  ]
}

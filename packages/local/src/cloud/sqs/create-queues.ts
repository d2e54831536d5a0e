import { CreateQueueCommand, GetQueueAttributesCommand, type SQSClient } from "@aws-sdk/client-sqs"
import type { QueueDefinition } from "@sealway/platform"

/** Creates the queues, each with the dead-letter queue `<name>-dead-letters`. @returns the URL of each, by name */
export async function createQueues(
  client: SQSClient,
  queues: readonly QueueDefinition[],
): Promise<ReadonlyMap<string, string>> {
  return new Map((await Promise.all(queues.map((queue) => createQueue(client, queue)))).flat())
}

async function createQueue(client: SQSClient, queue: QueueDefinition): Promise<[string, string][]> {
  const deadLettersName = `${queue.name}-dead-letters`
  const deadLetters = await client.send(new CreateQueueCommand({ QueueName: deadLettersName }))
  const { Attributes: { QueueArn } = {} } = await client.send(
    new GetQueueAttributesCommand({ QueueUrl: deadLetters.QueueUrl, AttributeNames: ["QueueArn"] }),
  )
  const created = await client.send(
    new CreateQueueCommand({
      QueueName: queue.name,
      Attributes: {
        VisibilityTimeout: String(queue.visibilityTimeoutSeconds),
        RedrivePolicy: JSON.stringify({
          deadLetterTargetArn: QueueArn,
          maxReceiveCount: queue.maxReceiveCount,
        }),
      },
    }),
  )
  return [
    [queue.name, String(created.QueueUrl)],
    [deadLettersName, String(deadLetters.QueueUrl)],
  ]
}

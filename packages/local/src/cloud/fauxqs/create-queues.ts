import { CreateQueueCommand, GetQueueAttributesCommand, type SQSClient } from "@aws-sdk/client-sqs"
import type { QueueDefinition } from "@sealway/platform"

/** Creates the queues, each with the dead-letter queue `<name>-dead-letters`. */
export async function createQueues(client: SQSClient, queues: readonly QueueDefinition[]): Promise<void> {
  await Promise.all(queues.map((queue) => createQueue(client, queue)))
}

async function createQueue(client: SQSClient, queue: QueueDefinition): Promise<void> {
  const deadLetters = await client.send(new CreateQueueCommand({ QueueName: `${queue.name}-dead-letters` }))
  const { Attributes: { QueueArn } = {} } = await client.send(
    new GetQueueAttributesCommand({ QueueUrl: deadLetters.QueueUrl, AttributeNames: ["QueueArn"] }),
  )
  await client.send(
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
}

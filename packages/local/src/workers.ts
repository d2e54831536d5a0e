import type { SQSClient } from "@aws-sdk/client-sqs"
import { createRunWorker, type FunctionDependencies, requeueFunctionWork } from "@sealway/functions"
import type { Platform, QueueName } from "@sealway/platform"
import { createEgress } from "@sealway/platform/egress"
import { createWebhookWorker, requeuePending } from "@sealway/webhooks"
import type { EmbeddedCloud } from "./cloud/start-embedded-cloud.ts"
import { type QueuePollerOptions, startQueuePoller } from "./queue-poller.ts"

/** What works behind the scenes. */
export interface Workers {
  /** Resolves when the work in hand is done; what is left is found again at the next start. */
  close(): Promise<void>
}

/** Queues again what an earlier process left, for queues are in memory, and starts the workers of the queues. */
export async function startWorkers(
  platform: Platform,
  functions: FunctionDependencies,
  sqs: SQSClient,
  { region, queueUrls }: EmbeddedCloud,
): Promise<Workers> {
  const poll = (queue: QueueName, handler: QueuePollerOptions["handler"]) => {
    const queueUrl = queueUrls.get(queue)
    if (queueUrl === undefined) throw new TypeError(`The cloud has no queue ${queue}`)
    return startQueuePoller({ client: sqs, queueUrl, region, handler, log: platform.log })
  }
  await requeuePending(platform, { overdueMs: 0 })
  await requeueFunctionWork(functions, { overdueMs: 0 })
  const egress = createEgress({ allowPrivate: platform.allowPrivateDestinations })
  const pollers = [
    poll("events", createWebhookWorker({ ...platform, egress })),
    poll("function-runs", createRunWorker(functions)),
  ]
  return {
    async close() {
      await Promise.all(pollers.map((poller) => poller.close()))
      await egress.close()
    },
  }
}

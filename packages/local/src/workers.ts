import type { SQSClient } from "@aws-sdk/client-sqs"
import type { Platform } from "@sealway/platform"
import { createEgress } from "@sealway/platform/egress"
import { createWebhookWorker, requeuePending } from "@sealway/webhooks"
import type { EmbeddedCloud } from "./cloud/start-embedded-cloud.ts"
import { startQueuePoller } from "./queue-poller.ts"

/** What works behind the scenes. */
export interface Workers {
  /** Resolves when the work in hand is done; what is left is found again at the next start. */
  close(): Promise<void>
}

/** Queues again what an earlier process left, for queues are in memory, and starts the workers of the queues. */
export async function startWorkers(
  platform: Platform,
  sqs: SQSClient,
  { region, queueUrls }: EmbeddedCloud,
): Promise<Workers> {
  const queueUrl = queueUrls.get("events")
  if (queueUrl === undefined) throw new TypeError("The cloud has no queue of events")
  await requeuePending(platform, { overdueMs: 0 })
  const egress = createEgress({ allowPrivate: platform.allowPrivateDestinations })
  const poller = startQueuePoller({
    client: sqs,
    queueUrl,
    region,
    handler: createWebhookWorker({ ...platform, egress }),
    log: platform.log,
  })
  return {
    async close() {
      await poller.close()
      await egress.close()
    },
  }
}

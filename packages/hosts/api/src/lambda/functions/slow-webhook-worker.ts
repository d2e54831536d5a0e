import { createEgress } from "@sealway/http/egress"
import { createWebhookWorker, type QueueHandler } from "@sealway/webhooks"
import { type ProcessEnvironment, startPlatform } from "../start-platform.ts"

/**
 * Starts the handler of the Lambda function that receives from the queue `slow-events`. It reports partial batch
 * failures.
 */
export function start(environment: ProcessEnvironment): QueueHandler {
  const platform = startPlatform(environment)
  const egress = createEgress({ allowPrivate: platform.allowPrivateDestinations })
  return createWebhookWorker({ ...platform, egress, lane: "slow" })
}

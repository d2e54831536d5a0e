import type { SQSBatchResponse, SQSEvent, SQSRecord } from "aws-lambda"
import type { WorkerDependencies } from "../dependencies.ts"
import { createDeliveryTurns } from "../schedule/delivery-turns.ts"
import { attemptDelivery } from "./attempt-delivery.ts"
import { fanOut } from "./fan-out.ts"
import { parseMessage } from "./messages.ts"
import { createSlowDestinations } from "./slow-destinations.ts"

export type QueueHandler = (event: SQSEvent) => Promise<SQSBatchResponse>

/**
 * Creates the Lambda handler of the queues `events` and `slow-events`, depending on its lane. It reports which messages
 * of a batch failed, so that only these are retried. Safe to run twice with the same message, even concurrently. A
 * batch takes as long as its slowest receiver: at most 16 seconds and a few AWS calls, or 2 seconds in the quick lane;
 * a receiver that is known to be slow gets few turns.
 */
export function createWebhookWorker(dependencies: WorkerDependencies): QueueHandler {
  const { now, random = Math.random } = dependencies
  const turns = createDeliveryTurns({ now, random })
  const slow = createSlowDestinations(dependencies)

  async function handle({ body }: SQSRecord): Promise<void> {
    const message = parseMessage(body)
    await ("endpointId" in message
      ? attemptDelivery(message, { ...dependencies, turns, slow })
      : fanOut(message, dependencies))
  }

  return async ({ Records }) => {
    const results = await Promise.allSettled(Records.map(handle))
    const batchItemFailures = results.flatMap((result, index) => {
      const { messageId = "" } = Records[index] ?? {}
      if (result.status === "fulfilled") return []
      dependencies.log.warn("webhook message failed", { requestId: messageId, error: result.reason })
      return [{ itemIdentifier: messageId }]
    })
    return { batchItemFailures }
  }
}

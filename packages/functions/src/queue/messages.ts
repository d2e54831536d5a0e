import { MAX_DELAY_SECONDS, type QueueSender } from "@sealway/platform"
import { type Work, workSchema } from "./pending-work.ts"

/** @throws Error when it is no message of the queue `function-runs` */
export function parseWork(body: string): Work {
  return workSchema.parse(JSON.parse(body))
}

/**
 * Has a worker look at something. SQS lets a message wait for 15 minutes at most; whoever receives it too early sends it
 * again.
 *
 * @param waitMs default 0
 */
export function sendWork(queues: QueueSender, work: Work, waitMs = 0): Promise<void> {
  const delaySeconds = Math.min(Math.max(Math.ceil(waitMs / 1000), 0), MAX_DELAY_SECONDS)
  return queues.send("function-runs", work, { delaySeconds })
}

/** Says that something has failed for good. */
export function sendDeadLetter(queues: QueueSender, work: Work): Promise<void> {
  return queues.send("function-runs-dead-letters", work)
}

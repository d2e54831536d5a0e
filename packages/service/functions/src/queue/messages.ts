import { MAX_DELAY_SECONDS, type QueueSender } from "@sealway/ports"
import { type Work, workSchema } from "./pending-work.ts"

/** Parses a message. @throws Error when it is not a message of the queue `function-runs` */
export function parseWork(body: string): Work {
  return workSchema.parse(JSON.parse(body))
}

/**
 * Asks a worker to look at something. SQS delays a message for at most 15 minutes; a worker that receives it too early
 * sends it again.
 *
 * @param waitMs default 0
 */
export function sendWork(queues: QueueSender, work: Work, waitMs = 0): Promise<void> {
  const delaySeconds = Math.min(Math.max(Math.ceil(waitMs / 1000), 0), MAX_DELAY_SECONDS)
  return queues.send("function-runs", work, { delaySeconds })
}

/** Reports that something has failed permanently. */
export function sendDeadLetter(queues: QueueSender, work: Work): Promise<void> {
  return queues.send("function-runs-dead-letters", work)
}

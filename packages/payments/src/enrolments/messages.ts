import { MAX_DELAY_SECONDS, type QueueSender } from "@sealway/platform"
import { type EnrolmentWork, enrolmentWorkSchema } from "./pending-enrolments.ts"

/** The longest that a message may wait in its queue. */
export const MAX_WAIT_MS = MAX_DELAY_SECONDS * 1000

/** Parses a message. @throws Error when it is not a message of the queue `enrolments` */
export function parseEnrolmentWork(body: string): EnrolmentWork {
  return enrolmentWorkSchema.parse(JSON.parse(body))
}

/** Asks a worker to look at a record. @param waitMs default 0; at most `MAX_WAIT_MS` */
export function sendEnrolmentWork(queues: QueueSender, work: EnrolmentWork, waitMs = 0): Promise<void> {
  return queues.send("enrolments", work, { delaySeconds: Math.ceil(Math.max(waitMs, 0) / 1000) })
}

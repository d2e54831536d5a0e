import { MAX_DELAY_SECONDS, type QueueName, type QueueSender } from "@sealway/ports"
import { type EnrolmentWork, enrolmentWorkSchema } from "./pending-enrolments.ts"

/** The longest that a message may wait in its queue. */
export const MAX_WAIT_MS = MAX_DELAY_SECONDS * 1000

/** Parses a message. @throws Error when it is not a message of the queues `enrolments` and `card-checks` */
export function parseEnrolmentWork(body: string): EnrolmentWork {
  return enrolmentWorkSchema.parse(JSON.parse(body))
}

/** Asks a worker to look at a record. @param waitMs default 0; at most `MAX_WAIT_MS` */
export function sendEnrolmentWork(queues: QueueSender, work: EnrolmentWork, waitMs = 0): Promise<void> {
  return send("enrolments", queues, work, waitMs)
}

/**
 * Asks a worker to look at a record again, as workers and sweepers do. Cards are checked every day, and may be many: they
 * wait in a queue of their own, so that merchants and tokens never wait behind them.
 */
export function sendAgain(queues: QueueSender, work: EnrolmentWork, waitMs = 0): Promise<void> {
  return send(work.type === "card" ? "card-checks" : "enrolments", queues, work, waitMs)
}

function send(queue: QueueName, queues: QueueSender, work: EnrolmentWork, waitMs: number): Promise<void> {
  return queues.send(queue, work, { delaySeconds: Math.ceil(Math.max(waitMs, 0) / 1000) })
}

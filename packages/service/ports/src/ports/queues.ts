export type QueueName =
  | "function-runs"
  | "events"
  | "slow-events"
  | "access-records"
  | "enrolments"
  | "card-checks"
export type DeadLetterQueueName = `${QueueName}-dead-letters`

/** A queue. Each has a dead-letter queue named `<name>-dead-letters`. */
export interface QueueDefinition {
  readonly name: QueueName
  readonly visibilityTimeoutSeconds: number
  /** How often a message is delivered before it moves to the dead-letter queue. */
  readonly maxReceiveCount: number
}

/** All queues of a deployment. A worker's timeout is at most a sixth of its queue's visibility timeout. */
export const QUEUES: readonly QueueDefinition[] = [
  { name: "function-runs", visibilityTimeoutSeconds: 5400, maxReceiveCount: 5 },
  { name: "events", visibilityTimeoutSeconds: 180, maxReceiveCount: 8 },
  { name: "slow-events", visibilityTimeoutSeconds: 180, maxReceiveCount: 8 },
  // Batches that the access log writer could not process when the log handed them over.
  { name: "access-records", visibilityTimeoutSeconds: 360, maxReceiveCount: 8 },
  // Merchants and acquirers to enrol with card networks.
  { name: "enrolments", visibilityTimeoutSeconds: 720, maxReceiveCount: 8 },
  // Cards that card networks are asked about every day.
  { name: "card-checks", visibilityTimeoutSeconds: 720, maxReceiveCount: 8 },
]

/** The longest delay of a message. */
export const MAX_DELAY_SECONDS = 900

/**
 * The queues of a deployment, for those who send. A message is delivered at least once, in no certain order, again after
 * the queue's visibility timeout until its worker has succeeded, and goes to the dead-letter queue in the end. Workers
 * get messages as Lambda passes them on.
 */
export interface QueueSender {
  /**
   * Sends a message as JSON, of at most a megabyte. Once this resolves it is in the queue.
   *
   * @param options.delaySeconds how long it waits before it is delivered, up to `MAX_DELAY_SECONDS`; default 0
   * @throws an error that `isUnavailability` recognises when the queue cannot be reached, or too much is sent
   */
  send(
    queue: QueueName | DeadLetterQueueName,
    message: object,
    options?: { readonly delaySeconds?: number },
  ): Promise<void>
}

/** Returns a delay as queues take it: whole seconds, up to the longest. */
export function delayOf(seconds: number): number {
  return Math.min(Math.ceil(seconds), MAX_DELAY_SECONDS)
}

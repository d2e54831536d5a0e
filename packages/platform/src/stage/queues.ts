export type QueueName = "function-runs" | "events" | "slow-events" | "access-records" | "enrolments"
export type DeadLetterQueueName = `${QueueName}-dead-letters`

/** An SQS queue. Each has a dead-letter queue named `<name>-dead-letters`. */
export interface QueueDefinition {
  readonly name: QueueName
  readonly visibilityTimeoutSeconds: number
  /** Deliveries before a message moves to the dead-letter queue. */
  readonly maxReceiveCount: number
}

/** Every queue of a deployment. A worker's time-out is at most a sixth of its queue's visibility time-out. */
export const QUEUES: readonly QueueDefinition[] = [
  { name: "function-runs", visibilityTimeoutSeconds: 5400, maxReceiveCount: 5 },
  { name: "events", visibilityTimeoutSeconds: 180, maxReceiveCount: 8 },
  { name: "slow-events", visibilityTimeoutSeconds: 180, maxReceiveCount: 8 },
  // What the writer of access records could not take when the log handed it over.
  { name: "access-records", visibilityTimeoutSeconds: 360, maxReceiveCount: 8 },
  // Merchants and acquirers that card networks are to be asked about.
  { name: "enrolments", visibilityTimeoutSeconds: 720, maxReceiveCount: 8 },
]

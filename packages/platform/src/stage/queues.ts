export type QueueName =
  | "function-runs"
  | "events"
  | "slow-events"
  | "access-records"
  | "enrolments"
  | "card-checks"
export type DeadLetterQueueName = `${QueueName}-dead-letters`

/** An SQS queue. Each has a dead-letter queue named `<name>-dead-letters`. */
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

import type { AuditLog, Directory, Draws, Events, Keyring, Log, QueueSender, Table } from "@sealway/platform"
import type { Egress } from "@sealway/platform/egress"
import type { Lane } from "./schedule/lanes.ts"
import type { RetrySchedule } from "./schedule/retry-schedule.ts"

/** What keeping and moving events needs. */
export interface DeliveryDependencies {
  readonly configTable: Table
  readonly eventsTable: Table
  readonly queues: QueueSender
  /** Epoch milliseconds. */
  readonly wallClock: () => number
}

/** What the endpoints of this package need. */
export interface WebhookDependencies extends DeliveryDependencies {
  readonly keyring: Pick<Keyring, "newest" | "open">
  readonly audit: AuditLog
  readonly draws: Draws
  /** Told when an app's endpoints or listeners have changed, so that this process knows at once and not after its cache's time. */
  readonly events: Pick<Events, "forget" | "publish">
  /** Whether endpoints may be at private and loopback addresses. */
  readonly allowPrivateDestinations: boolean
}

/** What the worker needs. */
export interface WorkerDependencies extends DeliveryDependencies {
  readonly keyring: Pick<Keyring, "open" | "versions">
  readonly audit: AuditLog
  readonly directory: Pick<Directory, "app">
  readonly egress: Pick<Egress, "post">
  readonly log: Pick<Log, "warn">
  /** Milliseconds, monotonic. */
  readonly now: () => number
  /** Whose queue it works on. Default: null, one worker does everything. */
  readonly lane?: Lane | null
  /** Default: `RETRY_SCHEDULE`. */
  readonly schedule?: RetrySchedule
  /** From 0 to less than 1. Default: `Math.random`. */
  readonly random?: () => number
}

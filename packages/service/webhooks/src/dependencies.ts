import type { Directory } from "@sealway/accounts"
import type { Egress } from "@sealway/http/egress"
import type { Keyring } from "@sealway/keys"
import type { Draws, Log, QueueSender, Table } from "@sealway/ports"
import type { AuditLog, Events } from "@sealway/records"
import type { AuditRecord } from "@sealway/records/audit-chain"
import type { Lane } from "./schedule/lanes.ts"
import type { RetrySchedule } from "./schedule/retry-schedule.ts"

/** What storing and delivering events needs. */
export interface DeliveryDependencies {
  readonly configTable: Table
  readonly eventsTable: Table
  readonly queues: QueueSender
  /** Epoch milliseconds. */
  readonly wallClock: () => number
}

/** The dependencies of this package's endpoints. */
export interface WebhookDependencies extends DeliveryDependencies {
  readonly keyring: Pick<Keyring, "newest" | "open">
  readonly audit: AuditLog
  readonly draws: Draws
  /** Notified when an app's endpoints or listeners change, so that this process drops its cache immediately. */
  readonly events: Pick<Events, "forget" | "publish">
  /** Whether endpoints may be on private and loopback addresses. */
  readonly allowPrivateDestinations: boolean
}

/** The dependencies of the worker. */
export interface WorkerDependencies extends DeliveryDependencies {
  readonly keyring: Pick<Keyring, "open" | "versions">
  readonly audit: AuditLog
  readonly directory: Pick<Directory, "app">
  readonly egress: Pick<Egress, "post">
  readonly log: Pick<Log, "warn">
  /** A monotonic clock, in milliseconds. */
  readonly now: () => number
  /** Sees every record of the audit log that is published, before its event is delivered. Default: nothing. */
  readonly onAuditRecord?: (record: AuditRecord) => Promise<void>
  /** The lane whose queue it serves. Default: null, one worker does everything. */
  readonly lane?: Lane | null
  /** Default: `RETRY_SCHEDULE`. */
  readonly schedule?: RetrySchedule
  /** Returns a number from 0 to less than 1. Default: `Math.random`. */
  readonly random?: () => number
}

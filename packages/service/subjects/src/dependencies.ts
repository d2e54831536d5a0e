import type { AuditLog, Keyring, Table } from "@sealway/platform"

/** The dependencies of this package's endpoints. */
export interface SubjectDependencies {
  readonly configTable: Table
  readonly eventsTable: Table
  readonly keyring: Keyring
  readonly audit: AuditLog
  /** Epoch milliseconds. */
  readonly wallClock: () => number
}

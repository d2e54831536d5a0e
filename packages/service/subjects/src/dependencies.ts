import type { Keyring } from "@sealway/keys"
import type { Table } from "@sealway/ports"
import type { AuditLog } from "@sealway/records"

/** The dependencies of this package's endpoints. */
export interface SubjectDependencies {
  readonly configTable: Table
  readonly eventsTable: Table
  readonly keyring: Keyring
  readonly audit: AuditLog
  /** Epoch milliseconds. */
  readonly wallClock: () => number
}

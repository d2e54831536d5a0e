import type { Keyring } from "@sealway/keys"
import type { DataRoles } from "@sealway/policies"
import type { Draws, Table } from "@sealway/ports"
import type { AuditLog, Events } from "@sealway/records"

/** The dependencies of this package's endpoints. */
export interface HoneyDependencies {
  readonly configTable: Table
  readonly eventsTable: Table
  readonly keyring: Keyring
  readonly dataRoles: Pick<DataRoles, "markUsed">
  readonly audit: AuditLog
  readonly draws: Draws
  /** Notified when an app gets its first honey token, so that this process publishes refusals immediately. */
  readonly events: Pick<Events, "forget">
  /** Whether alerts may go to private addresses, and without TLS. */
  readonly allowPrivateDestinations: boolean
  /** Epoch milliseconds. */
  readonly wallClock: () => number
}

import type { Keyring } from "@sealway/keys"
import type { DataRoles } from "@sealway/policies"
import type { Draws, Table } from "@sealway/ports"
import type { AccessLog, AuditLog, Stats } from "@sealway/records"

/** What the endpoints of formats need. */
export interface FormatDependencies {
  readonly configTable: Table
  readonly keyring: Keyring
  readonly dataRoles: DataRoles
  readonly audit: AuditLog
  readonly draws: Draws
  readonly accessLog: Pick<AccessLog, "record">
  readonly stats: Pick<Stats, "count">
  /** Epoch milliseconds. */
  readonly wallClock: () => number
}

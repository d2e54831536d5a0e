import type { Keyring } from "@sealway/keys"
import type { DataRoles } from "@sealway/policies"
import type { Draws, Objects, Table } from "@sealway/ports"
import type { AccessLog, AuditLog } from "@sealway/records"

/** The storage of sealed files. Clients send and receive them by signed URLs: no file passes through the service. */
export type FileStorage = Omit<Objects, "put" | "get">

/** What this package's endpoints need. */
export interface FileDependencies {
  readonly configTable: Table
  readonly keyring: Keyring
  readonly dataRoles: Pick<DataRoles, "markUsed" | "decide">
  readonly audit: AuditLog
  readonly accessLog: Pick<AccessLog, "record">
  readonly draws: Draws
  readonly storage: FileStorage
  /** The path of the service under which clients reach the storage; null where they reach it themselves. */
  readonly storagePath: string | null
  /** Epoch milliseconds. */
  readonly wallClock: () => number
}

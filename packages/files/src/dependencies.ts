import type { AccessLog, AuditLog, Draws, Keyring, Table } from "@sealway/platform"
import type { DataRoles } from "@sealway/policies"
import type { FileStorage } from "./storage/file-storage.ts"

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

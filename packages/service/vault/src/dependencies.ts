import type { Directory } from "@sealway/accounts"
import type { Keyring } from "@sealway/keys"
import type { DataRoles } from "@sealway/policies"
import type { Draws } from "@sealway/ports"
import type { AccessLog, AuditLog, Stats } from "@sealway/records"
import type { CardRanges } from "./values/card-ranges.ts"

/** What the vault's endpoints need. */
export interface VaultDependencies {
  readonly directory: Directory
  readonly keyring: Keyring
  readonly dataRoles: DataRoles
  readonly audit: AuditLog
  readonly draws: Draws
  readonly accessLog: Pick<AccessLog, "record">
  readonly stats: Pick<Stats, "count">
  /** Epoch milliseconds. */
  readonly wallClock: () => number
}

/** What the endpoints need that tell something about a value without revealing it. */
export interface FingerprintDependencies extends Pick<VaultDependencies, "keyring" | "audit"> {
  readonly cardRanges: CardRanges
}

import type { Table } from "@sealway/ports"
import type { VaultDependencies } from "@sealway/vault"

/** What the endpoints of formats need. */
export interface FormatDependencies extends Omit<VaultDependencies, "directory"> {
  readonly configTable: Table
}

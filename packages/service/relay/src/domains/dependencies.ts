import type { Draws, Log, Table } from "@sealway/ports"
import type { AuditLog } from "@sealway/records"
import type { RelayEdge } from "../edge/relay-edge.ts"
import type { RelayDirectory } from "../records/relay-directory.ts"
import type { DnsQueries } from "./dns-queries.ts"

export interface CustomDomainDependencies {
  readonly configTable: Table
  readonly audit: AuditLog
  readonly draws: Draws
  /** Notified when a relay changes, so that this process drops its cache immediately. */
  readonly relays: RelayDirectory
  readonly edge: RelayEdge
  readonly dns: DnsQueries
  /** The suffix of relays' own domains. */
  readonly relayDomain: string
  /** The target of customers' CNAME records. */
  readonly customDomainTarget: string
  readonly log: Pick<Log, "warn">
  /** Epoch milliseconds. */
  readonly wallClock: () => number
}

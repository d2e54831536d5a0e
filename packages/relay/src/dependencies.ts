import type { Clocks } from "@sealway/kernel"
import type { AuditLog, Directory, Events, Keyring, Log, Platform, Table } from "@sealway/platform"
import type { DataRoles } from "@sealway/policies"
import { createDnsQueries, type DnsQueries } from "./custom-domains/dns-queries.ts"
import { createLocalEdge, type RelayEdge } from "./edge/relay-edge.ts"
import { createRelayDirectory, type RelayDirectory } from "./records/relay-directory.ts"

/** What the endpoints of this package need. */
export interface RelayDependencies extends Clocks {
  readonly configTable: Table
  readonly eventsTable: Table
  readonly audit: AuditLog
  readonly events: Pick<Events, "publish" | "forget">
  readonly keyring: Keyring
  readonly directory: Pick<Directory, "app">
  readonly dataRoles: DataRoles
  /** Told when a relay has changed, so that this process knows at once and not after its cache's time. */
  readonly relays: RelayDirectory
  readonly edge: RelayEdge
  readonly dns: DnsQueries
  /** What relays' own domains end with. */
  readonly relayDomain: string
  /** What customers' CNAME records are to point to. */
  readonly customDomainTarget: string
  /** Whether destinations may be private addresses, and be spoken to without TLS. */
  readonly allowPrivateDestinations: boolean
  readonly log: Pick<Log, "warn">
}

export interface RelayServices {
  readonly dataRoles: DataRoles
  /** Default: one that knows every domain at once. */
  readonly edge?: RelayEdge
  /** Default: a new one. A process that serves relays too gives the one that it serves by. */
  readonly relays?: RelayDirectory
}

type RelayPlatform = Pick<
  Platform,
  | "configTable"
  | "eventsTable"
  | "audit"
  | "events"
  | "keyring"
  | "directory"
  | "relay"
  | "allowPrivateDestinations"
  | "log"
  | "now"
  | "wallClock"
>

/** @throws Error when the configuration does not say where relays are served */
export function createRelayDependencies(
  platform: RelayPlatform,
  { dataRoles, edge = createLocalEdge(), relays }: RelayServices,
): RelayDependencies {
  const { configTable, eventsTable, audit, events, keyring, directory, log, wallClock, now } = platform
  if (platform.relay === null) throw new Error("The configuration does not say where relays are served")
  const { domain: relayDomain, customDomainTarget, dnsServers } = platform.relay
  return {
    ...{ configTable, eventsTable, audit, events, keyring, directory, log, now, wallClock },
    ...{ dataRoles, edge, relayDomain },
    customDomainTarget: customDomainTarget.toLowerCase(),
    allowPrivateDestinations: platform.allowPrivateDestinations,
    dns: createDnsQueries({ servers: dnsServers }),
    relays: relays ?? createRelayDirectory({ configTable, directory, keyring, relayDomain, now }),
  }
}

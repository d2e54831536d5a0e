import type { Directory } from "@sealway/accounts"
import type { Platform } from "@sealway/http"
import type { DataRoles } from "@sealway/policies"
import type { Table } from "@sealway/ports"
import type { AlertDependencies } from "./alerts/manage-relay-alerts.ts"
import type { CustomDomainDependencies } from "./domains/dependencies.ts"
import { createDnsQueries } from "./domains/dns-queries.ts"
import { createLocalEdge, type RelayEdge } from "./edge/relay-edge.ts"
import type { ManagementDependencies } from "./management/manage-relays.ts"
import { createRelayDirectory, type RelayDirectory } from "./records/relay-directory.ts"

/** The dependencies of this package's endpoints. */
export interface RelayDependencies
  extends ManagementDependencies,
    CustomDomainDependencies,
    AlertDependencies {
  readonly eventsTable: Table
  readonly directory: Pick<Directory, "app">
}

export interface RelayServices {
  readonly dataRoles: DataRoles
  /** Default: one that knows every domain immediately. */
  readonly edge?: RelayEdge
  /** Default: a new one. A process that also serves relays passes the same. */
  readonly relays?: RelayDirectory
}

type RelayPlatform = Pick<
  Platform,
  | "configTable"
  | "eventsTable"
  | "audit"
  | "events"
  | "draws"
  | "keyring"
  | "directory"
  | "relay"
  | "allowPrivateDestinations"
  | "signIn"
  | "log"
  | "now"
  | "wallClock"
>

/** @throws Error when the configuration does not say where relays are served */
export function createRelayDependencies(
  platform: RelayPlatform,
  { dataRoles, edge = createLocalEdge(), relays }: RelayServices,
): RelayDependencies {
  const { configTable, eventsTable, audit, events, draws, keyring, directory, log, wallClock, now } = platform
  if (platform.relay === null) throw new Error("The configuration has no relay domain")
  const { domain: relayDomain, customDomainTarget, dnsServers } = platform.relay
  return {
    configTable,
    eventsTable,
    audit,
    events,
    draws,
    keyring,
    directory,
    log,
    now,
    wallClock,
    dataRoles,
    edge,
    relayDomain,
    customDomainTarget: customDomainTarget.toLowerCase(),
    allowPrivateDestinations: platform.allowPrivateDestinations,
    hasDashboard: platform.signIn.hasDashboard,
    dns: createDnsQueries({ servers: dnsServers }),
    relays: relays ?? createRelayDirectory({ configTable, directory, keyring, relayDomain, now }),
  }
}

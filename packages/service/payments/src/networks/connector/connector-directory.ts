import { type App, CONFIGURATION_TTL_MS } from "@sealway/accounts"
import { createCache } from "@sealway/kernel"
import type { Keyring } from "@sealway/keys"
import type { Table } from "@sealway/ports"
import { secretsInForce } from "./connector.ts"
import type { ConnectorTarget } from "./connector-client.ts"
import { openConnectorSecret, openConnectorTls } from "./connector-seals.ts"
import { findConnector } from "./connector-table.ts"

export interface ConnectorDirectoryDependencies {
  readonly paymentsTable: Table
  readonly keyring: Pick<Keyring, "open">
  /** A monotonic clock, in milliseconds. */
  readonly now: () => number
  /** Epoch milliseconds. */
  readonly wallClock: () => number
}

/** Finds and opens the connectors of apps, and caches them for a few seconds. */
export interface ConnectorDirectory {
  /** Returns null when the app has none. */
  find(app: App): Promise<ConnectorTarget | null>
  /** Drops an app's cached connector, so that it is read again when next needed. */
  forget(appId: string): void
}

const MAX_APPS = 1_000

export function createConnectorDirectory(dependencies: ConnectorDirectoryDependencies): ConnectorDirectory {
  const { paymentsTable, keyring, now, wallClock } = dependencies
  const cache = createCache<ConnectorTarget>({ maxEntries: MAX_APPS, ttlMs: CONFIGURATION_TTL_MS, now })

  async function load(app: App): Promise<ConnectorTarget | null> {
    const connector = await findConnector(paymentsTable, app.id)
    if (connector === null) return null
    const [openTls, ...secrets] = await Promise.all([
      openConnectorTls(keyring, app, connector),
      ...secretsInForce(connector, wallClock()).map((each) => openConnectorSecret(keyring, app, each)),
    ])
    const { id: connectorId, revision, url } = connector
    return { appId: app.id, connectorId, revision, url, secrets, openTls }
  }

  return { find: async (app) => cache.get(app.id, () => load(app)), forget: (appId) => cache.forget(appId) }
}

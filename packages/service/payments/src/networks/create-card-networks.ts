import type { App } from "@sealway/accounts"
import { loadOnce } from "@sealway/kernel"
import type { Keyring } from "@sealway/keys"
import type { Draws, Table } from "@sealway/ports"
import { fingerprintKey } from "@sealway/vault"
import type { CardNetwork, CardNetworkOf } from "./card-network.ts"
import { type ConnectorClient, createConnectorClient } from "./connector/connector-client.ts"
import { type ConnectorDirectory, createConnectorDirectory } from "./connector/connector-directory.ts"
import { withoutConnector } from "./connector/without-connector.ts"
import { createSandboxAccounts, type SandboxAccounts } from "./sandbox/sandbox-accounts.ts"
import { createChallenge } from "./sandbox/three-d-secure/challenge-table.ts"

export interface CardNetworksDependencies {
  readonly paymentsTable: Table
  readonly keyring: Pick<Keyring, "newest" | "open">
  readonly draws: Pick<Draws, "randomBytes">
  readonly allowPrivateDestinations: boolean
  /** A monotonic clock, in milliseconds. */
  readonly now: () => number
  /** Epoch milliseconds. */
  readonly wallClock: () => number
}

/** The networks of all apps, and what stays cached between requests to them. */
export interface CardNetworks {
  readonly cardNetworkOf: CardNetworkOf
  /** @throws ApiError `service-unavailable` when a production app has no connector */
  readonly requireCardNetwork: (app: App) => Promise<void>
  readonly connectors: ConnectorDirectory
  readonly connectorClient: ConnectorClient
  readonly sandboxAccounts: SandboxAccounts
}

const REQUEST_ID_BYTES = 18

export function createCardNetworks(dependencies: CardNetworksDependencies): CardNetworks {
  const { keyring, draws, allowPrivateDestinations, now, wallClock } = dependencies
  const connectors = createConnectorDirectory(dependencies)
  const sandboxAccounts = createSandboxAccounts(dependencies)
  const connectorClient = createConnectorClient({
    allowPrivate: allowPrivateDestinations,
    now,
    wallClock,
    newRequestId: () => `msg_${draws.randomBytes(REQUEST_ID_BYTES).toString("base64url")}`,
  })
  return {
    connectors,
    connectorClient,
    sandboxAccounts,
    cardNetworkOf: (app, clock = wallClock) =>
      networkOnUse(async () => {
        if (app.environment === "production") {
          const { createConnectorNetwork } = await import("./connector/create-connector-network.ts")
          return createConnectorNetwork(connectorClient, app, () => connectors.find(app))
        }
        const { createSandboxNetwork } = await import("./sandbox/create-sandbox-network.ts")
        return createSandboxNetwork({
          app,
          wallClock: clock,
          // Handed in: if what is loaded on use imported the platform, esbuild would bundle all of the platform.
          accounts: sandboxAccounts,
          storeChallenge: (capability, challenge) =>
            createChallenge(dependencies, app, capability, challenge),
          key: () => fingerprintKey(keyring, app),
        })
      }),
    async requireCardNetwork(app) {
      if (app.environment === "production" && (await connectors.find(app)) === null) throw withoutConnector()
    },
  }
}

/** Creates a network that is loaded by the first operation: most requests ask none, and a cold start is shorter without. */
function networkOnUse(load: () => Promise<CardNetwork>): CardNetwork {
  const network = loadOnce(load)
  return {
    bin: async (request) => (await network()).bin(request),
    par: async (request) => (await network()).par(request),
    verify: async (request) => (await network()).verify(request),
    enrolMerchant: async (request) => (await network()).enrolMerchant(request),
    withdrawMerchant: async (request) => (await network()).withdrawMerchant(request),
    registerDomain: async (request) => (await network()).registerDomain(request),
    withdrawDomain: async (request) => (await network()).withdrawDomain(request),
    enrolAcquirer: async (request) => (await network()).enrolAcquirer(request),
    withdrawAcquirer: async (request) => (await network()).withdrawAcquirer(request),
    threeDSRange: async (request) => (await network()).threeDSRange(request),
    authenticate: async (request) => (await network()).authenticate(request),
    registerCard: async (request) => (await network()).registerCard(request),
    deregisterCard: async (request) => (await network()).deregisterCard(request),
    subscribeUpdates: async (request) => (await network()).subscribeUpdates(request),
    unsubscribeUpdates: async (request) => (await network()).unsubscribeUpdates(request),
    watchRetry: async (request) => (await network()).watchRetry(request),
    unwatchRetry: async (request) => (await network()).unwatchRetry(request),
    answerAlert: async (request) => (await network()).answerAlert(request),
    provisionToken: async (request) => (await network()).provisionToken(request),
    tokenStanding: async (request) => (await network()).tokenStanding(request),
    deleteToken: async (request) => (await network()).deleteToken(request),
    cryptogram: async (request) => (await network()).cryptogram(request),
    cardArt: async (request) => (await network()).cardArt(request),
  }
}

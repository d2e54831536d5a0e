import { type App, CONFIGURATION_TTL_MS, type Directory } from "@sealway/accounts"
import { andThen, createBoundedMap, createCache, loadOnce, type MaybePromise } from "@sealway/kernel"
import type { Keyring } from "@sealway/keys"
import { type Grant, OPENING_GRANTS, type Table } from "@sealway/ports"
import { type CompiledRelay, compileRelay } from "@sealway/relay-engine"
import {
  type NamedClientCertificate,
  openClientCertificate,
} from "../client-certificates/client-certificate.ts"
import { destinationKey } from "../relays/destination.ts"
import type { Destination, Relay } from "../relays/relay.ts"
import { isRelaySubdomain, stripRegion } from "../relays/relay-domains.ts"
import { type DomainClaim, findDomainClaim } from "./relay-domain-table.ts"
import { findRelayAt, isDestinationOfSomebody, listRelays } from "./relay-table.ts"

/** The AWS permissions for finding a relay and opening its certificate. */
export const RELAY_DIRECTORY_GRANTS = [
  "dynamodb:GetItem/config",
  ...OPENING_GRANTS,
] as const satisfies readonly Grant[]

/** A relay in the form that requests need. */
export interface ServedRelay {
  readonly relay: Relay
  readonly app: App
  /** Compiled once per revision. */
  readonly compiled: CompiledRelay
  /** Opened on first use, once per revision. Null: the relay has none. */
  clientCertificate(): Promise<NamedClientCertificate | null>
}

export interface DestinationOfApp {
  /** The id of the relay. */
  readonly id: string
  readonly destinationDomain: string
  readonly destination: Destination
}

/** Finds relays, each answer at most `CONFIGURATION_TTL_MS` old. Relays of a disabled app are not found. */
export interface RelayDirectory {
  /**
   * @param host lower case, without port: a relay's own domain, with or without a region label, or a verified custom
   * domain
   */
  byDomain(host: string): MaybePromise<ServedRelay | null>
  byDestination(appId: string, host: string, port: number): MaybePromise<ServedRelay | null>
  /** Newest first. */
  listDestinations(app: App): Promise<readonly DestinationOfApp[]>
  /** Whether a host and port are the destination of some relay, in any app. */
  isDestination(host: string, port: number): Promise<boolean>
  /** Drops a relay from this process's cache. @param domains its domains that have changed owners */
  forget(relay: Pick<Relay, "appId" | "destination">, domains: readonly string[]): void
}

export interface RelayDirectoryDependencies {
  readonly configTable: Table
  readonly directory: Pick<Directory, "app">
  readonly keyring: Pick<Keyring, "open">
  /** The suffix of all relays' domains. */
  readonly relayDomain: string
  /** A monotonic clock, in milliseconds. */
  readonly now: () => number
}

const MAX_RELAYS = 2_000
const MAX_DOMAINS = 10_000
/** The possible hosts: anything else is never looked up. */
const HOST = /^[a-z0-9_.:-]{1,253}$/

/** A claim with derived data, which each request would otherwise compute again. */
interface ClaimedDomain {
  readonly claim: DomainClaim
  readonly domain: string
  /** The place of the relay, see `placeOf`. */
  readonly place: string
  /** Whether it is a relay's domain, as opposed to a customer's own. */
  readonly isRelays: boolean
}

interface Destinations {
  readonly list: readonly DestinationOfApp[]
}

export function createRelayDirectory({
  configTable,
  directory,
  keyring,
  relayDomain,
  now,
}: RelayDirectoryDependencies): RelayDirectory {
  const limits = { ttlMs: CONFIGURATION_TTL_MS, now }
  const claims = createCache<ClaimedDomain>({ ...limits, maxEntries: MAX_DOMAINS })
  const relays = createCache<Relay>({ ...limits, maxEntries: MAX_RELAYS })
  const lists = createCache<Destinations>({ ...limits, maxEntries: MAX_RELAYS })
  const known = createCache<Pick<Destination, "host" | "port">>({ ...limits, maxEntries: MAX_DOMAINS })
  const served = createBoundedMap<ServedRelay>(MAX_RELAYS)

  /** @param key the key of the place, see `placeOf` */
  function find(
    appId: string,
    place: Pick<Destination, "host" | "port">,
    key: string,
  ): MaybePromise<ServedRelay | null> {
    const found = relays.get(key, () => findRelayAt(configTable, appId, place))
    return andThen(found, (relay) => {
      if (relay === null) return null
      return andThen(directory.app(appId), (app) =>
        app === null || app.status === "disabled" ? null : serve(relay, app),
      )
    })
  }

  async function findClaim(domain: string): Promise<ClaimedDomain | null> {
    const claim = await findDomainClaim(configTable, domain)
    if (claim === null) return null
    const isRelays = isRelaySubdomain(domain, relayDomain)
    return { claim, domain, place: placeOf(claim.appId, claim), isRelays }
  }

  function findClaimed({ claim, domain, place, isRelays }: ClaimedDomain): MaybePromise<ServedRelay | null> {
    return andThen(find(claim.appId, claim, place), (found) => {
      if (found === null) return null
      // A claim can outlive its relay, and another relay with another domain may then be at the destination.
      const isOwn = isRelays ? found.relay.relayDomain === domain : found.relay.id === claim.relayId
      return isOwn ? found : null
    })
  }

  function serve(relay: Relay, app: App): ServedRelay {
    const last = served.get(relay.id)
    const isSame =
      last !== undefined && last.relay.revision === relay.revision && last.app.revision === app.revision
    if (isSame) return last
    const made: ServedRelay = {
      relay,
      app,
      compiled: compileRelay(relay),
      clientCertificate: loadOnce(() => open(relay, app)),
    }
    served.set(relay.id, made)
    return made
  }

  async function open(relay: Relay, app: App): Promise<NamedClientCertificate | null> {
    if (relay.clientCertificate === null) return null
    const certificate = await openClientCertificate(keyring, app, relay, relay.clientCertificate)
    return { id: `${relay.id}/${relay.clientCertificate.fingerprint}`, certificate }
  }

  return {
    byDomain(host) {
      if (!HOST.test(host)) return null
      const domain = stripRegion(host, relayDomain)
      const claimed = claims.get(domain, () => findClaim(domain))
      return andThen(claimed, (found) => (found === null ? null : findClaimed(found)))
    },

    byDestination(appId, host, port) {
      if (!HOST.test(host)) return null
      const place = { host, port }
      return find(appId, place, placeOf(appId, place))
    },

    async listDestinations(app) {
      const found = await lists.get(app.id, async () => ({
        list: (await listRelays(configTable, app.id))
          .map(({ id, destinationDomain, destination }) => ({ id, destinationDomain, destination }))
          .sort((left, right) => (left.id < right.id ? 1 : -1)),
      }))
      return found?.list ?? []
    },

    async isDestination(host, port) {
      if (!HOST.test(host)) return false
      const place = { host, port }
      const load = async () => ((await isDestinationOfSomebody(configTable, place)) ? place : null)
      return (await known.get(destinationKey(place), load)) !== null
    },

    forget({ appId, destination }, domains) {
      relays.forget(placeOf(appId, destination))
      lists.forget(appId)
      known.forget(destinationKey(destination))
      for (const domain of domains) claims.forget(domain)
    },
  }
}

function placeOf(appId: string, place: Pick<Destination, "host" | "port">): string {
  return `${appId}/${destinationKey(place)}`
}

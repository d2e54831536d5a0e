import type { App } from "@sealway/accounts"
import type { ClientCertificateInput } from "@sealway/http/client-certificates"
import { type Clocks, ConflictError, type FieldProblem, InvalidRequestError } from "@sealway/kernel"
import type { Keyring } from "@sealway/keys"
import type { DataRoles } from "@sealway/policies"
import { type Draws, keepWithinLimit, type Table } from "@sealway/ports"
import { type AuditAuthor, type AuditEntry, type AuditLog, audited } from "@sealway/records"
import { optionsOf, type RelayOptions, type Route } from "@sealway/relay-engine"
import { removeRelayAlerts } from "../alerts/relay-alert-table.ts"
import { sealClientCertificate } from "../client-certificates/client-certificate.ts"
import { giveUpDomain } from "../domains/custom-domain-claims.ts"
import { listCustomDomains, removeCustomDomain } from "../domains/custom-domain-table.ts"
import type { RelayDirectory } from "../records/relay-directory.ts"
import { findDomainClaim, releaseDomain } from "../records/relay-domain-table.ts"
import {
  createRelay,
  findRelayAt,
  type ListedRelay,
  listRelays,
  removeRelay as removeRecord,
  replaceRelay,
} from "../records/relay-table.ts"
import { requireListedRelay, requireRelay } from "../records/require-relay.ts"
import { destinationKey, parseDestination } from "../relays/destination.ts"
import type { Destination, Relay } from "../relays/relay.ts"
import { isRelaySubdomain, relayDomainsOf } from "../relays/relay-domains.ts"
import { routeProblems, selectionsOf } from "./check-routes.ts"
import { askEdge, claimFirst, type EdgeDependencies } from "./own-domain.ts"

export interface ManagementDependencies extends EdgeDependencies, Clocks {
  readonly audit: AuditLog
  readonly draws: Draws
  readonly keyring: Keyring
  readonly dataRoles: DataRoles
  /** Notified when a relay changes, so that this process drops its cache immediately. */
  readonly relays: RelayDirectory
  /** The suffix of relays' own domains. */
  readonly relayDomain: string
  /** Whether destinations may be private addresses, and be reached without TLS. */
  readonly allowPrivateDestinations: boolean
}

/** The maximum number of relays of an app. */
const MAX_RELAYS = 200
const TOO_MANY = `The app has ${MAX_RELAYS} relays, the maximum.`

/** The changeable settings of a relay. */
export interface RelaySettings
  extends RelayOptions,
    Pick<Relay, "routes" | "authentication" | "rewriteLocations" | "forwardedHeaders" | "serverTiming"> {
  readonly clientCertificate: ClientCertificateInput | null
}

/** Returns a relay, asking the edge again if it was not ready. @throws NotFoundError */
export async function showRelayNow(
  dependencies: EdgeDependencies,
  app: App,
  id: string,
): Promise<ListedRelay> {
  const found = await requireListedRelay(dependencies, app, id)
  if (found.domainStatus === "active") return found
  return { ...found, domainStatus: await askEdge(dependencies, found, false) }
}

/**
 * Creates a relay, and registers its domain at the edge.
 *
 * @throws InvalidRequestError when the destination, the routes or the client certificate are invalid, ConflictError
 * when the app has a relay for the destination, or the maximum number of relays
 */
export async function addRelay(
  dependencies: ManagementDependencies,
  app: App,
  { destinationDomain, clientCertificate, ...settings }: RelaySettings & Pick<Relay, "destinationDomain">,
  author: AuditAuthor,
): Promise<ListedRelay> {
  const { configTable, keyring, audit, draws, relays, relayDomain, wallClock } = dependencies
  const destination = requireDestination(dependencies, destinationDomain)
  await refuseUnfitRoutes(dependencies, app, settings.routes)
  if ((await findRelayAt(configTable, app.id, destination)) !== null) throw destinationTaken()
  if ((await listRelays(configTable, app.id)).length >= MAX_RELAYS) throw new ConflictError(TOO_MANY)
  const createdAt = wallClock()
  const id = draws.newId("relay", createdAt)
  const place = { id, destination }
  const made = {
    id,
    teamId: app.teamId,
    appId: app.id,
    destination,
    ...settings,
    destinationDomain: destinationDomain.replace(/^https:\/\//, ""),
    clientCertificate:
      clientCertificate &&
      (await sealClientCertificate(keyring, app, place, clientCertificate, dependencies)),
    // A later relay at the same destination never has a revision of the earlier one.
    createdAt,
    updatedAt: createdAt,
    revision: createdAt,
  }
  return audited(audit, entryOf(made, "create", author), async () => {
    const domains = relayDomainsOf(destination, app.id, relayDomain)
    const relay: Relay = { ...made, relayDomain: await claimFirst(configTable, made, domains) }
    if (!(await createRelay(configTable, relay))) throw destinationTaken()
    await keepWithinLimit({
      id,
      count: async () => {
        const ids = (await listRelays(configTable, app.id)).map((each) => each.id)
        return [{ ids, max: MAX_RELAYS, refusal: TOO_MANY }]
      },
      undo: async () => {
        await releaseRelay(configTable, relay)
        return true
      },
    })
    // The removal of an earlier relay at the destination may have released the domain since it was claimed.
    await claimFirst(configTable, relay, [relay.relayDomain])
    relays.forget(relay, [relay.relayDomain])
    return { relay, domainStatus: await askEdge(dependencies, { relay, domainStatus: "pending" }, true) }
  })
}

/**
 * Changes a relay. Settings that are not given stay the same; given ones are replaced as a whole. Repeats what the
 * relay's creation may not have completed: claiming its domain, and registering it at the edge.
 *
 * @throws NotFoundError when the app has no such relay, InvalidRequestError as `addRelay`, ConflictError when another
 * call changes the relay at the same time
 */
export async function changeRelay(
  dependencies: ManagementDependencies,
  app: App,
  id: string,
  { clientCertificate, ...changes }: Partial<RelaySettings>,
  author: AuditAuthor,
): Promise<ListedRelay> {
  const { configTable, keyring, audit, relays, wallClock } = dependencies
  const found = await requireListedRelay(dependencies, app, id)
  if (changes.routes !== undefined) await refuseUnfitRoutes(dependencies, app, changes.routes)
  const updatedAt = wallClock()
  const changed: Relay = {
    ...found.relay,
    ...changes,
    ...(clientCertificate !== undefined && {
      clientCertificate:
        clientCertificate &&
        (await sealClientCertificate(keyring, app, found.relay, clientCertificate, dependencies)),
    }),
    updatedAt,
  }
  return audited(audit, entryOf(changed, "update", author), async () => {
    if (!(await replaceRelay(configTable, changed))) {
      throw new ConflictError("Another request is changing this relay. Try again.")
    }
    const relay = { ...changed, revision: changed.revision + 1 }
    if ((await findDomainClaim(configTable, relay.relayDomain)) === null) {
      await claimFirst(configTable, relay, [relay.relayDomain])
    }
    relays.forget(relay, [relay.relayDomain])
    if (found.domainStatus === "active") return { relay, domainStatus: "active" }
    return { relay, domainStatus: await askEdge(dependencies, { ...found, relay }, true) }
  })
}

/**
 * Removes a relay with everything that belongs to it. If interrupted, the relay still exists, and another call removes
 * it.
 *
 * @throws NotFoundError when the app has no such relay
 */
export async function removeRelay(
  dependencies: ManagementDependencies,
  app: App,
  id: string,
  author: AuditAuthor,
): Promise<void> {
  const { configTable, audit, edge, relays } = dependencies
  const relay = await requireRelay(dependencies, app, id)
  await audited(audit, entryOf(relay, "delete", author), async () => {
    const customDomains = await listCustomDomains(configTable, app.id, id)
    for (const each of customDomains) {
      await giveUpDomain(dependencies, each)
      await removeCustomDomain(configTable, each)
    }
    await removeRelayAlerts(configTable, app.id, id)
    await edge.detach(relay.relayDomain)
    await releaseRelay(configTable, relay)
    relays.forget(relay, [relay.relayDomain, ...customDomains.map(({ domain }) => domain)])
  })
}

/** Removes a relay's record and releases its domain. Safe to repeat. */
async function releaseRelay(configTable: Table, relay: Relay): Promise<void> {
  const { appId, id: relayId, relayDomain } = relay
  // Before the relay itself: a later one at the destination then finds the domain free, or claims it again.
  await releaseDomain(configTable, relayDomain, { appId, relayId, customDomainId: null })
  await removeRecord(configTable, relay)
}

function requireDestination(
  { allowPrivateDestinations, relayDomain }: ManagementDependencies,
  text: string,
): Destination {
  const refuse = (reason: string): never => {
    throw new InvalidRequestError("The destination is invalid.", {
      fields: [{ pointer: "/destinationDomain", reason }],
    })
  }
  const parsed = parseDestination(text, { allowPrivate: allowPrivateDestinations })
  if (!parsed.ok) return refuse(parsed.reason)
  const { host } = parsed.destination
  if (host === relayDomain || isRelaySubdomain(host, relayDomain))
    return refuse("The destination must not be a relay.")
  return parsed.destination
}

async function refuseUnfitRoutes(
  { dataRoles }: ManagementDependencies,
  app: App,
  routes: readonly Route[],
): Promise<void> {
  const problems: FieldProblem[] = [...routeProblems(routes)]
  // Another process may have just created the role.
  dataRoles.forget(app.id)
  for (const { pointer, selection } of selectionsOf(routes)) {
    if (selection.role === null) continue
    const role = await dataRoles.find(app, selection.role)
    const reason =
      role === null
        ? "The app has no data role with this slug."
        : "The data role is archived and can no longer encrypt values."
    if (role === null || role.archived) problems.push({ pointer: `${pointer}/role`, reason })
  }
  if (problems.length > 0) throw new InvalidRequestError("The routes are invalid.", { fields: problems })
}

function destinationTaken(): ConflictError {
  return new ConflictError("The app already has a relay for this destination.")
}

function entryOf(relay: Omit<Relay, "relayDomain">, verb: string, author: AuditAuthor): AuditEntry {
  const { id, teamId, appId, destination, routes, authentication, clientCertificate } = relay
  const { rewriteLocations, forwardedHeaders, serverTiming } = relay
  return {
    ...author,
    teamId,
    appId,
    action: `relay.${verb}`,
    target: { type: "relay", id },
    details: {
      destination: destinationKey(destination),
      routes: routes.length,
      authentication,
      ...optionsOf(relay),
      passContentTypes: relay.passContentTypes.join(", "),
      rewriteLocations,
      forwardedHeaders,
      serverTiming,
      clientCertificate: clientCertificate?.fingerprint ?? null,
    },
  }
}

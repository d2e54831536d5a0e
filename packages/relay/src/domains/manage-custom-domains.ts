import { ConflictError, InvalidRequestError, isId, NotFoundError } from "@sealway/kernel"
import {
  type App,
  type AuditAuthor,
  type AuditEntry,
  type AuditLog,
  audited,
  type Draws,
  keepWithinLimit,
  type Log,
  type Table,
} from "@sealway/platform"
import type { DomainStatus, RelayEdge } from "../edge/relay-edge.ts"
import type { RelayDirectory } from "../records/relay-directory.ts"
import {
  claimDomain,
  type DomainClaim,
  findDomainClaim,
  releaseDomain,
} from "../records/relay-domain-table.ts"
import { requireRelay } from "../records/require-relay.ts"
import type { Relay } from "../relays/relay.ts"
import { checkDomain, type DomainCheck } from "./check-domain.ts"
import { type CustomDomain, parseCustomDomain, txtNameOf, txtTokenOf } from "./custom-domain.ts"
import {
  createCustomDomain,
  findCustomDomain,
  listCustomDomains,
  removeCustomDomain as removeRecord,
  replaceCustomDomain,
} from "./custom-domain-table.ts"
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

/** The maximum number of custom domains of a relay. */
const MAX_CUSTOM_DOMAINS = 50
const TOO_MANY = `The relay has ${MAX_CUSTOM_DOMAINS} custom domains, which is as many as a relay can have.`

/** @throws NotFoundError when the app has no such relay, or the relay no such domain */
async function requireCustomDomain(
  { configTable }: Pick<CustomDomainDependencies, "configTable">,
  app: App,
  relayId: string,
  id: string,
): Promise<CustomDomain> {
  const isPossible = isId("relay", relayId) && isId("custom_domain", id)
  const found = isPossible ? await findCustomDomain(configTable, { appId: app.id, relayId, id }) : null
  if (found === null) throw new NotFoundError("The custom domain")
  return found
}

/** @throws NotFoundError when the app has no such relay */
export async function listDomainsOf(
  dependencies: Pick<CustomDomainDependencies, "configTable">,
  app: App,
  relayId: string,
): Promise<readonly CustomDomain[]> {
  const { id } = await requireRelay(dependencies, app, relayId)
  return listCustomDomains(dependencies.configTable, app.id, id)
}

/** Returns a custom domain, asking the edge again if it was not ready. @throws NotFoundError */
export async function showCustomDomainNow(
  dependencies: CustomDomainDependencies,
  app: App,
  relayId: string,
  id: string,
): Promise<CustomDomain> {
  const { configTable } = dependencies
  const found = await requireCustomDomain(dependencies, app, relayId, id)
  if (found.status !== "verified") return found
  const claim = await findDomainClaim(configTable, found.domain)
  if (claim?.customDomainId !== id || (await statusAtEdge(dependencies, found, false)) !== "active")
    return found
  const active = { ...found, status: "active", problem: null, updatedAt: dependencies.wallClock() } as const
  return (await replaceCustomDomain(configTable, active)) ?? found
}

/**
 * Adds a custom domain.
 *
 * @throws NotFoundError when the app has no such relay, InvalidRequestError when the domain is not allowed,
 * ConflictError when the relay already has it, has the maximum number, or another relay has verified it
 */
export async function addCustomDomain(
  dependencies: CustomDomainDependencies,
  app: App,
  relayId: string,
  text: string,
  author: AuditAuthor,
): Promise<CustomDomain> {
  const { configTable, audit, draws, relayDomain, wallClock } = dependencies
  const relay = await requireRelay(dependencies, app, relayId)
  const parsed = parseCustomDomain(text, relayDomain)
  if (!parsed.ok) {
    throw new InvalidRequestError(parsed.reason, { fields: [{ pointer: "/domain", reason: parsed.reason }] })
  }
  const { domain } = parsed
  const others = await listCustomDomains(configTable, app.id, relay.id)
  if (others.some((each) => each.domain === domain)) throw new ConflictError("The relay has this domain.")
  if (others.length >= MAX_CUSTOM_DOMAINS) throw new ConflictError(TOO_MANY)
  const claim = await findDomainClaim(configTable, domain)
  if (claim !== null && (await isInUse(dependencies, claim))) {
    throw new ConflictError("Another relay has this domain, and has verified it.")
  }
  const createdAt = wallClock()
  const made: CustomDomain = {
    id: draws.newId("custom_domain", createdAt),
    ...{ appId: app.id, relayId: relay.id, domain, status: "pending", problem: null, checkedAt: null },
    ...{ createdAt, updatedAt: createdAt, revision: 1 },
  }
  return audited(audit, entryOf(app, made, "create", author), async () => {
    if (!(await createCustomDomain(configTable, made))) throw new Error("The new custom domain's id is taken")
    await keepWithinLimit({
      id: made.id,
      count: async () => {
        const ids = (await listCustomDomains(configTable, app.id, relay.id)).map(({ id }) => id)
        return [{ ids, max: MAX_CUSTOM_DOMAINS, refusal: TOO_MANY }]
      },
      undo: async () => {
        await removeRecord(configTable, made)
        return true
      },
    })
    return made
  })
}

/**
 * Checks the domain's records in DNS and applies the result: it leads to the relay from then on, or, if it did and its
 * records are now wrong, no longer does. If DNS gives no answer, nothing changes.
 *
 * @throws NotFoundError when the app has no such relay, or the relay no such domain, ConflictError when another call
 * changes it at the same time
 */
export async function verifyCustomDomain(
  dependencies: CustomDomainDependencies,
  app: App,
  relayId: string,
  id: string,
  author: AuditAuthor,
): Promise<CustomDomain> {
  const { audit, dns, customDomainTarget, relays } = dependencies
  const relay = await requireRelay(dependencies, app, relayId)
  const found = await requireCustomDomain(dependencies, app, relayId, id)
  const { domain } = found
  const token = txtTokenOf(app.id, domain)
  const check = await checkDomain(dns, { domain, token, target: customDomainTarget })
  const entry = entryOf(app, found, "verify", author)
  const details = { domain, outcome: check.outcome === "right" ? check.outcome : check.problem }
  return audited(audit, { ...entry, details }, async () => {
    try {
      return await conclude(dependencies, relay, found, check)
    } finally {
      relays.forget(relay, [domain])
    }
  })
}

/** Removes a custom domain. @throws NotFoundError when the app has no such relay, or the relay no such domain */
export async function removeCustomDomain(
  dependencies: CustomDomainDependencies,
  app: App,
  relayId: string,
  id: string,
  author: AuditAuthor,
): Promise<void> {
  const { audit, configTable, relays } = dependencies
  const relay = await requireRelay(dependencies, app, relayId)
  const found = await requireCustomDomain(dependencies, app, relayId, id)
  await audited(audit, entryOf(app, found, "delete", author), async () => {
    await giveUpDomain(dependencies, found)
    await removeRecord(configTable, found)
    relays.forget(relay, [found.domain])
  })
}

async function conclude(
  dependencies: CustomDomainDependencies,
  relay: Relay,
  found: CustomDomain,
  check: DomainCheck,
): Promise<CustomDomain> {
  const { configTable, wallClock } = dependencies
  const nowMs = wallClock()
  const checked = { ...found, checkedAt: nowMs, updatedAt: nowMs }
  if (check.outcome === "unknown") return write(dependencies, { ...checked, problem: check.problem })
  if (check.outcome === "wrong") {
    await giveUpDomain(dependencies, found)
    return write(dependencies, { ...checked, status: "failed", problem: check.problem })
  }
  // Written before the claim: of two concurrent calls, the one that claims first is then seen as verified.
  const verified = await write(dependencies, {
    ...checked,
    status: found.status === "active" ? "active" : "verified",
    problem: null,
  })
  const claim = {
    ...{ appId: found.appId, relayId: relay.id, customDomainId: found.id, revision: nowMs },
    ...{ host: relay.destination.host, port: relay.destination.port },
  }
  const mayReplace = async (standing: DomainClaim) =>
    standing.customDomainId === found.id || !(await isInUse(dependencies, standing))
  if ((await claimDomain(configTable, found.domain, claim, mayReplace)) !== null) {
    return write(dependencies, { ...verified, status: "failed", problem: "taken" })
  }
  const status = await statusAtEdge(dependencies, found, true)
  return write(dependencies, {
    ...verified,
    status: status === "active" ? "active" : "verified",
    problem: status === "failed" ? "edge-failed" : null,
  })
}

async function write({ configTable }: CustomDomainDependencies, domain: CustomDomain): Promise<CustomDomain> {
  const written = await replaceCustomDomain(configTable, domain)
  if (written === null) throw new ConflictError("Another call changes this custom domain at the same time.")
  return written
}

/**
 * Detaches a domain from the edge and releases it, if it is this relay's. A relay that only requested a domain must not
 * take it from the app that has it.
 */
export async function giveUpDomain(
  { configTable, edge }: Pick<CustomDomainDependencies, "configTable" | "edge">,
  { appId, relayId, id, domain }: CustomDomain,
): Promise<void> {
  const claim = await findDomainClaim(configTable, domain)
  // The edge knows a domain once, whoever has it.
  if (claim === null || claim.customDomainId === id) await edge.detach(domain)
  await releaseDomain(configTable, domain, { appId, relayId, customDomainId: id })
}

/**
 * Whether a claimed domain is still its relay's and verified: its app's text must still be in DNS, or the domain's next
 * owner could never have it. If DNS gives no answer, it counts as in use.
 */
async function isInUse(
  { configTable, dns }: CustomDomainDependencies,
  { appId, relayId, customDomainId }: DomainClaim,
): Promise<boolean> {
  if (customDomainId === null) return true
  const holder = await findCustomDomain(configTable, { appId, relayId, id: customDomainId })
  if (holder === null || (holder.status !== "verified" && holder.status !== "active")) return false
  const texts = await dns.txt(txtNameOf(holder.domain))
  return !texts.ok || texts.records.some((text) => text.trim() === txtTokenOf(appId, holder.domain))
}

async function statusAtEdge(
  { edge, log }: Pick<CustomDomainDependencies, "edge" | "log">,
  { domain }: CustomDomain,
  isToAttach: boolean,
): Promise<DomainStatus> {
  try {
    if (isToAttach) await edge.attach(domain)
    return await edge.status(domain)
  } catch (error) {
    log.warn("the edge could not be asked about a custom domain", { error })
    return "failed"
  }
}

function entryOf(
  app: App,
  { id, relayId, domain }: CustomDomain,
  verb: string,
  author: AuditAuthor,
): AuditEntry {
  return {
    ...author,
    teamId: app.teamId,
    appId: app.id,
    action: `relay-custom-domain.${verb}`,
    target: { type: "relay-custom-domain", id },
    details: { domain, relay: relayId },
  }
}

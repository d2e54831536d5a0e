import type { App } from "@sealway/accounts"
import { ConflictError, type Task } from "@sealway/kernel"
import { type AuditAuthor, audited } from "@sealway/records"
import { requireRelay } from "../records/require-relay.ts"
import type { Relay } from "../relays/relay.ts"
import { checkDomain, type DomainCheck } from "./check-domain.ts"
import { type CustomDomain, txtTokenOf } from "./custom-domain.ts"
import { claimForRelay, giveUpDomain } from "./custom-domain-claims.ts"
import { customDomainRecords } from "./custom-domain-table.ts"
import type { CustomDomainDependencies } from "./dependencies.ts"
import { attachToEdge } from "./domain-at-edge.ts"
import { CHANGED_MEANWHILE, entryOf, requireCustomDomain } from "./manage-custom-domains.ts"

/**
 * Checks the domain's records in DNS and applies the result: it leads to the relay from then on, or, if it did and its
 * records are now wrong, no longer does. If DNS gives no answer, or nobody waits for it any more, nothing changes.
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
  { signal }: Pick<Task, "signal">,
): Promise<CustomDomain> {
  const { audit, dns, customDomainTarget, relays } = dependencies
  const relay = await requireRelay(dependencies, app, relayId)
  const found = await requireCustomDomain(dependencies, app, relayId, id)
  const { domain } = found
  const token = txtTokenOf(app.id, domain)
  const check = await checkDomain(dns, { domain, token, target: customDomainTarget }, signal)
  const details = { domain, outcome: check.outcome === "right" ? check.outcome : check.problem }
  return audited(audit, { ...entryOf(app, found, "verify", author), details }, async () => {
    try {
      return await conclude(dependencies, relay, found, check)
    } finally {
      relays.forget(relay, [domain])
    }
  })
}

async function conclude(
  dependencies: CustomDomainDependencies,
  relay: Relay,
  found: CustomDomain,
  check: DomainCheck,
): Promise<CustomDomain> {
  const nowMs = dependencies.wallClock()
  const checked: CustomDomain = { ...found, checkedAt: nowMs, updatedAt: nowMs }
  switch (check.outcome) {
    case "unknown":
      return write(dependencies, { ...checked, problem: check.problem })
    case "wrong":
      await giveUpDomain(dependencies, found)
      return write(dependencies, { ...checked, status: "failed", problem: check.problem })
    case "right":
      return takeDomain(dependencies, relay, checked)
  }
}

/** Claims a domain whose records are right, and attaches it to the edge. */
async function takeDomain(
  dependencies: CustomDomainDependencies,
  relay: Relay,
  checked: CustomDomain,
): Promise<CustomDomain> {
  const status = checked.status === "active" ? "active" : "verified"
  // Written before the claim: of two concurrent calls, the one that claims first is then seen as verified.
  const verified = await write(dependencies, { ...checked, status, problem: null })
  if (!(await claimForRelay(dependencies, verified, relay))) {
    return write(dependencies, { ...verified, status: "failed", problem: "taken" })
  }
  const atEdge = await attachToEdge(dependencies, verified.domain)
  return write(dependencies, {
    ...verified,
    status: atEdge === "active" ? "active" : "verified",
    problem: atEdge === "failed" ? "edge-failed" : null,
  })
}

async function write({ configTable }: CustomDomainDependencies, domain: CustomDomain): Promise<CustomDomain> {
  const written = await customDomainRecords.replace(configTable, domain.appId, domain)
  if (written === null) throw new ConflictError(CHANGED_MEANWHILE)
  return written
}

import { ConflictError } from "@sealway/kernel"
import type { Log, Table } from "@sealway/ports"
import type { DomainStatus, RelayEdge } from "../edge/relay-edge.ts"
import { claimDomain } from "../records/relay-domain-table.ts"
import { type ListedRelay, putDomainStatus } from "../records/relay-table.ts"
import type { Relay } from "../relays/relay.ts"

/** Returns the first of the domains that no other relay has, and claims it. */
export async function claimFirst(
  configTable: Table,
  {
    id,
    appId,
    destination: { host, port },
    createdAt,
  }: Pick<Relay, "id" | "appId" | "destination" | "createdAt">,
  domains: readonly string[],
): Promise<string> {
  const claim = { appId, relayId: id, host, port, customDomainId: null, revision: createdAt }
  for (const domain of domains) {
    const standing = await claimDomain(
      configTable,
      domain,
      claim,
      async (other) => other.appId === appId && other.host === host && other.port === port,
    )
    if (standing === null) return domain
  }
  throw new ConflictError("All possible relay domains of this destination are taken.")
}

export interface EdgeDependencies {
  readonly configTable: Table
  readonly edge: RelayEdge
  readonly log: Pick<Log, "warn">
}

/** If the edge cannot answer now, returns `failed`; it is asked again when the relay is changed. */
export async function askEdge(
  { edge, configTable, log }: EdgeDependencies,
  { relay, domainStatus }: ListedRelay,
  isToAttach: boolean,
): Promise<DomainStatus> {
  let status: DomainStatus
  try {
    if (isToAttach) await edge.attach(relay.relayDomain)
    status = await edge.status(relay.relayDomain)
  } catch (error) {
    log.warn("could not ask the edge about a relay's domain", { error })
    status = "failed"
  }
  if (status !== domainStatus) await putDomainStatus(configTable, relay, status)
  return status
}

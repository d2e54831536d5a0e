import type { DomainStatus } from "../edge/relay-edge.ts"
import type { CustomDomainDependencies } from "./dependencies.ts"

/** Attaches a custom domain to the edge, and returns its status there: `failed` when the edge gives no answer. */
export function attachToEdge(
  dependencies: Pick<CustomDomainDependencies, "edge" | "log">,
  domain: string,
): Promise<DomainStatus> {
  return orFailed(dependencies, async (edge) => {
    await edge.attach(domain)
    return edge.status(domain)
  })
}

/** Returns the status of a custom domain at the edge: `failed` when the edge gives no answer. */
export function statusAtEdge(
  dependencies: Pick<CustomDomainDependencies, "edge" | "log">,
  domain: string,
): Promise<DomainStatus> {
  return orFailed(dependencies, (edge) => edge.status(domain))
}

async function orFailed(
  { edge, log }: Pick<CustomDomainDependencies, "edge" | "log">,
  ask: (edge: CustomDomainDependencies["edge"]) => Promise<DomainStatus>,
): Promise<DomainStatus> {
  try {
    return await ask(edge)
  } catch (error) {
    log.warn("could not ask the edge about a custom domain", { error })
    return "failed"
  }
}

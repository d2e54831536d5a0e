import type { Cedar, LoadCedar } from "./cedar.ts"
import { createPolicyEngine, type PolicyEngine, type PolicyEngineOptions } from "./policy-engine.ts"

/** Cedar, and an engine over it. */
export interface CedarSession {
  readonly cedar: Cedar
  readonly engine: PolicyEngine
}

/** Gives one session, and loads Cedar when it is first asked for. A load that failed is tried again. */
export function createCedarSession(
  load: LoadCedar,
  options: PolicyEngineOptions = {},
): () => Promise<CedarSession> {
  let session: Promise<CedarSession> | null = null
  return () => {
    if (session !== null) return session
    const loading = load().then((cedar) => ({ cedar, engine: createPolicyEngine(cedar, options) }))
    session = loading
    loading.catch(() => {
      session = null
    })
    return loading
  }
}

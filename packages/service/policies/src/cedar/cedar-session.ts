import type { Cedar, InstantiateCedar } from "./cedar.ts"
import { type CedarTrapError, guardCedar } from "./guard-cedar.ts"
import { createPolicyEngine, type PolicyEngine, type PolicyEngineOptions } from "./policy-engine.ts"

/** Cedar and an engine on top of it. They keep working when an instance of Cedar fails. */
export interface CedarSession {
  /**
   * Returns the current instance: the same until one of its calls traps, which throws `CedarTrapError`, then a new one.
   * Call it for each use, because the calls of a replaced instance throw.
   *
   * @throws what loading Cedar throws; the next call tries again
   */
  readonly cedar: () => Cedar
  readonly engine: PolicyEngine
}

/**
 * Creates a session. Cedar is loaded on first use. No two sessions share an instance: a trap in one does not affect the
 * other.
 */
export function createCedarSession(
  instantiate: InstantiateCedar,
  options: PolicyEngineOptions = {},
): CedarSession {
  let instance: Cedar | null = null
  const giveUp = (error: CedarTrapError) => {
    instance = null
    options.onFailure?.(error)
  }
  const cedar = () => {
    instance ??= guardCedar(instantiate(), giveUp)
    return instance
  }
  return { cedar, engine: createPolicyEngine(cedar, options) }
}

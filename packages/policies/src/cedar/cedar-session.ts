import type { Cedar, InstantiateCedar } from "./cedar.ts"
import { type CedarTrapError, guardCedar } from "./guard-cedar.ts"
import { createPolicyEngine, type PolicyEngine, type PolicyEngineOptions } from "./policy-engine.ts"

/** Cedar, and an engine over it, that go on working when an instance of Cedar does not. */
export interface CedarSession {
  /**
   * The instance in use: the same until one of its calls traps, which throws `CedarTrapError`, then a new one. Ask for
   * it at each use, because the calls of an instance that was given up throw.
   *
   * @throws what loading Cedar throws; it is tried again at the next call
   */
  readonly cedar: () => Cedar
  readonly engine: PolicyEngine
}

/** Cedar is loaded when it is first asked for. No two sessions share an instance: a trap in one does not reach the other. */
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

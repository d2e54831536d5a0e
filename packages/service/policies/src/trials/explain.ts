import { setImmediate } from "node:timers/promises"
import type { Question } from "../cedar/authorization-request.ts"
import type { PolicyEngine } from "../cedar/policy-engine.ts"
import type { Budget } from "../rules/conditions.ts"
import type { Effect, NamedRule } from "../rules/data-policy.ts"
import type { Verdict } from "../rules/decision.ts"
import { policySetOf } from "../rules/policy-set.ts"

export interface PolicyExplanation {
  readonly id: string
  readonly name: string
  readonly effect: Effect
  /** True when the policy applies. */
  readonly matched: boolean
  /** True when this policy determined the decision. */
  readonly decided: boolean
  /** Why it does not: names of conditions, such as `time.daily`, or `cedar`. */
  readonly failedConditions: readonly string[]
  /** The budget of the policy. It is neither checked nor spent here. */
  readonly budget: Budget | null
}

export interface Explanation extends Omit<Verdict, "policyIds"> {
  readonly policies: readonly PolicyExplanation[]
}

/**
 * Explains what policies would decide, and why. The decision is the engine's own. Yields to others between policies.
 */
export async function explain(
  engine: PolicyEngine,
  rules: readonly NamedRule[],
  question: Question,
): Promise<Explanation> {
  const set = policySetOf(rules)
  await engine.prepare(set)
  const { policyIds, ...verdict } = engine.decide(set, question)
  const policies: PolicyExplanation[] = []
  for (const rule of rules) {
    await setImmediate()
    const { id, name, effect, conditions } = rule
    const decided = policyIds.includes(id)
    const budget = conditions?.budget ?? null
    policies.push({ id, name, effect, ...engine.match(rule, question), decided, budget })
  }
  return { ...verdict, policies }
}

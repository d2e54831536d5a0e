import type { Question } from "./cedar/authorization-request.ts"
import type { PolicyEngine } from "./cedar/policy-engine.ts"
import type { Budget } from "./conditions.ts"
import type { Effect, NamedRule } from "./data-policy.ts"
import type { Verdict } from "./decision.ts"
import { policySetOf } from "./policy-set.ts"

export interface PolicyExplanation {
  readonly id: string
  readonly name: string
  readonly effect: Effect
  /** True when the policy applies. */
  readonly matched: boolean
  /** True when the decision is this policy's doing. */
  readonly decided: boolean
  /** Why it does not: names of conditions, such as `time.daily`, or `cedar`. */
  readonly failedConditions: readonly string[]
  /** What the policy permits at most; it is neither looked at nor spent here. */
  readonly budget: Budget | null
}

export interface Explanation extends Omit<Verdict, "policyIds"> {
  readonly policies: readonly PolicyExplanation[]
}

/** What policies would decide, and why. The decision is the engine's own. */
export function explain(engine: PolicyEngine, rules: readonly NamedRule[], question: Question): Explanation {
  const { policyIds, ...verdict } = engine.decide(policySetOf(rules), question)
  const matches = rules.length === 0 ? [] : engine.match(rules, question)
  const policies = rules.map(({ id, name, effect, conditions }, index) => ({
    id,
    name,
    effect,
    matched: matches[index]?.matched ?? false,
    decided: policyIds.includes(id),
    failedConditions: matches[index]?.failedConditions ?? [],
    budget: conditions?.budget ?? null,
  }))
  return { ...verdict, policies }
}

import { setImmediate } from "node:timers/promises"
import type { Question } from "../cedar/authorization-request.ts"
import { decideOutcome } from "../cedar/decide-outcome.ts"
import type { Match, PolicyEngine } from "../cedar/policy-engine.ts"
import type { Budget } from "../rules/conditions.ts"
import type { Effect, NamedRule } from "../rules/data-policy.ts"
import type { OutcomeVerdict } from "../rules/decision.ts"
import { policySetOf } from "../rules/policy-set.ts"
import type { RevealLevel } from "../rules/reveal.ts"

export interface PolicyExplanation {
  readonly id: string
  readonly name: string
  readonly effect: Effect
  /** What it is about; null for the default of its effect, and for a policy in Cedar. */
  readonly reveal: RevealLevel | null
  /** True when the policy applies, to full values or to masks of them. */
  readonly matched: boolean
  /** True when this policy determined the decision. */
  readonly decided: boolean
  /** Why it does not: names of conditions, such as `time.daily`, or `cedar`. */
  readonly failedConditions: readonly string[]
  /** Whether it permits only requests with a reason. */
  readonly requiresReason: boolean
  /** The budget of the policy. It is neither checked nor spent here. */
  readonly budget: Budget | null
}

export interface Explanation extends Omit<OutcomeVerdict, "policyIds"> {
  readonly policies: readonly PolicyExplanation[]
}

/**
 * Explains what policies would decide, and why. The decision is the engine's own. Yields to others between policies.
 *
 * @param hasMask whether the role has a mask. Default: it has none
 */
export async function explain(
  engine: PolicyEngine,
  rules: readonly NamedRule[],
  question: Omit<Question, "action">,
  hasMask = false,
): Promise<Explanation> {
  const set = policySetOf(rules)
  await engine.prepare(set)
  const { policyIds, ...verdict } = decideOutcome(engine, set, question, hasMask)
  const policies: PolicyExplanation[] = []
  for (const rule of rules) {
    await setImmediate()
    const { id, name, effect, reveal = null, requiresReason = false, conditions } = rule
    const decided = policyIds.includes(id)
    const budget = conditions?.budget ?? null
    policies.push({
      id,
      name,
      effect,
      reveal,
      requiresReason,
      ...matchOf(engine, rule, question, hasMask),
      decided,
      budget,
    })
  }
  return { ...verdict, policies }
}

function matchOf(engine: PolicyEngine, rule: NamedRule, question: Question, hasMask: boolean): Match {
  const match = engine.match(rule, question)
  if (match.matched || !hasMask) return match
  const masked = engine.match(rule, { ...question, action: "Mask" })
  return masked.matched ? masked : match
}

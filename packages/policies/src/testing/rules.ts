import type { NamedRule } from "../rules/data-policy.ts"
import type { DecisionContext } from "../rules/decision.ts"

/** A policy that always applies, but for what is given. */
export function rule(changes: Partial<NamedRule> = {}): NamedRule {
  return { id: "policy_1", name: "A policy", effect: "permit", conditions: {}, cedar: null, ...changes }
}

/** A policy in Cedar's language. */
export function rawRule(cedar: string, changes: Partial<NamedRule> = {}): NamedRule {
  return rule({ conditions: null, cedar, ...changes })
}

/** A request of the API, but for what is given. */
export function contextOf(changes: Partial<DecisionContext> = {}): DecisionContext {
  return { source: "api", ip: "203.0.113.7", apiKeyId: "key_0123456789ab", ...changes }
}

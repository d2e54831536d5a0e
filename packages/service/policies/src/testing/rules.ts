import type { NamedRule } from "../rules/data-policy.ts"
import type { DecisionContext } from "../rules/decision.ts"

/** Creates a policy that always applies, with the given changes. */
export function rule(changes: Partial<NamedRule> = {}): NamedRule {
  return { id: "policy_1", name: "A policy", effect: "permit", conditions: {}, cedar: null, ...changes }
}

/** Creates a policy in Cedar's language. */
export function rawRule(cedar: string, changes: Partial<NamedRule> = {}): NamedRule {
  return rule({ conditions: null, cedar, ...changes })
}

/** Creates the context of an API request, with the given changes. */
export function contextOf(changes: Partial<DecisionContext> = {}): DecisionContext {
  return { source: "api", ip: "203.0.113.7", apiKeyId: "key_0123456789ab", ...changes }
}

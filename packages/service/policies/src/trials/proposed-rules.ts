import type { NamedRule } from "../rules/data-policy.ts"
import { type PolicyInput, ruleOf } from "../rules/policy-input.ts"

/** Returns the unsaved policies that are attached to a role, identified by their positions. */
export function proposedRules(policies: readonly PolicyInput[], role: string): readonly NamedRule[] {
  return policies
    .filter(({ roles }) => roles.includes(role))
    .map((policy, index) => ({ id: `proposed-${index}`, name: policy.name, ...ruleOf(policy) }))
}

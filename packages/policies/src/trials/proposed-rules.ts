import type { NamedRule } from "../rules/data-policy.ts"
import { type PolicyInput, ruleOf } from "../rules/policy-input.ts"

/** Policies that are not saved, as far as they are attached to a role; told apart by their places. */
export function proposedRules(policies: readonly PolicyInput[], role: string): readonly NamedRule[] {
  return policies
    .filter(({ roles }) => roles.includes(role))
    .map((policy, index) => ({ id: `proposed-${index}`, name: policy.name, ...ruleOf(policy) }))
}

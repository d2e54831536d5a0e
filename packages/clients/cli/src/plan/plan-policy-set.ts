import type { ChangePlan } from "./change-plan.ts"
import { compareValues, type FieldChange } from "./compare-values.ts"
import type { PolicySet, PolicyState, RoleState } from "./desired-state.ts"

/** A role as stored by the service. */
export interface StoredRole extends RoleState {
  readonly archived: boolean
}

/** A policy as stored by the service. */
export interface StoredPolicy extends PolicyState {
  readonly id: string
}

/** What the service has. */
export type StoredPolicySet = PolicySet<StoredRole, StoredPolicy>

export type Change =
  | { readonly action: "create"; readonly kind: "role"; readonly name: string; readonly after: RoleState }
  | { readonly action: "create"; readonly kind: "policy"; readonly name: string; readonly after: PolicyState }
  | {
      readonly action: "update"
      readonly kind: "role"
      readonly name: string
      readonly after: RoleState
      readonly fields: readonly FieldChange[]
    }
  | {
      readonly action: "update"
      readonly kind: "policy"
      readonly name: string
      readonly id: string
      readonly after: PolicyState
      readonly fields: readonly FieldChange[]
    }
  | { readonly action: "delete"; readonly kind: "role"; readonly name: string }
  | { readonly action: "delete"; readonly kind: "policy"; readonly name: string; readonly id: string }

export type Plan = ChangePlan<Change>

/**
 * Plans the changes that make the service match the files.
 *
 * The order is safe if a run stops halfway: after the roles comes what narrows access (deleted permits, new forbids),
 * then what widens it (new permits, deleted forbids), and last the unused roles.
 *
 * @param prune true: deletes what no file names
 */
export function planPolicySet(wanted: PolicySet, stored: StoredPolicySet, prune: boolean): Plan {
  const { changes: roleChanges, surplus: surplusRoles } = planRoles(wanted, stored)
  const { changes: policyChanges, surplus: surplusPolicies, ambiguous } = planPolicies(wanted, stored)

  const named = new Set(wanted.policies.flatMap(({ roles }) => roles))
  const known = new Set([...wanted.roles, ...stored.roles].map(({ slug }) => slug))
  const goingRoles = prune ? surplusRoles.filter(({ slug }) => !named.has(slug)) : []
  const goingPolicies = prune ? surplusPolicies : []
  const deletions = goingPolicies.map((policy): Change & { readonly effect: PolicyState["effect"] } => ({
    action: "delete",
    kind: "policy",
    name: policy.name,
    id: policy.id,
    effect: policy.effect,
  }))
  const deletionsOf = (effect: PolicyState["effect"]) =>
    deletions.filter((each) => each.effect === effect).map(({ effect: _effect, ...change }): Change => change)
  const changesOf = (effect: PolicyState["effect"]) =>
    policyChanges.filter(({ after }) => after.effect === effect)

  return {
    changes: [
      ...roleChanges,
      ...deletionsOf("permit"),
      ...changesOf("forbid"),
      ...changesOf("permit"),
      ...deletionsOf("forbid"),
      ...goingRoles.map(({ slug }): Change => ({ action: "delete", kind: "role", name: slug })),
    ],
    unmanaged: [
      ...surplusRoles
        .filter((role) => !goingRoles.includes(role))
        .map(({ slug }) => ({ kind: "role" as const, name: slug })),
      ...surplusPolicies
        .filter((policy) => !goingPolicies.includes(policy))
        .map(({ name }) => ({ kind: "policy" as const, name })),
    ],
    problems: [
      ...ambiguous.map(
        (name) => `The service has more than one policy with the name "${name}". Names must be unique.`,
      ),
      ...wanted.policies.flatMap(({ name, roles }) =>
        roles
          .filter((slug) => !known.has(slug))
          .map(
            (slug) =>
              `The policy "${name}" uses the role "${slug}", which is neither in a file nor in the service.`,
          ),
      ),
    ],
  }
}

type PolicyChange = Extract<Change, { kind: "policy"; action: "create" | "update" }>

function planRoles(wanted: PolicySet, stored: StoredPolicySet) {
  const before = new Map(stored.roles.map((role) => [role.slug, role]))
  const after = new Set(wanted.roles.map(({ slug }) => slug))
  const changes = wanted.roles.flatMap((role): Change[] => {
    const found = before.get(role.slug)
    const name = role.slug
    if (found === undefined) return [{ action: "create", kind: "role", name, after: role }]
    const fields = compareValues(roleFields(found), roleFields({ ...role, archived: false }))
    return fields.length === 0 ? [] : [{ action: "update", kind: "role", name, after: role, fields }]
  })
  return { changes, surplus: stored.roles.filter(({ slug, archived }) => !archived && !after.has(slug)) }
}

function planPolicies(wanted: PolicySet, stored: StoredPolicySet) {
  const before = new Map(stored.policies.map((policy) => [policy.name, policy]))
  const after = new Set(wanted.policies.map(({ name }) => name))
  const changes = wanted.policies.flatMap((policy): PolicyChange[] => {
    const found = before.get(policy.name)
    const { name } = policy
    if (found === undefined) return [{ action: "create", kind: "policy", name, after: policy }]
    const fields = compareValues(policyFields(found), policyFields(policy))
    return fields.length === 0
      ? []
      : [{ action: "update", kind: "policy", name, id: found.id, after: policy, fields }]
  })
  const counts = Map.groupBy(stored.policies, ({ name }) => name)
  return {
    changes,
    surplus: stored.policies.filter(({ name }) => !after.has(name)),
    ambiguous: [...after].filter((name) => (counts.get(name)?.length ?? 0) > 1),
  }
}

function roleFields({ name, description, archived, accessLog, mask }: StoredRole) {
  return { name, description, archived, accessLog, mask }
}

/** Null and absent are equal: the policy does not have the field. */
function policyFields({ effect, reveal, requiresReason = false, roles, conditions, cedar }: PolicyState) {
  return {
    effect,
    reveal: reveal ?? undefined,
    requiresReason,
    roles,
    conditions: conditions ?? undefined,
    cedar: cedar ?? undefined,
  }
}

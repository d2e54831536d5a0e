import type { ChangeDescription, NamedRule, PolicyWarning } from "@sealway/policies/analysis"
import type { PolicyState, RoleState } from "../plan/desired-state.ts"
import type { Change, StoredPolicySet } from "../plan/plan-policy-set.ts"
import { linesOfDescription } from "./description-lines.ts"
import { rulesOf } from "./rules-of.ts"
import { textOfWarning } from "./warning-text.ts"
import { withProver } from "./with-prover.ts"

/** What a plan changes for the values of a role, for all possible requests. */
export interface RoleMeaning extends ChangeDescription {
  readonly role: string
  /** Whether budgets differ, which this does not compare. */
  readonly changesBudgets: boolean
  /** Whether the role gets a mask, or loses it, which this does not compare. */
  readonly changesMask: boolean
  /** About the policies after the changes. */
  readonly warnings: readonly PolicyWarning[]
}

/** Describes what changes mean, for each role whose policies they change. */
export async function describePlan(
  stored: StoredPolicySet,
  changes: readonly Change[],
  nowMs: number,
): Promise<RoleMeaning[]> {
  const after = policiesAfter(stored.policies, changes)
  const masksBefore = masksOf(stored.roles)
  const masksAfter = new Map([...masksBefore, ...masksOf(rolesIn(changes))])
  const roles = new Set([...stored.policies, ...after].flatMap((policy) => policy.roles))
  const changed: { readonly role: string; readonly before: NamedRule[]; readonly after: NamedRule[] }[] = []
  for (const role of [...roles].toSorted()) {
    const [rulesBefore, rulesAfter] = [await rulesOf(stored.policies, role), await rulesOf(after, role)]
    if (JSON.stringify(rulesBefore) !== JSON.stringify(rulesAfter)) {
      changed.push({ role, before: rulesBefore, after: rulesAfter })
    }
  }
  if (changed.length === 0) return []
  const { describeChange, lintPolicies } = await import("@sealway/proofs")
  return withProver(async ({ solvers, session }) => {
    const meanings: RoleMeaning[] = []
    for (const { role, ...rules } of changed) {
      // A role that is not known may have one.
      const hadMask = masksBefore.get(role) !== null
      const hasMask = masksAfter.get(role) !== null
      const either = { role, nowMs, hasMask: hadMask || hasMask }
      const description = await describeChange(solvers, session, { ...either, ...rules })
      const changesBudgets = budgetsOf(rules.before) !== budgetsOf(rules.after)
      const warnings = await lintPolicies(solvers, session, { role, rules: rules.after, nowMs, hasMask })
      const changesMask = masksBefore.has(role) && hadMask !== hasMask
      meanings.push({ role, ...description, changesBudgets, changesMask, warnings })
    }
    return meanings
  })
}

/** Formats a meaning for people. */
export function linesOfMeaning({
  role,
  permitted,
  refused,
  changesBudgets,
  changesMask,
  warnings,
}: RoleMeaning): string[] {
  const isSame = [permitted, refused].every((each) => each.known && each.requests.length === 0)
  const list = (title: string, description: ChangeDescription["permitted"]) =>
    description.known && description.requests.length === 0
      ? []
      : [`  ${title}:`, ...linesOfDescription(description, "").map((text) => `    ${text}`)]
  return [
    `role ${role}, for all possible requests:`,
    ...(isSame ? ["  no request is decided otherwise"] : []),
    ...list("newly permitted", permitted),
    ...list("newly refused", refused),
    ...(changesBudgets ? ["  budgets change, which is not compared"] : []),
    ...(changesMask ? ["  the role gets a mask or loses it, which is not compared"] : []),
    ...warnings.map((warning) => `  warning: ${textOfWarning(warning)}`),
  ]
}

function policiesAfter(stored: readonly PolicyState[], changes: readonly Change[]): PolicyState[] {
  const policies = new Map(stored.map((policy): [string, PolicyState] => [policy.name, policy]))
  for (const change of changes) {
    if (change.kind !== "policy") continue
    if (change.action === "delete") policies.delete(change.name)
    else policies.set(change.name, change.after)
  }
  return [...policies.values()]
}

function rolesIn(changes: readonly Change[]): RoleState[] {
  return changes.flatMap((each) => (each.kind === "role" && each.action !== "delete" ? [each.after] : []))
}

function masksOf(roles: readonly RoleState[]): ReadonlyMap<string, RoleState["mask"]> {
  return new Map(roles.map(({ slug, mask }) => [slug, mask]))
}

function budgetsOf(rules: readonly NamedRule[]): string {
  return JSON.stringify(
    rules.flatMap(({ name, conditions }) => (conditions?.budget ? [[name, conditions.budget]] : [])),
  )
}

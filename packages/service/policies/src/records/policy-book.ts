import { appPartition, type Table } from "@sealway/ports"
import type { DataPolicy } from "../rules/data-policy.ts"
import type { DataRole } from "../rules/data-role.ts"
import { type PolicySet, policySetOf } from "../rules/policy-set.ts"
import { POLICY_PREFIX, policyRecords } from "./data-policy-table.ts"
import { ROLE_PREFIX, roleRecords } from "./data-role-table.ts"

/** All data roles and policies of an app at one moment. */
export interface PolicyBook {
  readonly roles: readonly DataRole[]
  readonly policies: readonly DataPolicy[]
  /** Finds the role with a slug; null when there is none. */
  role(slug: string): DataRole | null
  /** Returns the policies of a role, oldest first. */
  policiesOf(role: DataRole): PolicySet
}

const BOOK_PREFIX = "data-"

/**
 * Reads an app's book in one query. Fails when any record is unreadable: the one skipped could be the one that forbids.
 *
 * @throws ZodError when a record is not what this release writes
 */
export async function readPolicyBook(table: Table, appId: string): Promise<PolicyBook> {
  const items = await table.list(appPartition(appId), BOOK_PREFIX)
  const isUnder = (prefix: string) => (item: (typeof items)[number]) => String(item.sk).startsWith(prefix)
  return policyBookOf(
    items.filter(isUnder(ROLE_PREFIX)).map(roleRecords.read),
    items.filter(isUnder(POLICY_PREFIX)).map(policyRecords.read),
  )
}

export function policyBookOf(roles: readonly DataRole[], policies: readonly DataPolicy[]): PolicyBook {
  const bySlug = new Map(roles.map((role) => [role.slug, role]))
  const sets = new Map<string, PolicySet>()
  return {
    roles,
    policies,
    role: (slug) => bySlug.get(slug) ?? null,
    policiesOf({ id }) {
      const known = sets.get(id)
      if (known !== undefined) return known
      const attached = policies.filter((policy) => policy.roles.some((role) => role.id === id))
      const set = policySetOf(attached.toSorted((left, right) => (left.id < right.id ? -1 : 1)))
      sets.set(id, set)
      return set
    },
  }
}

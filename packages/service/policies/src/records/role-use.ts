import { ApiError, createBoundedMap } from "@sealway/kernel"
import type { Table } from "@sealway/ports"
import type { DataRole } from "../rules/data-role.ts"
import { findDataRole, roleRecords } from "./data-role-table.ts"

/** Records, once in a role's life, that it was used, so that it is not deleted while values carry it. */
export interface RoleUse {
  /**
   * Marks a role as used. Resolves when it is durable, with the role as now stored; null when the role no longer
   * exists. Returns the given role when it was already known to be used.
   */
  mark(appId: string, role: DataRole): Promise<DataRole | null>
}

const MAX_KNOWN = 10_000
const MAX_ATTEMPTS = 5

/** @param wallClock epoch milliseconds */
export function createRoleUse(table: Table, wallClock: () => number): RoleUse {
  const known = createBoundedMap<true>(MAX_KNOWN)
  const marking = new Map<string, Promise<DataRole | null>>()

  async function markInTable(appId: string, { id, slug }: DataRole): Promise<DataRole | null> {
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      const role = await findDataRole(table, appId, slug)
      if (role?.id !== id) return null
      const used = role.usedAt === null ? { ...role, usedAt: wallClock() } : role
      if (used === role || (await roleRecords.replace(table, appId, used)) !== null) {
        known.set(id, true)
        return used
      }
    }
    throw new ApiError("service-unavailable", "The data role is being changed. Try again shortly.", {
      headers: { "retry-after": "1" },
    })
  }

  return {
    async mark(appId, role) {
      if (role.usedAt !== null || known.get(role.id) !== undefined) return role
      const started = marking.get(role.id) ?? markInTable(appId, role)
      marking.set(role.id, started)
      try {
        return await started
      } finally {
        marking.delete(role.id)
      }
    },
  }
}

import { type App, CONFIGURATION_TTL_MS, type ConfigTable, createCache } from "@sealway/platform"
import { isRoleSlug } from "@sealway/tokens"
import type { DataRole } from "./data-role.ts"
import { findDataRole } from "./data-role-table.ts"

const MAX_ENTRIES = 10_000

export type Decision = "permit" | "deny"

/** The data roles of apps, each at most `CONFIGURATION_TTL_MS` old. */
export interface DataRoles {
  /** Null: the app has no role of that slug. */
  find(app: App, slug: string): Promise<DataRole | null>
  /**
   * Whether a role's policies let its values be decrypted, by the three steps of evaluation: a policy that forbids
   * wins, else one that permits, else it is denied. No policy can be attached to a role yet, so it is always the
   * third step that decides.
   */
  decide(app: App, slug: string): Promise<Decision>
}

/** @param now milliseconds, monotonic */
export function createDataRoles(table: ConfigTable, now: () => number): DataRoles {
  const roles = createCache<DataRole>({ maxEntries: MAX_ENTRIES, ttlMs: CONFIGURATION_TTL_MS, now })
  return {
    async find(app, slug) {
      if (!isRoleSlug(slug)) return null
      return roles.get(`${app.id}/${slug}`, () => findDataRole(table, app.id, slug))
    },
    decide: () => Promise.resolve("deny"),
  }
}

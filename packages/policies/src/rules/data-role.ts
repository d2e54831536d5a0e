import type { AccessLogMode } from "./access-log-mode.ts"

/** A named category of data. Its slug is sealed into values and never changes; its policies may. */
export interface DataRole {
  /** `role_…` */
  readonly id: string
  /** See `isRoleSlug`. */
  readonly slug: string
  readonly name: string
  readonly description: string
  /** No new values are sealed with an archived role; values that have it still follow its policies. */
  readonly archived: boolean
  readonly accessLog: AccessLogMode
  /** Epoch milliseconds; null while no value was sealed with the role and none of its values was asked for. */
  readonly usedAt: number | null
  /** Epoch milliseconds. */
  readonly createdAt: number
  /** Epoch milliseconds. Use does not count as a change. */
  readonly updatedAt: number
  /** Raised by each change. */
  readonly revision: number
}

/** Roles an app may have. */
export const MAX_ROLES = 200

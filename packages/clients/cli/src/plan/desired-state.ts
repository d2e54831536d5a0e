import type { DataRole } from "@sealway/sdk/api"

/** A data role as declared in files. */
export interface RoleState {
  readonly slug: string
  readonly name: string
  readonly description: string
  readonly accessLog: "standard" | "strict"
  /** How its values look masked; null for never. */
  readonly mask: DataRole["mask"]
}

/** A data policy as declared in files, identified by its name. It has either conditions or cedar. */
export interface PolicyState {
  readonly name: string
  readonly effect: "permit" | "forbid"
  /** Null and absent: the default of the effect. */
  readonly reveal?: "full" | "masked" | null | undefined
  /** Slugs. */
  readonly roles: readonly string[]
  readonly requiresReason?: boolean | undefined
  readonly conditions?: unknown
  readonly cedar?: string | undefined
}

/** Roles and policies, wanted or existing. */
export interface PolicySet<Role = RoleState, Policy = PolicyState> {
  readonly roles: readonly Role[]
  readonly policies: readonly Policy[]
}

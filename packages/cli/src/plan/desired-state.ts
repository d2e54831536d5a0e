/** A data role as files declare it. */
export interface RoleState {
  readonly slug: string
  readonly name: string
  readonly description: string
  readonly accessLog: "standard" | "strict"
}

/** A data policy as files declare it; its name tells it from others. Either conditions or cedar is there. */
export interface PolicyState {
  readonly name: string
  readonly effect: "permit" | "forbid"
  /** Slugs. */
  readonly roles: readonly string[]
  readonly conditions?: unknown
  readonly cedar?: string | undefined
}

/** The roles and policies that there are to be, or that there are. */
export interface PolicySet<Role = RoleState, Policy = PolicyState> {
  readonly roles: readonly Role[]
  readonly policies: readonly Policy[]
}

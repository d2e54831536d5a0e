import type { Conditions } from "./conditions.ts"

export type Effect = "permit" | "forbid"

/** What a policy says. */
export interface PolicyRule {
  readonly effect: Effect
  /** All that are given must hold. Null where `cedar` says it. */
  readonly conditions: Conditions | null
  /** One policy in Cedar's language. Null where `conditions` say it. */
  readonly cedar: string | null
}

/** A policy that can be evaluated. */
export interface NamedRule extends PolicyRule {
  readonly id: string
  readonly name: string
}

/** A rule attached to data roles, that permits or forbids decrypting their values. */
export interface DataPolicy extends NamedRule {
  /** `policy_…` */
  readonly id: string
  /**
   * The roles it is attached to. It is the id that counts: a role that was deleted and made again under its old slug
   * does not come back to its policies.
   */
  readonly roles: readonly { readonly id: string; readonly slug: string }[]
  /** Epoch milliseconds. */
  readonly createdAt: number
  /** Epoch milliseconds. */
  readonly updatedAt: number
  /** Raised by each change. */
  readonly revision: number
}

/** Policies an app may have. */
export const MAX_POLICIES = 500

/** Policies a role may have; each decision evaluates all of them. */
export const MAX_POLICIES_PER_ROLE = 100

/** Roles a policy may be attached to. */
export const MAX_ROLES_PER_POLICY = 50

/** The size of a policy as it is sent, in bytes of JSON. */
export const MAX_POLICY_BYTES = 10 * 1024

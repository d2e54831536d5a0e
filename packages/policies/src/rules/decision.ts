import type { AccessLogMode } from "./access-log-mode.ts"
import type { EnclavePcrs, Period, Source } from "./conditions.ts"

/** What is known of a request that asks for plaintext. The time is not in it: it is that of the decision. */
export interface DecisionContext {
  readonly source: Source
  /** IPv4 or IPv6. Null when it is not known, and then no `ipRanges` hold. */
  readonly ip: string | null
  /** Null when no API key is behind the request. */
  readonly apiKeyId: string | null
  readonly functionName?: string | undefined
  /** Host, and port where it is not the scheme's own. */
  readonly relayDestination?: string | undefined
  /** Of an enclave whose attestation was verified. */
  readonly enclavePcrs?: EnclavePcrs | undefined
}

/**
 * Why policies say what they say. `evaluation-error`: one could not be evaluated, so that nobody knows whether it
 * forbids. `unknown-role`: the app has no role of the slug.
 */
export const VERDICT_REASONS = [
  "permitted",
  "forbidden",
  "no-policy-permits",
  "evaluation-error",
  "unknown-role",
] as const

export type VerdictReason = (typeof VERDICT_REASONS)[number]

/** Why a decision is what it is. `over-budget`: policies permit, and their budgets are spent. */
export type DecisionReason = VerdictReason | "over-budget"

/** What the policies of a role say, budgets aside. */
export interface Verdict {
  readonly decision: "permit" | "deny"
  readonly reason: VerdictReason
  /** The policies that decided: those that permit, forbid or could not be evaluated. */
  readonly policyIds: readonly string[]
}

export interface Decision extends Omit<Verdict, "reason"> {
  readonly reason: DecisionReason
  /** How the role asks for its values' decryption to be put on record. */
  readonly accessLog: AccessLogMode
  /** The budgets of the policies that permit: the one that the values were counted on, or those that are spent. */
  readonly budgets: readonly { readonly policyId: string; readonly values: number; readonly per: Period }[]
}

/** A role of which a request wants values. */
export interface RoleRequest {
  /** Its slug. */
  readonly role: string
  /**
   * How many values of the role the request wants; budgets count them. 0: what it wants was counted before, and
   * budgets are neither asked nor spent.
   */
  readonly values: number
}

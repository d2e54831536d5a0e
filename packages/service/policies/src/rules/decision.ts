import type { Mask } from "@sealway/kernel/masks"
import type { AccessLogMode } from "./access-log-mode.ts"
import type { EnclavePcrs, Period, Source } from "./conditions.ts"
import type { Outcome, RevealMode } from "./reveal.ts"

/** What is known about a request for plaintext, except the time, which is that of the decision. */
export interface DecisionContext {
  readonly source: Source
  /** IPv4 or IPv6. Null when unknown; then no `ipRanges` hold. */
  readonly ip: string | null
  /** Null for a request without an API key. */
  readonly apiKeyId: string | null
  readonly functionName?: string | undefined
  /** The host, and the port unless it is the scheme's default. */
  readonly relayDestination?: string | undefined
  /** Whether the request says why. Default: it does not. */
  readonly hasReason?: boolean | undefined
  /** The PCRs of an enclave whose attestation was verified. */
  readonly enclavePcrs?: EnclavePcrs | undefined
}

/**
 * Why policies decide as they do. `evaluation-error`: one could not be evaluated, so it is unknown whether it forbids.
 * `unknown-role`: the app has no role with the slug. `reason-required`: only policies permit that require a reason, and the
 * request has none.
 */
export const VERDICT_REASONS = [
  "permitted",
  "forbidden",
  "no-policy-permits",
  "evaluation-error",
  "unknown-role",
  "reason-required",
] as const

export type VerdictReason = (typeof VERDICT_REASONS)[number]

/**
 * Why a decision is what it is. `over-budget`: policies permit, but their budgets are spent. `masked-only`: they permit
 * masks, and the request takes none.
 */
export type DecisionReason = VerdictReason | "over-budget" | "masked-only"

/** What the policies of a role decide on one action, without budgets. */
export interface Verdict {
  readonly decision: "permit" | "deny"
  readonly reason: VerdictReason
  /** The policies that decided: those that permit, that forbid or that could not be evaluated. */
  readonly policyIds: readonly string[]
}

/** What they decide on full values and on masks. */
export interface OutcomeVerdict extends Omit<Verdict, "decision"> {
  readonly decision: Outcome
}

export interface Decision extends Omit<OutcomeVerdict, "reason"> {
  readonly reason: DecisionReason
  /** How the values look. Only with `masked`. */
  readonly mask?: Mask
  /** How decryptions of the role's values are recorded. */
  readonly accessLog: AccessLogMode
  /** The budgets of the policies that permit: the one that counted the values, or those that are spent. */
  readonly budgets: readonly { readonly policyId: string; readonly values: number; readonly per: Period }[]
}

/** A role whose values a request wants. */
export interface RoleRequest {
  /** Slug of the role. */
  readonly role: string
  /**
   * How many values of the role the request wants; budgets count them. 0: its values were counted before, and budgets
   * are neither checked nor spent.
   */
  readonly values: number
  /** Whether the request is refused whatever the role's policies say: figures count that as its refusal. Default: false. */
  readonly isRefused?: boolean
  /** What the request takes. `masked` is masks even where more is permitted. Default: `full`, so that no mask is a surprise. */
  readonly reveal?: RevealMode | undefined
}

/** What policies decide, as a test names it. */
type PolicyTestDecision = "permit" | "masked" | "deny"

/** What a test of policies expects. */
export interface PolicyTestExpectation {
  readonly expect: PolicyTestDecision
  /** Names of the policies that must decide, in any order. Undefined: any may. */
  readonly decidedBy: readonly string[] | undefined
  /** Whether its context says when. */
  readonly hasTime: boolean
}

/** What was decided in the context of a test. */
export interface PolicyTestOutcome {
  readonly decision: PolicyTestDecision
  /** Names of the policies that decide. */
  readonly deciding: readonly string[]
  /** Whether the policies check the time. */
  readonly dependsOnTime: boolean
  /** Policies that the test names and the role does not have. */
  readonly missing: readonly string[]
}

/**
 * Returns why a test of policies fails, as a sentence without its full stop; null when it passes. A test that depends on
 * the time and gives none fails: it would pass by day and fail by night.
 */
export function failureOfPolicyTest(
  { expect, decidedBy, hasTime }: PolicyTestExpectation,
  { decision, deciding, dependsOnTime, missing }: PolicyTestOutcome,
): string | null {
  if (missing.length > 0) return `No policy of the role is named ${missing.join(", ")}`
  if (dependsOnTime && !hasTime) return "The policies check the time, but the context has no time"
  if (decision !== expect) return `The decision is ${decision}`
  if (decidedBy === undefined || sameMembers(decidedBy, deciding)) return null
  return `Decided by: ${deciding.join(", ") || "no policy"}`
}

function sameMembers(left: readonly string[], right: readonly string[]): boolean {
  const members = new Set(left)
  return members.size === right.length && right.every((each) => members.has(each))
}

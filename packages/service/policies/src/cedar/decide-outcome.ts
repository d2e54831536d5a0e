import type { OutcomeVerdict, Verdict } from "../rules/decision.ts"
import type { PolicySet } from "../rules/policy-set.ts"
import type { Question } from "./authorization-request.ts"
import type { PolicyEngine } from "./policy-engine.ts"

/**
 * Decides whether full values are permitted, and where they are not, whether masks are. Await `prepare` before it. Where a
 * policy cannot be evaluated, neither is permitted.
 *
 * @param hasMask whether the role has a mask; values of one that has none are never masked
 */
export function decideOutcome(
  engine: Pick<PolicyEngine, "decide">,
  set: PolicySet,
  question: Omit<Question, "action">,
  hasMask: boolean,
): OutcomeVerdict {
  const decide = (action: NonNullable<Question["action"]>) =>
    withoutReason(engine.decide(set, { ...question, action }), set, question)
  const full = decide("Decrypt")
  if (full.decision === "permit" || full.reason === "evaluation-error" || !hasMask) return full
  const masked = decide("Mask")
  if (masked.decision === "permit") return { ...masked, decision: "masked" }
  // A reason would help: that is what a caller must know.
  return masked.reason === "reason-required" && full.reason !== "reason-required" ? masked : full
}

/** Leaves out the policies that permit for a reason only, where the request has none. */
function withoutReason(
  verdict: Verdict,
  { rules }: PolicySet,
  { context }: Pick<Question, "context">,
): Verdict {
  if (verdict.decision === "deny" || context.hasReason) return verdict
  const requiring = rules.filter(({ id, requiresReason }) => requiresReason && verdict.policyIds.includes(id))
  if (requiring.length === 0) return verdict
  const policyIds = verdict.policyIds.filter((id) => !requiring.some((rule) => rule.id === id))
  return policyIds.length > 0
    ? { ...verdict, policyIds }
    : { decision: "deny", reason: "reason-required", policyIds: verdict.policyIds }
}

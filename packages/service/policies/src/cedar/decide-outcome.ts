import type { OutcomeVerdict } from "../rules/decision.ts"
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
  const full = engine.decide(set, question)
  if (full.decision === "permit" || full.reason === "evaluation-error" || !hasMask) return full
  const masked = engine.decide(set, { ...question, action: "Mask" })
  return masked.decision === "permit" ? { ...masked, decision: "masked" } : full
}

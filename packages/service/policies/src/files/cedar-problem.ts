import type { Cedar } from "../cedar/cedar.ts"
import { checkRawPolicy } from "../cedar/raw-policy.ts"
import type { PolicyInput } from "../rules/policy-input.ts"

/**
 * Says what is wrong with a policy in Cedar; null for nothing. The files belong to the reader, so Cedar's messages, which
 * quote parts of them, may be shown.
 */
export function cedarProblem(
  cedar: Cedar,
  { cedar: text, effect }: Pick<PolicyInput, "cedar" | "effect">,
): string | null {
  if (text === undefined) return null
  const problem = checkRawPolicy(cedar, text, effect)
  if (problem === null) return null
  return problem.cedarMessage === null ? problem.reason : `${problem.reason} (${problem.cedarMessage})`
}

import type { NamedRule } from "@sealway/policies/analysis"
import type { PolicyState } from "../plan/desired-state.ts"
import { CommandFailure } from "../terminal/failures.ts"

/**
 * Returns the rules of the policies that are attached to a role. Names identify them, so that they must be unique.
 *
 * @throws CommandFailure when this version does not know a policy's conditions
 */
export async function rulesOf(policies: readonly PolicyState[], role: string): Promise<NamedRule[]> {
  const { policyInputSchema, ruleOf } = await import("@sealway/policies/files")
  return policies
    .filter(({ roles }) => roles.includes(role))
    .map(({ name, effect, reveal, requiresReason, roles, conditions, cedar }) => {
      const read = policyInputSchema.safeParse({
        name,
        effect,
        reveal,
        requiresReason,
        roles,
        ...(cedar === undefined ? { conditions } : { cedar }),
      })
      if (!read.success) {
        throw new CommandFailure("unknown-policy", `This version does not understand the policy "${name}".`)
      }
      return { id: name, name, ...ruleOf(read.data) }
    })
}

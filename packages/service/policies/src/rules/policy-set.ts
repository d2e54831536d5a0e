import { createHash } from "node:crypto"
import type { NamedRule } from "./data-policy.ts"

/** Policies that are evaluated together. */
export interface PolicySet {
  readonly rules: readonly NamedRule[]
  /** Equal for sets with the same rules. */
  readonly version: string
}

export function policySetOf(rules: readonly NamedRule[]): PolicySet {
  const content = rules.map(({ id, effect, reveal, conditions, cedar }) => [
    id,
    effect,
    reveal,
    conditions,
    cedar,
  ])
  return { rules, version: createHash("sha256").update(JSON.stringify(content)).digest("base64url") }
}

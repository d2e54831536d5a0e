import type { Statement } from "./iam-policy.ts"

/** A call of an AWS service, as a resource's policy sees it. */
export interface ServiceCall {
  /** `logs.amazonaws.com`. */
  readonly service: string
  readonly action: string
  /** Condition keys with their values. */
  readonly context: Readonly<Record<string, string>>
}

/**
 * Returns whether a resource's policy lets an AWS service make a call: some statement allows it, and none denies it.
 */
export function admits(statements: readonly Statement[], call: ServiceCall): boolean {
  const matching = statements.filter((statement) => isAbout(statement, call))
  return (
    matching.some(({ Effect }) => Effect === "Allow") && matching.every(({ Effect }) => Effect === "Allow")
  )
}

function isAbout({ Principal = {}, Action, Condition }: Statement, call: ServiceCall): boolean {
  const named = Object.entries(Principal).flatMap(([kind, names]) => names.map((name) => `${kind} ${name}`))
  return (
    (named.includes(`Service ${call.service}`) || named.includes("AWS *")) &&
    Action.some((action) => isLike(call.action, action)) &&
    Object.entries(Condition).every(([operator, keys]) => holds(operator, keys, call.context))
  )
}

function holds(
  operator: string,
  keys: Readonly<Record<string, readonly string[]>>,
  context: ServiceCall["context"],
): boolean {
  return Object.entries(keys).every(([key, wanted]) => {
    const value = context[key]
    if (value === undefined) return false
    if (operator === "StringEquals" || operator === "Bool") return wanted.includes(value)
    if (operator === "ArnLike" || operator === "StringLike") return wanted.some((each) => isLike(value, each))
    throw new Error(`This operator is not known here: ${operator}`)
  })
}

function isLike(value: string, pattern: string): boolean {
  const parts = pattern.split("*").map((part) => part.replace(/[.+?^${}()|[\]\\]/g, "\\$&"))
  return new RegExp(`^${parts.join(".*")}$`).test(value)
}

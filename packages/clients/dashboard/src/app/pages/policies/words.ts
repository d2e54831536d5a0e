import type { DataPolicyConditions, DataPolicyInput } from "@sealway/sdk/api"
import { isUnbounded, type Rule } from "./unbounded.ts"

const SOURCES = {
  api: "POST /decrypt",
  "client-token": "client-side tokens",
  relay: "relays",
  function: "functions",
  enclave: "enclaves",
} as const

/** What words need to know of a policy. */
export type PolicyToTell = Rule & Pick<DataPolicyInput, "reveal" | "requiresReason">

/** Who may decrypt by a policy without bounds. */
export const ANYONE = "anyone with a key, from anywhere"

/** Says what a policy does, for people: "Permits through POST /decrypt, from 10.0.0.0/8." */
export function policyInWords(policy: PolicyToTell): string {
  const what = objectOf(policy)
  const verb = `${policy.effect === "permit" ? "Permits" : "Forbids"}${what}`
  const limits = conditionsInWords(policy.conditions ?? {})
  if (isUnbounded(policy)) {
    const anyone = `${verb}${what === "" ? "" : " for"} ${ANYONE}`
    return `${[anyone, ...limits].join(", ")}.`
  }
  if (typeof policy.cedar === "string") return `${verb} what its Cedar text says.`
  return limits.length === 0 ? `${verb} always.` : `${verb} ${limits.join(", ")}.`
}

/** Says what a policy is about, where that is not all. */
function objectOf({
  effect,
  reveal,
  requiresReason,
}: Pick<DataPolicyInput, "effect" | "reveal" | "requiresReason">) {
  const what = reveal === "masked" ? " masks" : reveal === "full" && effect === "forbid" ? " full values" : ""
  return requiresReason ? `${what} for a reason,` : what
}

function conditionsInWords(conditions: DataPolicyConditions): string[] {
  const { sources, relayDestinations, functions, ipRanges, time, enclavePcrs, apiKeys, budget } = conditions
  const daily = time?.daily
  return [
    sources && `through ${either(sources.map((source) => SOURCES[source]))}`,
    relayDestinations && `on the way to ${either(relayDestinations)}`,
    functions && `for the function ${either(functions)}`,
    ipRanges && `from ${either(ipRanges)}`,
    apiKeys && `with ${apiKeys.length === 1 ? "one API key" : `one of ${apiKeys.length} API keys`}`,
    daily && `from ${daily.from} to ${daily.to} (${daily.timezone})`,
    time?.notBefore && `since ${time.notBefore}`,
    time?.notAfter && `until ${time.notAfter}`,
    enclavePcrs && "in an enclave with these measurements",
    budget && `at most ${budget.values.toLocaleString("en")} values per ${budget.per} and API key`,
  ].filter((part) => typeof part === "string")
}

function either(items: readonly string[]): string {
  const shown = items.slice(0, 3)
  const rest = items.length - shown.length
  return rest > 0 ? `${shown.join(", ")} or ${rest} more` : shown.join(" or ")
}

/** Says why a decision was made, for people. */
export const REASONS = {
  permitted: "A policy permits it, and none forbids it.",
  forbidden: "A policy forbids it, whatever the others permit.",
  "no-policy-permits": "No policy permits it.",
  "reason-required": "Only policies permit it that require a reason.",
  "evaluation-error": "A policy could not be evaluated, so it is refused.",
  "unknown-role": "There is no such role.",
} as const

import type { DataPolicy, DataPolicyInput } from "@sealway/sdk/api"

/** What a policy decides with. */
export type Rule = Pick<DataPolicyInput, "effect"> &
  Pick<DataPolicy | DataPolicyInput, "conditions" | "cedar">

const ALWAYS_IN_CEDAR =
  /^\s*permit\s*\(\s*principal\s*,\s*action\s*,\s*resource\s*\)\s*(?:when\s*\{\s*true\s*\}\s*)?;\s*$/

/**
 * Whether a policy permits anyone with a key, from anywhere: it names no source, address, API key, function, relay
 * destination or enclave. Of Cedar, only the text that always permits is known here; the service warns about others.
 */
export function isUnbounded({ effect, conditions, cedar }: Rule): boolean {
  if (effect !== "permit") return false
  if (typeof cedar === "string") return ALWAYS_IN_CEDAR.test(cedar)
  const { sources, ipRanges, apiKeys, functions, relayDestinations, enclavePcrs } = conditions ?? {}
  const bounds = [sources, ipRanges, apiKeys, functions, relayDestinations, Object.values(enclavePcrs ?? {})]
  return bounds.every((bound) => bound === undefined || bound.length === 0)
}

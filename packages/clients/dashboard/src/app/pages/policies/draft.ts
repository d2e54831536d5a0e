import type { DataPolicy, DataPolicyConditions, DataPolicyInput } from "@sealway/sdk/api"
import type { FieldProblem } from "@sealway/sdk/browser"
import type { NewPolicySearch } from "./new-policy-search.ts"

/** A policy as it is edited. Both kinds of rules are kept, so that nothing is lost when the kind is changed. */
export interface PolicyDraft {
  readonly name: string
  readonly effect: "permit" | "forbid"
  /** Null: the default of the effect. Not for Cedar. */
  readonly reveal: DataPolicy["reveal"]
  /** For a policy that permits. */
  readonly requiresReason: boolean
  readonly roles: readonly string[]
  readonly kind: "conditions" | "cedar"
  readonly conditions: DataPolicyConditions
  readonly cedar: string
}

const CEDAR_START = { permit: "permit", forbid: "forbid" } as const

export function newDraft({ role, ...enclavePcrs }: NewPolicySearch): PolicyDraft {
  const isForEnclave = Object.keys(enclavePcrs).length > 0
  return {
    name: "",
    effect: "permit",
    reveal: null,
    requiresReason: false,
    roles: role === undefined ? [] : [role],
    kind: "conditions",
    conditions: isForEnclave ? { sources: ["enclave"], enclavePcrs } : {},
    cedar: cedarStart("permit"),
  }
}

export function draftOf({
  name,
  effect,
  reveal,
  requiresReason,
  roles,
  conditions,
  cedar,
}: DataPolicy): PolicyDraft {
  return {
    name,
    effect,
    reveal,
    requiresReason,
    roles,
    kind: cedar === null ? "conditions" : "cedar",
    conditions: conditions ?? {},
    cedar: cedar ?? cedarStart(effect),
  }
}

/** Returns the Cedar text that a new policy begins with: it always applies. */
export const cedarStart = (effect: PolicyDraft["effect"]): string =>
  `${CEDAR_START[effect]}(principal, action, resource)\nwhen { true };`

/** Converts a draft to what the service takes. */
export function inputOf({
  name,
  effect,
  reveal,
  requiresReason,
  roles,
  kind,
  conditions,
  cedar,
}: PolicyDraft): DataPolicyInput {
  return {
    name: name === "" ? "This policy" : name,
    effect,
    roles,
    requiresReason: effect === "permit" && requiresReason,
    ...(kind === "cedar" ? { reveal: null, cedar } : { reveal, conditions: withoutEmpty(conditions) }),
  }
}

export function savedInputOf({ conditions, cedar, ...policy }: DataPolicy): DataPolicyInput {
  const { name, effect, reveal, requiresReason, roles } = policy
  const rule = cedar === null ? { conditions: conditions ?? {} } : { cedar }
  return { name, effect, reveal, requiresReason, roles, ...rule }
}

/** Leaves out conditions of which nothing is filled in: the service refuses empty ones. */
function withoutEmpty({ time, enclavePcrs, ...lists }: DataPolicyConditions): DataPolicyConditions {
  const filled = (values: object) =>
    Object.values(values).some((value) => value !== undefined && value !== "")
  const given = Object.entries(lists).filter(([, value]) => !Array.isArray(value) || value.length > 0)
  return {
    ...Object.fromEntries(given),
    ...(time && filled(time) && { time: definedOf(time) }),
    ...(enclavePcrs && filled(enclavePcrs) && { enclavePcrs: definedOf(enclavePcrs) }),
  }
}

function definedOf<Values extends object>(values: Values): Partial<Values> {
  const given = Object.entries(values).filter(([, value]) => value !== undefined && value !== "")
  return Object.fromEntries(given) as Partial<Values>
}

/** Returns what the service says about a field of the first policy of a request. @param pointer such as `/conditions/ipRanges` */
export function errorAt(fields: readonly FieldProblem[], pointer: string): string | undefined {
  const prefixes = [pointer, `/policies/0${pointer}`]
  const found = fields.find((field) =>
    prefixes.some((prefix) => field.pointer === prefix || field.pointer.startsWith(`${prefix}/`)),
  )
  return found?.reason
}

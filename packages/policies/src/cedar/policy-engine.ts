import { randomUUID } from "node:crypto"
import type { Policy, Response } from "@cedar-policy/cedar-wasm/nodejs"
import { type BoundedMap, createBoundedMap } from "@sealway/platform"
import type { Effect, NamedRule } from "../data-policy.ts"
import type { Verdict } from "../decision.ts"
import type { PolicySet } from "../policy-set.ts"
import { authorizationRequest, type Question } from "./authorization-request.ts"
import type { Cedar } from "./cedar.ts"
import { type CompiledRule, compileRule, policyOf } from "./compile-rule.ts"
import { type TimeUse, timeUseOf } from "./time-use.ts"

/** Whether a rule applies to a question, and if not, which of its parts fail. */
export interface Match {
  readonly matched: boolean
  /** Names of conditions, or `cedar` for a policy in Cedar's language. */
  readonly failedConditions: readonly string[]
}

export interface PolicyEngine {
  /** What policies say to a question. Denies whenever it cannot tell. */
  decide(set: PolicySet, question: Question): Verdict
  /** Which of the rules apply, each by itself, in their order. It asks the same Cedar the same way. */
  match(rules: readonly NamedRule[], question: Question): readonly Match[]
}

export interface PolicyEngineOptions {
  /** The weight of parsed policies that is kept, in characters of their JSON; Cedar takes about ten bytes for each. */
  readonly maxWeight?: number
  /** Told of what should not happen: Cedar failing. Never of what policies hold. */
  readonly onFailure?: (error: unknown) => void
}

const DEFAULT_MAX_WEIGHT = 8_000_000
const MAX_SLOTS = 2_000
/** Callers behind one role that are kept apart: addresses, keys and sources. */
const MAX_VERDICTS = 200

/** A place in Cedar's memory for parsed policies. Places cannot be given back, so they are used again. */
interface Slot {
  readonly id: string
  readonly timeUse: TimeUse
  readonly weight: number
  /** Verdicts by request: what is asked in the same words is answered in the same. */
  readonly verdicts: BoundedMap<Verdict>
}

/**
 * Evaluates policies. Sets are parsed once per version and kept, the least recently used going first.
 */
export function createPolicyEngine(cedar: Cedar, options: PolicyEngineOptions = {}): PolicyEngine {
  const { maxWeight = DEFAULT_MAX_WEIGHT, onFailure = () => {} } = options
  // Places belong to the process, not to the engine.
  const owner = randomUUID()
  const slots = new Map<string, Slot>()
  const freeIds: string[] = []
  let weight = 0
  let ids = 0

  function drop(version: string, { id, weight: freed }: Slot): void {
    cedar.preparsePolicySet(id, { staticPolicies: {} })
    slots.delete(version)
    freeIds.push(id)
    weight -= freed
  }

  function parse({ rules, version }: PolicySet): Slot {
    const compiled = rules.map((rule) => compileRule(cedar, rule))
    const policies = compiled.map(({ policy }) => policy)
    const id = freeIds.pop() ?? `${owner}/${ids++}`
    const answer = cedar.preparsePolicySet(id, { staticPolicies: numbered(policies) })
    if (answer.type === "failure") {
      freeIds.push(id)
      throw new Error("Cedar does not take the policies")
    }
    const trees = compiled.map(({ tree }) => tree)
    const slot: Slot = {
      id,
      timeUse: timeUseOf(trees),
      weight: JSON.stringify(trees).length,
      verdicts: createBoundedMap(MAX_VERDICTS),
    }
    weight += slot.weight
    slots.set(version, slot)
    for (const [oldest, old] of slots) {
      if ((weight <= maxWeight && slots.size <= MAX_SLOTS) || oldest === version) break
      drop(oldest, old)
    }
    return slot
  }

  function slotOf(set: PolicySet): Slot {
    const known = slots.get(set.version)
    if (known === undefined) return parse(set)
    slots.delete(set.version)
    slots.set(set.version, known)
    return known
  }

  return {
    decide(set, question) {
      if (set.rules.length === 0) return { decision: "deny", reason: "no-policy-permits", policyIds: [] }
      try {
        const { id, timeUse, verdicts } = slotOf(set)
        const request = authorizationRequest(question, timeUse)
        // No two requests are alike when they hold the millisecond.
        const key = timeUse.instant ? null : JSON.stringify(request)
        const known = key === null ? undefined : verdicts.get(key)
        if (known !== undefined) return known
        const answer = cedar.statefulIsAuthorized({
          ...request,
          preparsedPolicySetId: id,
          validateRequest: false,
        })
        if (answer.type === "success") {
          const verdict = verdictOf(answer.response, set.rules)
          if (key !== null) verdicts.set(key, verdict)
          return verdict
        }
        onFailure(new Error("Cedar does not take the request"))
      } catch (error) {
        onFailure(error)
      }
      return { decision: "deny", reason: "evaluation-error", policyIds: [] }
    },

    match(rules, question) {
      const compiled = rules.map((rule) => compileRule(cedar, rule))
      const request = authorizationRequest(question, timeUseOf(compiled.map(({ tree }) => tree)))
      const holding = new Set<string>()
      // Cedar names every policy that holds, of those that forbid or else of those that permit: each goes by itself.
      for (const effect of ["permit", "forbid"] as const) {
        const parts = compiled.flatMap((each, index) => partsOf(each, index, effect))
        const answer = cedar.isAuthorized({
          ...request,
          validateRequest: false,
          policies: { staticPolicies: Object.fromEntries(parts) },
        })
        if (answer.type === "failure") throw new Error("Cedar does not take the request")
        for (const id of answer.response.diagnostics.reason) holding.add(id)
      }
      return compiled.map((rule, index) => matchOf(rule, index, holding))
    },
  }
}

/** Names that callers chose are no keys here: a set's rules are told apart by their place. */
function numbered<Policy>(policies: readonly Policy[]): Record<string, Policy> {
  return Object.fromEntries(policies.map((policy, index) => [`p${index}`, policy]))
}

function verdictOf({ decision, diagnostics }: Response, rules: readonly NamedRule[]): Verdict {
  const idsOf = (numbers: readonly string[]) =>
    numbers.flatMap((number) => rules[Number(number.slice(1))]?.id ?? [])
  const deciding = idsOf(diagnostics.reason)
  if (decision === "deny" && deciding.length > 0) {
    return { decision: "deny", reason: "forbidden", policyIds: deciding }
  }
  // Cedar leaves out a policy that fails. It may be the one that would have forbidden.
  if (diagnostics.errors.length > 0) {
    const failing = idsOf(diagnostics.errors.map(({ policyId }) => policyId))
    return { decision: "deny", reason: "evaluation-error", policyIds: failing }
  }
  return decision === "allow"
    ? { decision: "permit", reason: "permitted", policyIds: deciding }
    : { decision: "deny", reason: "no-policy-permits", policyIds: [] }
}

/** A rule of an effect, and each of its clauses as a policy of that effect. */
function partsOf(
  { policy, tree, clauses }: CompiledRule,
  index: number,
  effect: Effect,
): readonly (readonly [string, Policy])[] {
  if (tree.effect !== effect) return []
  return [
    [`p${index}`, policy],
    ...clauses.map(({ body }, clause) => [`p${index}.${clause}`, policyOf(effect, [body])] as const),
  ]
}

function matchOf({ clauses }: CompiledRule, index: number, holding: ReadonlySet<string>): Match {
  const matched = holding.has(`p${index}`)
  if (matched) return { matched, failedConditions: [] }
  const failed = clauses.filter((_, clause) => !holding.has(`p${index}.${clause}`)).map(({ name }) => name)
  return { matched, failedConditions: failed.length > 0 ? failed : ["cedar"] }
}

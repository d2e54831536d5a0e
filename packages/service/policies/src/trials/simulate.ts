import { setImmediate } from "node:timers/promises"
import { decideOutcome } from "../cedar/decide-outcome.ts"
import type { PolicyEngine } from "../cedar/policy-engine.ts"
import { contextKey, type DecisionRecord } from "../records/decision-record.ts"
import type { DecisionContext, OutcomeVerdict } from "../rules/decision.ts"
import type { PolicySet } from "../rules/policy-set.ts"
import type { Outcome } from "../rules/reveal.ts"

/** Decisions that other policies would reverse. */
export interface SimulatedChange {
  readonly role: string
  readonly context: DecisionContext
  readonly count: number
  /** Epoch milliseconds of the first and last minute with such a decision. */
  readonly firstAt: number
  readonly lastAt: number
  readonly before: Outcome
  readonly after: Outcome
  /** Names of the policies that would decide. */
  readonly policies: readonly string[]
}

export interface Simulation {
  /** How many decisions were replayed. */
  readonly evaluated: number
  /** True when there is more to replay, or there are more changes, than returned. */
  readonly truncated: boolean
  /** Most frequent first. */
  readonly changes: readonly SimulatedChange[]
}

export interface SimulationInput {
  readonly appId: string
  /** Newest first. */
  readonly records: readonly DecisionRecord[]
  /** Returns the policies to try on a role. A role without policies is denied. */
  readonly setOf: (role: string) => PolicySet
  /** Whether a role has a mask. */
  readonly hasMask: (role: string) => boolean
}

/** The cost limit of a simulation: about two seconds. */
const MAX_COST = 200_000
/** How many characters of Cedar text are evaluated in the time of a policy with one condition. */
const CHARACTERS_PER_COST = 50
/** How many characters of policies are parsed in that time. */
const PARSED_CHARACTERS_PER_COST = 20
export const MAX_CHANGES = 1_000

/** Replays decisions against other policies. */
export async function simulate(
  engine: PolicyEngine,
  { appId, records, setOf, hasMask }: SimulationInput,
): Promise<Simulation> {
  const verdicts = new Map<string, OutcomeVerdict>()
  const traits = new Map<string, { readonly isTimed: boolean; readonly cost: number }>()
  const changes = new Map<string, SimulatedChange>()
  let spent = 0
  let evaluated = 0
  let truncated = false

  for (const { role, context, minuteMs, decision: before, count } of records) {
    const set = setOf(role)
    let known = traits.get(role)
    if (known === undefined) {
      spent += Math.ceil(JSON.stringify(set.rules).length / PARSED_CHARACTERS_PER_COST)
      if (spent > MAX_COST) {
        truncated = true
        break
      }
      await engine.prepare(set)
      known = { isTimed: engine.dependsOnTime(set), cost: costOf(set, hasMask(role)) }
      traits.set(role, known)
    }
    const { isTimed, cost } = known
    const key = JSON.stringify([role, contextKey(context), isTimed ? minuteMs : null])
    let verdict = verdicts.get(key)
    if (verdict === undefined) {
      if (spent + cost > MAX_COST) {
        truncated = true
        break
      }
      spent += cost
      await setImmediate()
      await engine.prepare(set)
      verdict = decideOutcome(engine, set, { appId, role, context, timeMs: minuteMs }, hasMask(role))
      verdicts.set(key, verdict)
    }
    evaluated += count
    if (verdict.decision === before) continue
    const { decision: after, policyIds } = verdict
    const policies = set.rules.filter(({ id }) => policyIds.includes(id)).map(({ name }) => name)
    const changeKey = JSON.stringify([role, contextKey(context), before, after, policyIds])
    const alike = changes.get(changeKey)
    changes.set(changeKey, {
      role,
      context,
      before,
      after,
      policies,
      count: (alike?.count ?? 0) + count,
      firstAt: Math.min(alike?.firstAt ?? minuteMs, minuteMs),
      lastAt: Math.max(alike?.lastAt ?? minuteMs, minuteMs),
    })
  }
  const sorted = [...changes.values()].sort((left, right) => right.count - left.count)
  return {
    evaluated,
    truncated: truncated || sorted.length > MAX_CHANGES,
    changes: sorted.slice(0, MAX_CHANGES),
  }
}

/**
 * Returns the cost of one decision, where a policy with one condition costs 1. For a role with a mask, the policies may be
 * evaluated twice.
 */
function costOf({ rules }: PolicySet, hasMask: boolean): number {
  const characters = rules.reduce((sum, { cedar }) => sum + (cedar?.length ?? 0), 0)
  return (hasMask ? 2 : 1) * (1 + rules.length + Math.ceil(characters / CHARACTERS_PER_COST))
}

import { setImmediate } from "node:timers/promises"
import type { Cedar } from "./cedar/cedar.ts"
import { compileRule } from "./cedar/compile-rule.ts"
import type { PolicyEngine } from "./cedar/policy-engine.ts"
import { dependsOnTime } from "./cedar/time-use.ts"
import type { DecisionContext, Verdict } from "./decision.ts"
import { contextKey, type DecisionRecord } from "./decision-record.ts"
import type { PolicySet } from "./policy-set.ts"

/** Decisions that other policies would have made the other way. */
export interface SimulatedChange {
  readonly role: string
  readonly context: DecisionContext
  readonly count: number
  /** Epoch milliseconds of the first and last minute that such a decision was made in. */
  readonly firstAt: number
  readonly lastAt: number
  readonly before: "permit" | "deny"
  readonly after: "permit" | "deny"
  /** Names of the policies that would decide. */
  readonly policies: readonly string[]
}

export interface Simulation {
  /** Decisions that were replayed. */
  readonly evaluated: number
  /** True when there was more to replay, or more that changes, than is answered. */
  readonly truncated: boolean
  /** The most frequent first. */
  readonly changes: readonly SimulatedChange[]
}

export interface SimulationInput {
  readonly appId: string
  /** Newest first. */
  readonly records: readonly DecisionRecord[]
  /** The policies to try, by role; a role that has none is denied. */
  readonly setOf: (role: string) => PolicySet
}

/** Evaluations of one policy that one simulation may cost: two seconds or so. */
const MAX_EVALUATIONS = 200_000
const EVALUATIONS_PER_TURN = 2_000
export const MAX_CHANGES = 1_000

/** Replays decisions against other policies. */
export async function simulate(
  { cedar, engine }: { readonly cedar: Cedar; readonly engine: PolicyEngine },
  { appId, records, setOf }: SimulationInput,
): Promise<Simulation> {
  const verdicts = new Map<string, Verdict>()
  const timed = new Map<string, boolean>()
  const changes = new Map<string, SimulatedChange>()
  let evaluations = 0
  let sinceTurn = 0
  let evaluated = 0
  let truncated = false

  for (const { role, context, minuteMs, decision: before, count } of records) {
    const set = setOf(role)
    const isTimed = timed.get(role) ?? dependsOnTime(set.rules.map((rule) => compileRule(cedar, rule).tree))
    timed.set(role, isTimed)
    const key = JSON.stringify([role, contextKey(context), isTimed ? minuteMs : null])
    let verdict = verdicts.get(key)
    if (verdict === undefined) {
      const cost = set.rules.length + 1
      if (evaluations + cost > MAX_EVALUATIONS) {
        truncated = true
        break
      }
      evaluations += cost
      sinceTurn += cost
      if (sinceTurn > EVALUATIONS_PER_TURN) {
        sinceTurn = 0
        await setImmediate()
      }
      verdict = engine.decide(set, { appId, role, context, timeMs: minuteMs })
      verdicts.set(key, verdict)
    }
    evaluated += count
    if (verdict.decision === before) continue
    const { decision: after, policyIds } = verdict
    const policies = set.rules.filter(({ id }) => policyIds.includes(id)).map(({ name }) => name)
    const changeKey = JSON.stringify([role, contextKey(context), before, policyIds])
    const known = changes.get(changeKey)
    changes.set(changeKey, {
      ...{ role, context, before, after, policies },
      count: (known?.count ?? 0) + count,
      firstAt: Math.min(known?.firstAt ?? minuteMs, minuteMs),
      lastAt: Math.max(known?.lastAt ?? minuteMs, minuteMs),
    })
  }
  const sorted = [...changes.values()].sort((left, right) => right.count - left.count)
  return {
    evaluated,
    truncated: truncated || sorted.length > MAX_CHANGES,
    changes: sorted.slice(0, MAX_CHANGES),
  }
}

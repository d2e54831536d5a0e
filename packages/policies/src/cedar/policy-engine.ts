import { randomUUID } from "node:crypto"
import { setImmediate } from "node:timers/promises"
import type { Policy, Response } from "@cedar-policy/cedar-wasm/nodejs"
import { type BoundedMap, createBoundedMap } from "@sealway/kernel"
import type { NamedRule } from "../rules/data-policy.ts"
import type { Verdict } from "../rules/decision.ts"
import type { PolicySet } from "../rules/policy-set.ts"
import { authorizationRequest, type Question } from "./authorization-request.ts"
import type { Cedar } from "./cedar.ts"
import { type CompiledRule, compileRule, policyOf } from "./compile-rule.ts"
import { CedarTrapError } from "./guard-cedar.ts"
import { type TimeUse, timeUseOf } from "./time-use.ts"

/** Whether a rule applies to a question, and if not, which of its parts fail. */
export interface Match {
  readonly matched: boolean
  /** Names of conditions, or `cedar` for a policy in Cedar's language. */
  readonly failedConditions: readonly string[]
}

export interface PolicyEngine {
  /**
   * Parses a set, and lets others have their turn in between: a large one takes seconds. Await it before `decide`, which
   * otherwise parses the set in one go. Never rejects: what is wrong with a set is told by `decide`.
   */
  prepare(set: PolicySet): Promise<void>
  /**
   * What policies say to a question. Denies whenever it cannot tell.
   *
   * @throws what loading Cedar throws
   */
  decide(set: PolicySet, question: Question): Verdict
  /** True when what policies say depends on the time. False for a set that cannot be evaluated: it is denied at any time. */
  dependsOnTime(set: PolicySet): boolean
  /**
   * Whether a rule applies, by itself. It asks the same Cedar the same way; to what Cedar cannot evaluate, no rule applies.
   *
   * @throws TypeError when the rule is not one that could have been saved
   */
  match(rule: NamedRule, question: Question): Match
}

export interface PolicyEngineOptions {
  /** The weight of parsed policies that is kept, in characters of their JSON; Cedar takes about ten bytes for each. */
  readonly maxWeight?: number
  /** Told of what should not happen: Cedar failing. Never of what policies hold. */
  readonly onFailure?: (error: unknown) => void
}

const DEFAULT_MAX_WEIGHT = 8_000_000
const MAX_SLOTS = 2_000
/** What Cedar parses in one go, in characters of JSON, unless a single policy is more: it takes about a microsecond each. */
const MAX_PART_WEIGHT = 50_000
/** Callers behind one role that are kept apart: addresses, keys and sources. */
const MAX_VERDICTS = 200
const MAX_FAILED_SETS = 2_000
/** After the second trap, which an instance that was new had, Cedar is not asked about a set again. */
const MAX_FAILURES = 2

/** A set, parsed. */
interface Slot {
  /**
   * Places in Cedar's memory, each for a part of the policies: Cedar parses a part in one go. Places cannot be given back,
   * so they are used again.
   */
  readonly places: readonly string[]
  readonly timeUse: TimeUse
  readonly weight: number
  /** Verdicts by request: what is asked in the same words is answered in the same. */
  readonly verdicts: BoundedMap<Verdict>
}

/** The set can be parsed by no instance of Cedar. */
class BrokenSetError extends Error {
  override readonly name = "BrokenSetError"
}

const UNDECIDED: Verdict = { decision: "deny", reason: "evaluation-error", policyIds: [] }

/**
 * Evaluates policies. Sets are parsed once per version and kept, the least recently used going first.
 *
 * @param cedar the instance in use, which may be another at each call; what an earlier one had parsed is gone with it
 */
export function createPolicyEngine(cedar: () => Cedar, options: PolicyEngineOptions = {}): PolicyEngine {
  const { maxWeight = DEFAULT_MAX_WEIGHT, onFailure = () => {} } = options
  // Places belong to the instance of Cedar, not to the engine.
  const owner = randomUUID()
  let parsedBy: Cedar | null = null
  const slots = new Map<string, Slot>()
  const freePlaces: string[] = []
  let weight = 0
  let places = 0
  /** How often sets failed, by version. Each trap costs every app its parsed sets; a set must not cause one a request. */
  const failures = createBoundedMap<number>(MAX_FAILED_SETS)
  const preparing = new Map<string, Promise<void>>()

  function current(): Cedar {
    const instance = cedar()
    if (instance !== parsedBy) {
      slots.clear()
      freePlaces.length = 0
      weight = 0
      parsedBy = instance
    }
    return instance
  }

  function drop(version: string, { places: freed, weight: freedWeight }: Slot): void {
    for (const place of freed) current().preparsePolicySet(place, { staticPolicies: {} })
    slots.delete(version)
    freePlaces.push(...freed)
    weight -= freedWeight
  }

  function keep(version: string, slot: Slot): void {
    // Parsed in one go, by a decision that did not wait, while it was parsed in turns.
    const other = slots.get(version)
    if (other !== undefined) drop(version, other)
    weight += slot.weight
    slots.set(version, slot)
    for (const [oldest, old] of slots) {
      if ((weight <= maxWeight && slots.size <= MAX_SLOTS) || oldest === version) break
      drop(oldest, old)
    }
  }

  /**
   * Parses a set, in steps of some ten milliseconds.
   *
   * @throws TypeError or BrokenSetError when it cannot be evaluated, CedarTrapError
   */
  function* parse({ rules, version }: PolicySet): Generator<void, Slot> {
    if ((failures.get(version) ?? 0) >= MAX_FAILURES) throw new BrokenSetError("The policies failed before")
    const compiled: CompiledRule[] = []
    for (const rule of rules) {
      compiled.push(compileRule(current(), rule))
      yield
    }
    const trees = compiled.map(({ tree }) => tree)
    const weights = trees.map((tree) => JSON.stringify(tree).length)
    const instance = current()
    const taken: string[] = []
    for (const part of partsOf(compiled, weights)) {
      const place = freePlaces.pop() ?? `${owner}/${places++}`
      taken.push(place)
      const answer = instance.preparsePolicySet(place, { staticPolicies: Object.fromEntries(part) })
      if (answer.type === "failure") {
        freePlaces.push(...taken)
        throw new BrokenSetError("Cedar does not take the policies")
      }
      yield
    }
    const slot: Slot = {
      places: taken,
      timeUse: timeUseOf(trees),
      weight: weights.reduce((sum, each) => sum + each, 0),
      verdicts: createBoundedMap(MAX_VERDICTS),
    }
    // Another instance has none of it.
    if (instance === cedar()) keep(version, slot)
    return slot
  }

  function noteFailure(version: string, error: unknown): void {
    if (error instanceof CedarTrapError) failures.set(version, (failures.get(version) ?? 0) + 1)
    // What is wrong with the set itself stays wrong.
    if (error instanceof BrokenSetError || error instanceof TypeError) failures.set(version, MAX_FAILURES)
  }

  function knownSlot(version: string): Slot | undefined {
    const known = slots.get(version)
    if (known === undefined) return undefined
    slots.delete(version)
    slots.set(version, known)
    return known
  }

  function slotOf(set: PolicySet): Slot {
    const known = knownSlot(set.version)
    if (known !== undefined) return known
    const steps = parse(set)
    for (;;) {
      const step = steps.next()
      if (step.done) return step.value
    }
  }

  async function parseInTurns(set: PolicySet): Promise<void> {
    try {
      const steps = parse(set)
      while (!steps.next().done) await setImmediate()
    } catch (error) {
      noteFailure(set.version, error)
    }
  }

  /** @throws what `parse` throws, Error when Cedar does not take the request */
  function ask(set: PolicySet, question: Question): Verdict {
    const { places, timeUse, verdicts } = slotOf(set)
    const request = authorizationRequest(question, timeUse)
    // No two requests are alike when they hold the millisecond.
    const key = timeUse.instant ? null : JSON.stringify(request)
    const known = key === null ? undefined : verdicts.get(key)
    if (known !== undefined) return known
    const responses = places.map((preparsedPolicySetId) => {
      const answer = current().statefulIsAuthorized({
        ...request,
        preparsedPolicySetId,
        validateRequest: false,
      })
      if (answer.type === "failure") throw new Error("Cedar does not take the request")
      return answer.response
    })
    const verdict = verdictOf(responses, set.rules)
    if (key !== null) verdicts.set(key, verdict)
    return verdict
  }

  return {
    async prepare(set) {
      if (set.rules.length === 0) return
      current()
      if (knownSlot(set.version) !== undefined) return
      const { version } = set
      let pending = preparing.get(version)
      if (pending === undefined) {
        pending = parseInTurns(set).finally(() => preparing.delete(version))
        preparing.set(version, pending)
      }
      await pending
    },

    decide(set, question) {
      if (set.rules.length === 0) return { decision: "deny", reason: "no-policy-permits", policyIds: [] }
      current()
      try {
        return ask(set, question)
      } catch (error) {
        noteFailure(set.version, error)
        // Traps are told where they happen.
        if (!(error instanceof CedarTrapError)) onFailure(error)
        return UNDECIDED
      }
    },

    dependsOnTime(set) {
      current()
      try {
        const { instant, clock } = slotOf(set).timeUse
        return instant || clock
      } catch (error) {
        noteFailure(set.version, error)
        return false
      }
    },

    match(rule, question) {
      try {
        const compiled = compileRule(current(), rule)
        const request = authorizationRequest(question, timeUseOf([compiled.tree]))
        const { policy, tree, clauses } = compiled
        // Cedar names every policy that holds, of those of one effect: the rule, and each of its clauses by itself.
        const parts = clauses.map(({ body }, index) => [`c${index}`, policyOf(tree.effect, [body])] as const)
        const answer = current().isAuthorized({
          ...request,
          validateRequest: false,
          policies: { staticPolicies: { rule: policy, ...Object.fromEntries(parts) } },
        })
        if (answer.type === "failure") throw new Error("Cedar does not take the request")
        return matchOf(compiled, new Set(answer.response.diagnostics.reason))
      } catch (error) {
        if (!(error instanceof CedarTrapError)) throw error
        return { matched: false, failedConditions: ["cedar"] }
      }
    },
  }
}

/**
 * The policies of a set, in parts of a bounded weight. Names that callers chose are no keys here: a set's rules are told
 * apart by their place.
 */
function partsOf(compiled: readonly CompiledRule[], weights: readonly number[]): [string, Policy][][] {
  const parts: [string, Policy][][] = []
  let room = 0
  for (const [index, { policy }] of compiled.entries()) {
    const weight = weights[index] ?? 0
    if (weight > room) {
      parts.push([])
      room = MAX_PART_WEIGHT
    }
    parts.at(-1)?.push([`p${index}`, policy])
    room -= weight
  }
  return parts
}

/** The verdict on a set, from those on its parts. */
function verdictOf(responses: readonly Response[], rules: readonly NamedRule[]): Verdict {
  const idsOf = (numbers: readonly string[]) =>
    numbers.flatMap((number) => rules[Number(number.slice(1))]?.id ?? [])
  const reasonsOf = (decision: Response["decision"]) =>
    idsOf(responses.flatMap((each) => (each.decision === decision ? each.diagnostics.reason : [])))
  const forbidding = reasonsOf("deny")
  if (forbidding.length > 0) return { decision: "deny", reason: "forbidden", policyIds: forbidding }
  // Cedar leaves out a policy that fails. It may be the one that would have forbidden.
  const errors = responses.flatMap(({ diagnostics }) => diagnostics.errors)
  if (errors.length > 0) {
    const failing = idsOf(errors.map(({ policyId }) => policyId))
    return { decision: "deny", reason: "evaluation-error", policyIds: failing }
  }
  const permitting = reasonsOf("allow")
  return permitting.length > 0
    ? { decision: "permit", reason: "permitted", policyIds: permitting }
    : { decision: "deny", reason: "no-policy-permits", policyIds: [] }
}

function matchOf({ clauses }: CompiledRule, holding: ReadonlySet<string>): Match {
  if (holding.has("rule")) return { matched: true, failedConditions: [] }
  const failed = clauses.filter((_, index) => !holding.has(`c${index}`)).map(({ name }) => name)
  return { matched: false, failedConditions: failed.length > 0 ? failed : ["cedar"] }
}

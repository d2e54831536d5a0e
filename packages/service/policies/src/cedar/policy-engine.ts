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

/** Whether a rule applies to a question, and if not, which of its conditions fail. */
export interface Match {
  readonly matched: boolean
  /** Names of conditions; `reveal` for a policy about the other action; `cedar` for a policy in Cedar's language. */
  readonly failedConditions: readonly string[]
}

export interface PolicyEngine {
  /**
   * Parses a set and yields to others in between: a large one takes seconds. Await it before `decide`, which otherwise
   * parses the set in one go. Never rejects: `decide` reports what is wrong with a set.
   */
  prepare(set: PolicySet): Promise<void>
  /**
   * Decides a question by policies, on one action. Denies whenever it cannot tell.
   *
   * @throws what loading Cedar throws
   */
  decide(set: PolicySet, question: Question): Verdict
  /** True when the decision depends on the time. False for a set that cannot be evaluated: it is denied at any time. */
  dependsOnTime(set: PolicySet): boolean
  /**
   * Tells whether a rule applies on its own. Asks Cedar in the same way as `decide`; a rule that Cedar cannot evaluate
   * does not apply.
   *
   * @throws TypeError when the rule could not have been saved
   */
  match(rule: NamedRule, question: Question): Match
  /**
   * Returns a rule in Cedar's language: conditions as what they compile to, over several lines; a rule written in Cedar
   * as it was written; null for one that Cedar fails on. Takes a millisecond or two.
   *
   * @throws TypeError when the rule could not have been saved
   */
  textOf(rule: NamedRule): string | null
}

export interface PolicyEngineOptions {
  /** How much of parsed policies to keep, in characters of their JSON. Cedar takes about ten bytes for each. */
  readonly maxWeight?: number
  /** Called when Cedar fails, which should not happen. Receives nothing of the policies' content. */
  readonly onFailure?: (error: unknown) => void
}

/** How policies are written for people. */
const FORMAT = { lineWidth: 80, indentWidth: 2 } as const

const DEFAULT_MAX_WEIGHT = 8_000_000
const MAX_SLOTS = 2_000
/**
 * How many characters of JSON Cedar parses in one go, unless a single policy is longer: each takes about a microsecond.
 */
const MAX_PART_WEIGHT = 50_000
/** How many verdicts of one role are kept, for different addresses, keys and sources. */
const MAX_VERDICTS = 200
const MAX_FAILED_SETS = 2_000
/** After the second trap, which happened in a new instance, Cedar never evaluates this set again. */
const MAX_FAILURES = 2

/** A parsed set. */
interface Slot {
  /**
   * Slots in Cedar's memory, each for one part of the policies: Cedar parses a part in one go. They cannot be freed, so
   * they are reused.
   */
  readonly places: readonly string[]
  readonly timeUse: TimeUse
  readonly weight: number
  /** Cached verdicts by request. */
  readonly verdicts: BoundedMap<Verdict>
}

/** No instance of Cedar can parse the set. */
class BrokenSetError extends Error {
  override readonly name = "BrokenSetError"
}

const UNDECIDED: Verdict = { decision: "deny", reason: "evaluation-error", policyIds: [] }

/**
 * Creates an engine that evaluates policies. Sets are parsed once per version and cached, least recently used evicted
 * first.
 *
 * @param cedar returns the current instance, which may change between calls; a new one has parsed nothing yet
 */
export function createPolicyEngine(cedar: () => Cedar, options: PolicyEngineOptions = {}): PolicyEngine {
  const { maxWeight = DEFAULT_MAX_WEIGHT, onFailure = () => {} } = options
  // Slots belong to the instance of Cedar, not to the engine.
  const owner = randomUUID()
  let parsedBy: Cedar | null = null
  const slots = new Map<string, Slot>()
  const freePlaces: string[] = []
  let weight = 0
  let places = 0
  /**
   * How often sets failed, by version. Each trap costs every app its parsed sets, so a set must not trap on every
   * request.
   */
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
    // A decision that did not wait has parsed the set in one go, while it was being parsed in steps.
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
   * Parses a set, in steps of about ten milliseconds.
   *
   * @throws TypeError or BrokenSetError when it cannot be evaluated, CedarTrapError
   */
  function* parse({ rules, version }: PolicySet): Generator<void, Slot> {
    if ((failures.get(version) ?? 0) >= MAX_FAILURES)
      throw new BrokenSetError("These policies have already failed")
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
        throw new BrokenSetError("Cedar refused the policies")
      }
      yield
    }
    const slot: Slot = {
      places: taken,
      timeUse: timeUseOf(trees),
      weight: weights.reduce((sum, each) => sum + each, 0),
      verdicts: createBoundedMap(MAX_VERDICTS),
    }
    // A new instance has parsed nothing of it.
    if (instance === cedar()) keep(version, slot)
    return slot
  }

  function noteFailure(version: string, error: unknown): void {
    if (error instanceof CedarTrapError) failures.set(version, (failures.get(version) ?? 0) + 1)
    // A set that is wrong itself stays wrong.
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

  /** @throws what `parse` throws, Error when Cedar refuses the request */
  function ask(set: PolicySet, question: Question): Verdict {
    const { places, timeUse, verdicts } = slotOf(set)
    const request = authorizationRequest(question, timeUse)
    // With the millisecond in them, no two requests are equal.
    const key = timeUse.instant ? null : JSON.stringify(request)
    const known = key === null ? undefined : verdicts.get(key)
    if (known !== undefined) return known
    const responses = places.map((preparsedPolicySetId) => {
      const answer = current().statefulIsAuthorized({
        ...request,
        preparsedPolicySetId,
        validateRequest: false,
      })
      if (answer.type === "failure") throw new Error("Cedar refused the request")
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
        // Traps are reported where they happen.
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
        // Cedar names all matching policies of one effect: the rule, and each of its conditions as a separate policy.
        const parts = clauses.map(({ body }, index) => [`c${index}`, policyOf(tree.effect, [body])] as const)
        const answer = current().isAuthorized({
          ...request,
          validateRequest: false,
          policies: { staticPolicies: { rule: policy, ...Object.fromEntries(parts) } },
        })
        if (answer.type === "failure") throw new Error("Cedar refused the request")
        return matchOf(rule, compiled, new Set(answer.response.diagnostics.reason))
      } catch (error) {
        if (!(error instanceof CedarTrapError)) throw error
        return { matched: false, failedConditions: ["cedar"] }
      }
    },

    textOf(rule) {
      try {
        const { policy } = compileRule(current(), rule)
        if (typeof policy === "string") return policy
        const written = current().policyToText(policy)
        if (written.type === "failure") throw new TypeError("Cedar cannot write the rule")
        const formatted = current().formatPolicies({ policyText: written.text, ...FORMAT })
        return formatted.type === "failure" ? written.text : formatted.formatted_policy.trimEnd()
      } catch (error) {
        if (!(error instanceof CedarTrapError)) throw error
        return null
      }
    },
  }
}

/**
 * Splits the policies of a set into parts of bounded size. Names that users chose are not used as keys: a set's rules
 * are identified by their positions.
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

/** Combines the verdicts on the parts of a set. */
function verdictOf(responses: readonly Response[], rules: readonly NamedRule[]): Verdict {
  const idsOf = (numbers: readonly string[]) =>
    numbers.flatMap((number) => rules[Number(number.slice(1))]?.id ?? [])
  const reasonsOf = (decision: Response["decision"]) =>
    idsOf(responses.flatMap((each) => (each.decision === decision ? each.diagnostics.reason : [])))
  const forbidding = reasonsOf("deny")
  if (forbidding.length > 0) return { decision: "deny", reason: "forbidden", policyIds: forbidding }
  // Cedar skips a policy that fails. It could have been the one that forbids.
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

function matchOf({ cedar }: NamedRule, { clauses }: CompiledRule, holding: ReadonlySet<string>): Match {
  if (holding.has("rule")) return { matched: true, failedConditions: [] }
  const failed = clauses.filter((_, index) => !holding.has(`c${index}`)).map(({ name }) => name)
  return {
    matched: false,
    failedConditions: failed.length > 0 ? failed : [cedar === null ? "reveal" : "cedar"],
  }
}

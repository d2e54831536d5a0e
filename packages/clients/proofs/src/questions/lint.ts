import type { AccessQuestion, CedarSession, NamedRule, PolicyWarning } from "@sealway/policies/analysis"
import { appliesFor, type EncodedPolicy, permittedBy } from "../encoding/encode-policies.ts"
import { and, not, or, type Term, TRUE } from "../smt/terms.ts"
import { createQuery, type Query } from "../solver/query.ts"
import { type SolverHost, SolverStoppedError } from "../solver/solver.ts"
import { createProblem, type Problem } from "./problem.ts"

/**
 * Finds policies that do not do what somebody must have meant. Nothing is said of what depends on the rules of time zones
 * or on what the encoding has no form for: each warning is true of all requests.
 */
export async function lintPolicies(
  solvers: SolverHost,
  session: CedarSession,
  { role, rules, nowMs, hasMask }: AccessQuestion,
): Promise<readonly PolicyWarning[]> {
  const problem = createProblem(session, role, nowMs, hasMask)
  const warning = (
    kind: PolicyWarning["kind"],
    reason: string,
    policy: string | null = null,
  ): PolicyWarning => ({ role, policy, kind, reason })
  try {
    const { policies, permitted } = problem.encode(rules)
    return await solvers.ask(async (solver) => {
      const query = createQuery(solver)
      await query.declare(problem.script.take())
      await query.assert(problem.facts())
      const warnings: PolicyWarning[] = []
      if (!(await query.isPossible(permitted))) {
        warnings.push(warning("closed-role", "no request is ever permitted"))
      }
      for (const [index, rule] of rules.entries()) {
        const policy = policies[index]
        if (policy === undefined) continue
        const found = await findingOf(query, problem, policies, policy)
        if (found !== null) warnings.push(warning(found.kind, found.reason, rule.name))
        if (rule.effect === "permit" && isUnbounded(rule))
          warnings.push(warning("unbounded", UNBOUNDED, rule.name))
      }
      return warnings
    })
  } catch (error) {
    if (!(error instanceof SolverStoppedError)) throw error
    return [warning("unknown", error.message)]
  }
}

const REVEALS = ["full", "masked"] as const
type Reveal = (typeof REVEALS)[number]
type Finding = Pick<PolicyWarning, "kind" | "reason">

const UNBOUNDED = "it names no source, address, API key, function, relay destination or enclave"
/** Such as a policy about masks of values that the same requests may see in full. */
const UNNEEDED = "no decision would change without it"
const FAILS = "it fails for some requests, which refuses them whatever other policies say"

async function findingOf(
  query: Query,
  problem: Problem,
  policies: readonly EncodedPolicy[],
  policy: EncodedPolicy,
): Promise<Finding | null> {
  const others = policies.filter((each) => each !== policy)
  const appliesOther = (effect: EncodedPolicy["effect"], reveal: Reveal) =>
    or(...others.flatMap((each) => (each.effect === effect ? [appliesFor(each[reveal])] : [])))
  /** Where the policy applies to one of the actions, and so much holds of the others. */
  const applies = (also: (reveal: Reveal) => Term) =>
    or(...REVEALS.map((reveal) => and(appliesFor(policy[reveal]), also(reveal))))
  if (await query.isPossible(or(policy.full.error, policy.masked.error))) {
    // Operators without a form could fail in the encoding only.
    return problem.unknown().length === 0 ? { kind: "may-fail", reason: FAILS } : null
  }
  if (!(await query.isPossible(applies(() => TRUE))))
    return { kind: "never-applies", reason: "it applies to no request" }
  const takesMask = problem.takesMask()
  const [permitted, without] = [permittedBy(policies, takesMask), permittedBy(others, takesMask)]
  const changes = or(and(permitted, not(without)), and(without, not(permitted)))
  if (await query.isPossible(changes)) return null
  const isNotForbidden = (reveal: Reveal) => not(appliesOther("forbid", reveal))
  const permits = (reveal: Reveal) => appliesOther("permit", reveal)
  const noEffect = (reason: string): Finding => ({ kind: "no-effect", reason })
  if (policy.effect === "forbid") {
    if (!(await query.isPossible(applies(permits)))) {
      return { kind: "forbids-nothing", reason: "no policy permits what it forbids" }
    }
    const isAlone = await query.isPossible(applies((reveal) => and(permits(reveal), isNotForbidden(reveal))))
    return noEffect(isAlone ? UNNEEDED : "other policies forbid all that it forbids")
  }
  if (!(await query.isPossible(applies(isNotForbidden)))) {
    return noEffect("other policies forbid all that it permits")
  }
  const isAlone = await query.isPossible(
    applies((reveal) => and(isNotForbidden(reveal), not(permits(reveal)))),
  )
  return noEffect(isAlone ? UNNEEDED : "other policies permit all that it permits")
}

/** What tells requests from each other. The time does not, because anybody can wait. */
const BOUNDS = ["sources", "ipRanges", "apiKeys", "functions", "relayDestinations", "enclavePcrs"] as const
const BOUNDS_IN_CEDAR = /\b(?:source|ip|apiKey|function|relayDestination|enclave)\b/

/** Whether a policy says nothing of who asks, and from where. */
function isUnbounded({ conditions, cedar }: NamedRule): boolean {
  if (conditions !== null) return BOUNDS.every((name) => conditions[name] === undefined)
  return cedar !== null && !BOUNDS_IN_CEDAR.test(cedar)
}

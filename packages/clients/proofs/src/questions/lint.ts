import type { AccessQuestion, CedarSession, NamedRule, PolicyWarning } from "@sealway/policies/analysis"
import { type EncodedPolicy, permittedBy } from "../encoding/encode-policies.ts"
import { and, not, or } from "../smt/terms.ts"
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
  { role, rules, nowMs }: AccessQuestion,
): Promise<readonly PolicyWarning[]> {
  const problem = createProblem(session, role, nowMs)
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

type Finding = Pick<PolicyWarning, "kind" | "reason">

const UNBOUNDED = "it names no source, address, API key, function, relay destination or enclave"
const FAILS = "it fails for some requests, which refuses them whatever other policies say"

async function findingOf(
  query: Query,
  { encoder }: Problem,
  policies: readonly EncodedPolicy[],
  policy: EncodedPolicy,
): Promise<Finding | null> {
  const others = policies.filter((each) => each !== policy)
  const applies = and(not(policy.error), policy.holds)
  const appliesOther = (effect: EncodedPolicy["effect"]) =>
    or(...others.filter((each) => each.effect === effect).map(({ error, holds }) => and(not(error), holds)))
  if (await query.isPossible(policy.error)) {
    // Operators without a form could fail in the encoding only.
    return encoder.unknown.size === 0 ? { kind: "may-fail", reason: FAILS } : null
  }
  if (!(await query.isPossible(applies))) return { kind: "never-applies", reason: "it applies to no request" }
  const [permitted, without] = [permittedBy(policies), permittedBy(others)]
  const changes = or(and(permitted, not(without)), and(without, not(permitted)))
  if (await query.isPossible(changes)) return null
  if (policy.effect === "forbid") {
    const isPermitted = await query.isPossible(applies, appliesOther("permit"))
    return isPermitted
      ? { kind: "no-effect", reason: "other policies forbid all that it forbids" }
      : { kind: "forbids-nothing", reason: "no policy permits what it forbids" }
  }
  const isLeft = await query.isPossible(applies, not(appliesOther("forbid")))
  return isLeft
    ? { kind: "no-effect", reason: "other policies permit all that it permits" }
    : { kind: "no-effect", reason: "other policies forbid all that it permits" }
}

/** What tells requests from each other. The time does not, because anybody can wait. */
const BOUNDS = ["sources", "ipRanges", "apiKeys", "functions", "relayDestinations", "enclavePcrs"] as const
const BOUNDS_IN_CEDAR = /\b(?:source|ip|apiKey|function|relayDestination|enclave)\b/

/** Whether a policy says nothing of who asks, and from where. */
function isUnbounded({ conditions, cedar }: NamedRule): boolean {
  if (conditions !== null) return BOUNDS.every((name) => conditions[name] === undefined)
  return cedar !== null && !BOUNDS_IN_CEDAR.test(cedar)
}

import { failureOfPolicyTest } from "@sealway/kernel/policy-test"
import { instantiateCedar } from "../cedar/cedar.ts"
import { createCedarSession } from "../cedar/cedar-session.ts"
import { decisionContextOf, timeOf } from "../rules/context-input.ts"
import type { NamedRule } from "../rules/data-policy.ts"
import type { VerdictReason } from "../rules/decision.ts"
import { type PolicyInput, ruleOf } from "../rules/policy-input.ts"
import { policySetOf } from "../rules/policy-set.ts"
import type { Outcome } from "../rules/reveal.ts"
import { explain, type PolicyExplanation } from "../trials/explain.ts"
import type { PolicyTestFile, RoleInput } from "./policy-files.ts"

export interface PolicyTestResult {
  readonly name: string
  readonly passed: boolean
  /** Why it failed; null when it passed. */
  readonly failure: string | null
  readonly expected: Outcome
  readonly actual: Outcome
  readonly reason: VerdictReason
  /** What each policy decides; their ids are their names. */
  readonly policies: readonly PolicyExplanation[]
}

/** Not a real app: tests do not support policies that name an app. */
const TEST_APP = "app_test"

/**
 * Runs the tests of a file against policies, offline, with the engine that decides on decryptions. Budgets are not
 * counted. A test that depends on the time and gives none fails: it would pass by day and fail by night.
 *
 * @param policies as written in files; their names are unique
 * @param roles as written in files. A role that is not there may have a mask. Default: none
 */
export async function runPolicyTests(
  { role, policies: names, tests = [] }: PolicyTestFile,
  policies: readonly PolicyInput[],
  roles: readonly RoleInput[] = [],
): Promise<readonly PolicyTestResult[]> {
  const { engine } = createCedarSession(instantiateCedar)
  const attached = policies.filter(({ roles }) => roles.includes(role))
  const chosen = attached.filter(({ name }) => names === undefined || names.includes(name))
  const missing = (names ?? []).filter((name) => !chosen.some((policy) => policy.name === name))
  const rules: readonly NamedRule[] = chosen.map((policy) => ({
    id: policy.name,
    name: policy.name,
    ...ruleOf(policy),
  }))
  const hasMask = roles.find(({ slug }) => slug === role)?.mask !== null
  const needsTime = engine.dependsOnTime(policySetOf(rules))

  const results: PolicyTestResult[] = []
  for (const { name, context, expect, decidedBy } of tests) {
    const given = timeOf(context)
    const question = { appId: TEST_APP, role, context: decisionContextOf(context), timeMs: given ?? 0 }
    const { decision, reason, policies: explained } = await explain(engine, rules, question, hasMask)
    const deciding = explained.filter(({ decided }) => decided).map((policy) => policy.name)
    const wanted = { expect, decidedBy, hasTime: given !== null }
    const failure = failureOfPolicyTest(wanted, { decision, deciding, dependsOnTime: needsTime, missing })
    results.push({
      name,
      passed: failure === null,
      failure,
      expected: expect,
      actual: decision,
      reason,
      policies: explained,
    })
  }
  return results
}

import { createCedarSession, instantiateCedar } from "@sealway/policies/analysis"
import { expect, test } from "vitest"
import { createProblem } from "../questions/problem.ts"
import { definitionsIn } from "../testing/evaluate-terms.ts"
import { evaluatorOf } from "../testing/evaluator-of.ts"
import { FROM_MS, randomQuestion, randomRules } from "../testing/random-policies.ts"

/** How many sets of policies to try, from which seed on; for long runs by hand. */
const SETS = Number(process.env.PROOF_FUZZ_RUNS ?? 150)
const FIRST_SEED = Number(process.env.PROOF_FUZZ_SEED ?? 1)
const QUESTIONS_PER_SET = 8
const TIMEOUT_MS = 60_000 + SETS * 100

test("decides each random request as Cedar does, and its facts hold for each", {
  timeout: TIMEOUT_MS,
}, () => {
  const session = createCedarSession(instantiateCedar)
  const counts = { permit: 0, deny: 0, undefined: 0 }
  for (let seed = FIRST_SEED; seed < FIRST_SEED + SETS; seed++) {
    const problem = createProblem(session, "pci", FROM_MS)
    const set = problem.encode(randomRules(seed))
    const definitions = definitionsIn(problem.script.take())
    for (let index = 0; index < QUESTIONS_PER_SET; index++) {
      const question = randomQuestion(seed * QUESTIONS_PER_SET + index)
      const decision = problem.decides(set, question)
      const evaluator = evaluatorOf(problem, definitions, question)
      const [permitted, facts] = [evaluator.valueOf(set.permitted), evaluator.valueOf(problem.facts())]
      const encoded = permitted === undefined ? undefined : permitted ? "permit" : "deny"
      counts[encoded ?? "undefined"]++
      expect({
        seed,
        index,
        facts: facts !== false,
        encoded: encoded ?? decision,
        rules: encoded === decision ? null : set.rules,
        question,
      }).toEqual({
        seed,
        index,
        facts: true,
        encoded: decision,
        rules: encoded === decision ? null : set.rules,
        question,
      })
    }
  }
  // Random policies that decide nothing would test nothing.
  const total = SETS * QUESTIONS_PER_SET
  expect(counts.permit).toBeGreaterThan(total / 20)
  expect(counts.deny).toBeGreaterThan(total / 5)
  expect(counts.undefined).toBeLessThan(total / 3)
})

import {
  createCedarSession,
  instantiateCedar,
  localTime,
  normalizeHost,
  type Question,
} from "@sealway/policies/analysis"
import { expect, test } from "vitest"
import { createProblem, type EncodedSet, type Problem } from "../questions/problem.ts"
import { createEvaluator, type TermValue } from "../testing/evaluate-terms.ts"
import { FROM_MS, randomQuestion, randomRules } from "../testing/random-policies.ts"
import { rangeNumbers } from "./addresses.ts"
import { ABSENT, FIRST_OTHER, type Variable } from "./request.ts"

/** How many sets of policies to try, from which seed on; for long runs by hand. */
const SETS = Number(process.env.PROOF_FUZZ_RUNS ?? 400)
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
    const commands = problem.script.take()
    for (let index = 0; index < QUESTIONS_PER_SET; index++) {
      const question = randomQuestion(seed * QUESTIONS_PER_SET + index)
      const decision = problem.decides(set, question)
      const { permitted, facts } = evaluated(problem, set, commands, question)
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

function evaluated(problem: Problem, { permitted }: EncodedSet, commands: string, question: Question) {
  const { request, texts } = problem
  const { context, timeMs, appId } = question
  const facts = problem.facts()
  const named = new Map(texts.all())
  const others = new Map<string, number>()
  const codeOf = (text: string | null | undefined): number => {
    if (text === null || text === undefined) return ABSENT
    const code = named.get(text) ?? others.get(text) ?? FIRST_OTHER - others.size
    if (!named.has(text)) others.set(text, code)
    return code
  }
  const host = context.relayDestination === undefined ? undefined : normalizeHost(context.relayDestination)
  const pcr = (name: "pcr0" | "pcr1" | "pcr2" | "pcr8") => codeOf(context.enclavePcrs?.[name]?.toLowerCase())
  const ip = context.ip?.replace("::ffff:10.1.2.3", "10.1.2.3") ?? null
  const numbers: Record<Variable, TermValue | number> = {
    app: codeOf(appId),
    source: codeOf(context.source),
    time: timeMs,
    ip: ip === null ? ABSENT : rangeNumbers(ip)?.first,
    apiKey: codeOf(context.apiKeyId),
    function: codeOf(context.functionName),
    relayDestination: codeOf(host),
    enclave: context.enclavePcrs !== undefined,
    pcr0: pcr("pcr0"),
    pcr1: pcr("pcr1"),
    pcr2: pcr("pcr2"),
    pcr8: pcr("pcr8"),
  }
  const values = new Map<string, TermValue>(
    Object.entries(numbers).map(([name, value]) => [name, typeof value === "number" ? BigInt(value) : value]),
  )
  for (const { zone, minute, weekday } of request.clocks()) {
    const reading = localTime(timeMs, zone)
    values.set(minute, BigInt(reading?.minuteOfDay ?? -1)).set(weekday, BigInt(reading?.weekday ?? -1))
  }
  // What the facts leave no choice about: whether a text matches a pattern.
  for (const [name] of facts.matchAll(/\bu[0-9]+\b/g)) {
    const possible = [true, false].filter(
      (value) => createEvaluator(commands, new Map(values).set(name, value)).valueOf(facts) !== false,
    )
    if (possible.length === 1) values.set(name, possible[0])
  }
  const evaluator = createEvaluator(commands, values)
  return { permitted: evaluator.valueOf(permitted), facts: evaluator.valueOf(facts) }
}

import { localTime, normalizeHost, type Question } from "@sealway/policies/analysis"
import { rangeNumbers } from "../encoding/addresses.ts"
import { ABSENT, FIRST_OTHER, type Variable } from "../encoding/request.ts"
import type { Problem } from "../questions/problem.ts"
import { createEvaluator, type Definitions, type Evaluator, type TermValue } from "./evaluate-terms.ts"

/** Evaluates terms of a problem for one request, without a solver. @param definitions all of the problem */
export function evaluatorOf(problem: Problem, definitions: Definitions, question: Question): Evaluator {
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
    masked: question.action === "Mask",
    reason: context.hasReason === true,
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
      (value) => createEvaluator(definitions, new Map(values).set(name, value)).valueOf(facts) !== false,
    )
    if (possible.length === 1) values.set(name, possible[0])
  }
  return createEvaluator(definitions, values)
}

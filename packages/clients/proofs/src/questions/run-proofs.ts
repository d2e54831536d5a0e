import { type CedarSession, type Explanation, explain, type NamedRule } from "@sealway/policies/analysis"
import { type NamedProperty, type PolicyInput, ruleOf } from "@sealway/policies/files"
import type { DescribedRequest } from "../encoding/question-of.ts"
import type { SolverHost } from "../solver/solver.ts"
import { prove } from "./prove.ts"

/** What became of a property of a file. */
export interface ProofResult {
  readonly name: string
  readonly role: string
  /** How many policies it is about: those that are attached to the role. */
  readonly policies: number
  readonly result: "proved" | "disproved" | "unknown"
  /** Epoch milliseconds. It is proved for requests before that time; null: for all, or it is not proved. */
  readonly untilMs: number | null
  /** Why it is unknown, or what the proof does not count. */
  readonly notes: readonly string[]
  /** A request that contradicts the property, and what the engine that decides says of it. */
  readonly counterexample: (DescribedRequest & Explanation) | null
}

const BUDGETS = "Budgets are not counted: a request beyond its budget is refused"

/**
 * Proves properties of files, one after another.
 *
 * @param policies as written in files; their names are unique
 * @param nowMs the time of the earliest request, in epoch milliseconds
 */
export async function* runProofs(
  solvers: SolverHost,
  session: CedarSession,
  properties: readonly NamedProperty[],
  policies: readonly PolicyInput[],
  nowMs: number,
): AsyncGenerator<ProofResult> {
  for (const { name, role, property } of properties) {
    const attached = policies.filter(({ roles }) => roles.includes(role))
    const rules = attached.map(ruleOfFile)
    const common = { name, role, policies: rules.length, untilMs: null, notes: [], counterexample: null }
    if (rules.length === 0) {
      // Everything is true of no policies, also of those of a misspelled role.
      yield { ...common, result: "unknown", notes: [`No policy is attached to the role ${role}`] }
      continue
    }
    const proof = await prove(solvers, session, { property, role, rules, nowMs })
    if (proof.result === "unknown") yield { ...common, result: "unknown", notes: proof.reasons }
    else if (proof.result === "disproved") {
      const explanation = await explain(session.engine, rules, proof.question)
      yield { ...common, result: "disproved", counterexample: { ...proof.request, ...explanation } }
    } else {
      const hasBudget = property.kind === "always" && rules.some(({ conditions }) => conditions?.budget)
      yield { ...common, result: "proved", untilMs: proof.untilMs, notes: hasBudget ? [BUDGETS] : [] }
    }
  }
}

/** The rule of a policy in a file, which its name identifies. */
export function ruleOfFile(policy: PolicyInput): NamedRule {
  return { id: policy.name, name: policy.name, ...ruleOf(policy) }
}

import type { CedarSession, NamedRule, Question } from "@sealway/policies/analysis"
import type { Property } from "@sealway/policies/files"
import { type DescribedRequest, describeQuestion } from "../encoding/question-of.ts"
import { and, not, type Term } from "../smt/terms.ts"
import { createQuery } from "../solver/query.ts"
import { type SolverHost, SolverStoppedError } from "../solver/solver.ts"
import { findRequest, readClocks } from "./find-request.ts"
import { createProblem, type EncodedRegion, type EncodedSet, type Problem, reasonsOf } from "./problem.ts"

export type Proof =
  /**
   * No request contradicts the property. `untilMs`: null for all times from now on; otherwise for requests before that
   * time, by the rules of time zones that are in force now.
   */
  | { readonly result: "proved"; readonly untilMs: number | null }
  /** A request that contradicts it, checked with Cedar. */
  | { readonly result: "disproved"; readonly question: Question; readonly request: DescribedRequest }
  /** Neither was shown. One sentence each. */
  | { readonly result: "unknown"; readonly reasons: readonly string[] }

export interface ProofInput {
  readonly property: Property
  readonly role: string
  readonly rules: readonly NamedRule[]
  /** The time of the earliest request, in epoch milliseconds. */
  readonly nowMs: number
}

/** What contradicts a property: which decision, inside of which regions and outside of which. */
interface Violation {
  readonly decision: "permit" | "deny"
  readonly inside: readonly EncodedRegion[]
  readonly outside: readonly EncodedRegion[]
}

/**
 * Proves a property of requests for full values, or finds a request that contradicts it. Never throws because of what the
 * policies say.
 */
export async function prove(solvers: SolverHost, session: CedarSession, input: ProofInput): Promise<Proof> {
  const problem = createProblem(session, input.role, input.nowMs)
  try {
    const set = problem.encode(input.rules)
    const violation = violationOf(problem, input.property)
    const isFull = not(problem.takesMask())
    return await solvers.ask(async (solver) => {
      const query = createQuery(solver)
      await query.declare(problem.script.take())
      await query.assert(problem.facts())
      await query.assert(and(isFull, termOf(set, violation)))
      const search = await findRequest(query, problem, await readClocks(query, problem))
      if (!search.found) return { result: "proved", untilMs: search.untilMs }
      const { question } = search
      if (isConfirmed(problem, set, violation, question)) {
        const read = new Set(problem.request.read().keys())
        return { result: "disproved", question, request: describeQuestion(question, read) }
      }
      return { result: "unknown", reasons: reasonsOf(problem) }
    })
  } catch (error) {
    if (!(error instanceof SolverStoppedError)) throw error
    return { result: "unknown", reasons: [error.message] }
  }
}

function violationOf(problem: Problem, property: Property): Violation {
  switch (property.kind) {
    case "never":
      return { decision: "permit", inside: [problem.region(property.region)], outside: [] }
    case "only":
      return { decision: "permit", inside: [], outside: [problem.region(property.region)] }
    case "always":
      return { decision: "deny", inside: [problem.region(property.region)], outside: [] }
    case "implies": {
      const [when, only] = [problem.region(property.when), problem.region(property.only)]
      return { decision: "permit", inside: [when], outside: [only] }
    }
  }
}

function termOf({ permitted }: EncodedSet, { decision, inside, outside }: Violation): Term {
  return and(
    decision === "permit" ? permitted : not(permitted),
    ...inside.map(({ holds }) => holds),
    ...outside.map(({ holds }) => not(holds)),
  )
}

/** Whether the engine that decides agrees. What the solver assumes of an operator without a form may be impossible. */
function isConfirmed(
  problem: Problem,
  set: EncodedSet,
  { decision, inside, outside }: Violation,
  question: Question,
): boolean {
  return (
    problem.decides(set, question) === decision &&
    inside.every((region) => problem.includes(region, question)) &&
    !outside.some((region) => problem.includes(region, question))
  )
}

import type {
  AccessQuestion,
  CedarSession,
  ChangeDescription,
  ChangeQuestion,
  NamedRule,
  Question,
  RequestsDescription,
} from "@sealway/policies/analysis"
import { and, not, type Term } from "../smt/terms.ts"
import { createQuery } from "../solver/query.ts"
import { type SolverHost, SolverStoppedError } from "../solver/solver.ts"
import { kindOf } from "../words/words-of.ts"
import { describeRequests } from "./cubes.ts"
import { createProblem, type Problem } from "./problem.ts"

/** Describes who can ever decrypt values of a role, or see masks of them. */
export async function describeAccess(
  solvers: SolverHost,
  session: CedarSession,
  { rules, role, nowMs, hasMask }: AccessQuestion,
): Promise<RequestsDescription> {
  const problem = createProblem(session, role, nowMs, hasMask)
  return knownOr(async () => {
    const set = problem.encode(rules)
    const isPermitted = (question: Question) => problem.decides(set, question) === "permit"
    return describe(solvers, problem, set.permitted, isPermitted)
  })
}

/** Describes the requests that are decided otherwise by other policies. */
export async function describeChange(
  solvers: SolverHost,
  session: CedarSession,
  { before, after, role, nowMs, hasMask }: ChangeQuestion,
): Promise<ChangeDescription> {
  const difference = (from: readonly NamedRule[], to: readonly NamedRule[]) => {
    const problem = createProblem(session, role, nowMs, hasMask)
    return knownOr(async () => {
      const [less, more] = [problem.encode(from), problem.encode(to)]
      const isGained = (question: Question) =>
        problem.decides(more, question) === "permit" && problem.decides(less, question) === "deny"
      return describe(solvers, problem, and(more.permitted, not(less.permitted)), isGained)
    })
  }
  return { permitted: await difference(before, after), refused: await difference(after, before) }
}

function describe(
  solvers: SolverHost,
  problem: Problem,
  term: Term,
  isConfirmed: (question: Question) => boolean,
): Promise<RequestsDescription> {
  return solvers.ask(async (solver) => {
    const query = createQuery(solver)
    await query.declare(problem.script.take())
    await query.assert(problem.facts())
    const { cubes, isComplete, untilMs } = await describeRequests(query, problem, term, isConfirmed)
    return { known: true, requests: cubes.map((cube) => kindOf(cube, problem.texts)), isComplete, untilMs }
  })
}

async function knownOr(describing: () => Promise<RequestsDescription>): Promise<RequestsDescription> {
  try {
    return await describing()
  } catch (error) {
    if (!(error instanceof SolverStoppedError)) throw error
    return { known: false, reason: error.message }
  }
}

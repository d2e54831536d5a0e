import type { Question } from "@sealway/policies/analysis"
import { type Cell, type Cube, cubeTerm, type Dimension, dimensionsOf } from "../encoding/dimensions.ts"
import { TRUTHS } from "../encoding/request.ts"
import { and, not, type Term } from "../smt/terms.ts"
import type { Query } from "../solver/query.ts"
import { SolverStoppedError } from "../solver/solver.ts"
import { findRequest, readClocks } from "./find-request.ts"
import { type Problem, reasonsOf } from "./problem.ts"

export interface Cubes {
  readonly cubes: readonly Cube[]
  /** Whether they are all. */
  readonly isComplete: boolean
  /** It is complete for requests before that time, in epoch milliseconds, by the rules of time zones; null: for all. */
  readonly untilMs: number | null
}

/** The maximum number of cubes that people read. */
const MAX_CUBES = 20

/**
 * Describes all requests for which a term holds: starts from one of them, leaves out each dimension that does not
 * matter, adds to the others all values that do not either, and looks for requests that are not yet described.
 *
 * @param isConfirmed whether Cedar agrees that a request is one of them
 * @throws SolverStoppedError when Cedar does not agree, or the solver does not know
 */
export async function describeRequests(
  query: Query,
  problem: Problem,
  term: Term,
  isConfirmed: (question: Question) => boolean,
): Promise<Cubes> {
  const dimensions = dimensionsOf(problem.request, problem.texts, problem.trees)
  const clocks = await readClocks(query, problem)
  const cubes: Cube[] = []
  for (;;) {
    const search = await query.within(async () => {
      await query.assert(and(term, ...cubes.map((cube) => not(cubeTerm(cube)))))
      return findRequest(query, problem, clocks)
    })
    if (!search.found) {
      return { cubes: await withoutNeedless(query, cubes), isComplete: true, untilMs: search.untilMs }
    }
    if (!isConfirmed(search.question)) throw new SolverStoppedError(reasonsOf(problem).join("; "))
    if (cubes.length === MAX_CUBES) return { cubes, isComplete: false, untilMs: null }
    const values = new Map(
      [...search.values].map(([name, value]) => [name, typeof value === "bigint" ? value : BigInt(value)]),
    )
    cubes.push(await widened(query, term, dimensions, values))
  }
}

/** The largest cube around a request that a fixed order of trying finds: whatever is left out or added stays inside. */
async function widened(
  query: Query,
  term: Term,
  dimensions: readonly Dimension[],
  values: ReadonlyMap<Term, bigint>,
): Promise<Cube> {
  const isInside = async (cube: Cube) => !(await query.isPossible(cubeTerm(cube), not(term)))
  const cube = new Map<Dimension, readonly Cell[]>(
    dimensions.map((dimension) => {
      const value = values.get(variableOf(dimension)) ?? 0n
      return [dimension, [[{ first: value, last: value }]]]
    }),
  )
  if (!(await isInside(cube)))
    throw new SolverStoppedError("the requests cannot be told apart by what policies read")
  for (const dimension of dimensions) {
    const [point = []] = cube.get(dimension) ?? []
    const without = new Map([...cube].filter(([each]) => each !== dimension))
    if (await isInside(without)) {
      cube.delete(dimension)
      continue
    }
    const value = point[0]?.first ?? 0n
    const own = dimension.cells.find((cell) =>
      cell.some(({ first, last }) => first <= value && value <= last),
    )
    if (own === undefined || !(await isInside(new Map(cube).set(dimension, [own])))) continue
    let cells: readonly Cell[] = [own]
    for (const cell of dimension.cells) {
      if (cell !== own && (await isInside(new Map(cube).set(dimension, [...cells, cell]))))
        cells = [...cells, cell]
    }
    cube.set(dimension, cells)
  }
  return cube
}

/** The variable that a dimension is about. */
function variableOf({ name, term }: Dimension): Term {
  return TRUTHS.some((truth) => truth === name) ? name : term
}

/** Leaves out each cube that the others contain. */
async function withoutNeedless(query: Query, cubes: readonly Cube[]): Promise<readonly Cube[]> {
  let kept = cubes
  for (const cube of cubes) {
    const others = kept.filter((each) => each !== cube)
    const isNeeded = await query.isPossible(cubeTerm(cube), ...others.map((other) => not(cubeTerm(other))))
    if (!isNeeded) kept = others
  }
  return kept
}

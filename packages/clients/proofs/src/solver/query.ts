import { and, type Term } from "../smt/terms.ts"
import { type Solver, SolverStoppedError } from "./solver.ts"

/** One question, which grows: what is asserted stays. */
export interface Query {
  /** Declares what terms name. */
  declare(commands: string): Promise<void>
  assert(term: Term): Promise<void>
  /** Asks something for which more is asserted, which is forgotten afterwards. */
  within<Answer>(ask: () => Promise<Answer>): Promise<Answer>
  /**
   * Whether all that is asserted can hold together with the terms.
   *
   * @throws SolverStoppedError when the solver does not know
   */
  isPossible(...terms: readonly Term[]): Promise<boolean>
  /** Returns values of variables for which all that is asserted holds, which must be possible. */
  valuesOf(variables: readonly Term[]): Promise<ReadonlyMap<Term, bigint | boolean>>
}

export function createQuery(solver: Solver): Query {
  return {
    async declare(commands) {
      if (commands !== "") await solver.run(commands)
    },
    async assert(term) {
      await solver.run(`(assert ${term})`)
    },
    async within(ask) {
      await solver.run("(push)")
      const answer = await ask()
      await solver.run("(pop)")
      return answer
    },
    async isPossible(...terms) {
      return isSatisfiable(await solver.run(`(push)(assert ${and(...terms)})(check-sat)(pop)`))
    },
    async valuesOf(variables) {
      if (variables.length === 0) return new Map()
      const [verdict = "", ...lines] = (
        await solver.run(`(check-sat)(get-value (${variables.join(" ")}))`)
      ).split("\n")
      if (!isSatisfiable(verdict)) throw new SolverStoppedError("The solver contradicts itself")
      return parseValues(lines.join(" "))
    },
  }
}

function isSatisfiable(answer: string): boolean {
  const verdict = answer.trim()
  if (verdict === "sat") return true
  if (verdict === "unsat") return false
  throw new SolverStoppedError("the solver cannot decide it")
}

/** Parses what `get-value` prints: `((a 5) (b (- 1)) (c true))`. */
function parseValues(text: string): ReadonlyMap<Term, bigint | boolean> {
  const values = new Map<Term, bigint | boolean>()
  const pair =
    /\((?<name>[A-Za-z][A-Za-z0-9]*) (?:(?<truth>true|false)|(?<number>[0-9]+)|\(- (?<negative>[0-9]+)\))\)/g
  for (const { groups = {} } of text.matchAll(pair)) {
    const { name = "", truth, number, negative } = groups
    values.set(name, truth === undefined ? BigInt(number ?? `-${negative}`) : truth === "true")
  }
  return values
}

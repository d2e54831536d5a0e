import { int, type Term } from "./terms.ts"

/** Terms that are longer get a name, so that what uses them twice does not become twice as long. */
const MAX_INLINE_CHARACTERS = 120

export type Sort = "Bool" | "Int"

/** The declarations and definitions of a question to a solver. It grows while expressions are encoded. */
export interface Script {
  /** Declares a variable; returns its name. */
  variable(name: string, sort: Sort): Term
  /** Declares a variable that no other has the name of. */
  fresh(sort: Sort): Term
  /** Returns the term, or the name of a definition of it when it is long. */
  named(sort: Sort, term: Term): Term
  /** Returns the commands since the last call. */
  take(): string
}

export function createScript(): Script {
  let count = 0
  let commands: string[] = []
  const declare = (name: string, sort: Sort) => {
    commands.push(`(declare-const ${name} ${sort})`)
    return name
  }
  return {
    variable: declare,
    fresh: (sort) => declare(`u${int(count++)}`, sort),
    named(sort, term) {
      if (term.length <= MAX_INLINE_CHARACTERS) return term
      const name = `d${int(count++)}`
      commands.push(`(define-fun ${name} () ${sort} ${term})`)
      return name
    },
    take() {
      const taken = commands.join("\n")
      commands = []
      return taken
    },
  }
}

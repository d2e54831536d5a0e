/**
 * Evaluates SMT-LIB terms for given values, without a solver. A variable without a value makes a term undefined, unless
 * its value does not matter.
 */
export type TermValue = bigint | boolean | undefined
type Tree = string | readonly Tree[]

export interface Evaluator {
  valueOf(term: string): TermValue
}

/** Definitions of a script, by name. */
export type Definitions = ReadonlyMap<string, Tree>

export function definitionsIn(commands: string): Definitions {
  const definitions = new Map<string, Tree>()
  for (const command of parse(commands)) {
    const [kind, name, , , body] = typeof command === "string" ? [] : command
    if (kind === "define-fun" && typeof name === "string" && body !== undefined) definitions.set(name, body)
  }
  return definitions
}

/** @param values values of variables, by name */
export function createEvaluator(definitions: Definitions, values: ReadonlyMap<string, TermValue>): Evaluator {
  const known = new Map<string, TermValue>(values)

  const evaluate = (tree: Tree): TermValue => {
    if (typeof tree === "string") {
      if (tree === "true" || tree === "false") return tree === "true"
      if (/^[0-9]+$/.test(tree)) return BigInt(tree)
      const definition = definitions.get(tree)
      if (!known.has(tree)) known.set(tree, definition === undefined ? undefined : evaluate(definition))
      return known.get(tree)
    }
    const [operator, ...operands] = tree
    const results = operands.map(evaluate)
    switch (operator) {
      case "not":
        return results[0] === undefined ? undefined : results[0] === false
      case "and":
        return results.includes(false) ? false : results.includes(undefined) ? undefined : true
      case "or":
        return results.includes(true) ? true : results.includes(undefined) ? undefined : false
      case "ite":
        if (results[0] === undefined) return results[1] === results[2] ? results[1] : undefined
        return results[0] === true ? results[1] : results[2]
    }
    if (results.includes(undefined)) return undefined
    if (operator === "=") return results[0] === results[1]
    const numbers = results.map((result) => BigInt(result ?? 0n))
    const [first = 0n, second = 0n] = numbers
    switch (operator) {
      case "<=":
        return numbers.every((number, index) => index === 0 || (numbers[index - 1] ?? 0n) <= number)
      case "+":
        return numbers.reduce((sum, number) => sum + number, 0n)
      case "-":
        return numbers.length === 1 ? -first : first - second
      case "*":
        return first * second
      case "div":
        return (first - modulo(first, second)) / second
      case "mod":
        return modulo(first, second)
      default:
        throw new TypeError(`No such operator: ${String(operator)}`)
    }
  }
  return { valueOf: (term) => evaluate(parse(term)[0] ?? "") }
}

function modulo(number: bigint, divisor: bigint): bigint {
  return ((number % divisor) + divisor) % divisor
}

function parse(text: string): Tree[] {
  const stack: Tree[][] = [[]]
  for (const [token] of text.matchAll(/[()]|[^\s()]+/g)) {
    if (token === "(") stack.push([])
    else if (token === ")") {
      const done = stack.pop() ?? []
      stack.at(-1)?.push(done)
    } else stack.at(-1)?.push(token)
  }
  return stack[0] ?? []
}

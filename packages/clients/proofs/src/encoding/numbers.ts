import { atMost, int, not, type Term, within } from "../smt/terms.ts"
import type { Operator, OperatorTable } from "./operator.ts"
import { bool, long, type Value } from "./symbol.ts"

const MIN_LONG = -(2n ** 63n)
const MAX_LONG = 2n ** 63n - 1n

/** True where a number does not fit Cedar's 64 bits, which is an error there. */
export function overflows(number: Term): Term {
  return not(within(number, MIN_LONG, MAX_LONG))
}

/** Compares numbers, points in time, or durations. Others are an error, which the validator refuses. */
function comparison(compare: (left: Term, right: Term) => Term): Operator {
  return (left, right) => {
    if (!isNumber(left) || !isNumber(right) || left.kind !== right.kind) return null
    return { value: bool(compare(left.number, right.number)) }
  }
}

function arithmetic(operator: "+" | "-" | "*"): Operator {
  return (left, right) => {
    if (left?.kind !== "long" || right?.kind !== "long") return null
    const number = `(${operator} ${left.number} ${right.number})`
    return { value: long(number), error: overflows(number) }
  }
}

function isNumber(value: Value | undefined): value is Extract<Value, { readonly number: Term }> {
  return value?.kind === "long" || value?.kind === "datetime" || value?.kind === "duration"
}

/** Numbers, with Cedar's errors of overflow. */
export const NUMBER_OPERATORS: OperatorTable = new Map<string, Operator>([
  ["<", comparison((left, right) => not(atMost(right, left)))],
  ["<=", comparison(atMost)],
  [">", comparison((left, right) => not(atMost(left, right)))],
  [">=", comparison((left, right) => atMost(right, left))],
  ["+", arithmetic("+")],
  ["-", arithmetic("-")],
  ["*", arithmetic("*")],
  [
    "neg",
    (operand) => {
      if (operand?.kind !== "long") return null
      const number = `(- ${operand.number})`
      return { value: long(number), error: overflows(number) }
    },
  ],
])

/** A literal. Cedar's JSON rounds numbers beyond those that JavaScript holds exactly: they have no form. */
export function longLiteral(value: number): Value | null {
  return Number.isSafeInteger(value) ? long(int(value)) : null
}

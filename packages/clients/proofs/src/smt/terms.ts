/** A term of SMT-LIB 2.6, as text. Terms are built by these functions only, which simplify what is constant. */
export type Term = string

export const TRUE: Term = "true"
export const FALSE: Term = "false"

export function not(term: Term): Term {
  if (term === TRUE) return FALSE
  return term === FALSE ? TRUE : `(not ${term})`
}

export function and(...terms: readonly Term[]): Term {
  if (terms.includes(FALSE)) return FALSE
  const open = [...new Set(terms)].filter((term) => term !== TRUE)
  return open.length > 1 ? `(and ${open.join(" ")})` : (open[0] ?? TRUE)
}

export function or(...terms: readonly Term[]): Term {
  if (terms.includes(TRUE)) return TRUE
  const open = [...new Set(terms)].filter((term) => term !== FALSE)
  return open.length > 1 ? `(or ${open.join(" ")})` : (open[0] ?? FALSE)
}

export function ite(condition: Term, then: Term, otherwise: Term): Term {
  if (condition === TRUE || then === otherwise) return then
  return condition === FALSE ? otherwise : `(ite ${condition} ${then} ${otherwise})`
}

export function int(value: number | bigint): Term {
  return value < 0 ? `(- ${-BigInt(value)})` : String(value)
}

export function equal(left: Term, right: Term): Term {
  if (left === right) return TRUE
  return isNumeral(left) && isNumeral(right) ? FALSE : `(= ${left} ${right})`
}

export const atMost = (left: Term, right: Term): Term => `(<= ${left} ${right})`

/** From `first` to `last`, both included. */
export const within = (term: Term, first: number | bigint, last: number | bigint): Term =>
  first === last ? equal(term, int(first)) : `(<= ${int(first)} ${term} ${int(last)})`

/** Whether a term is what `int` writes: equal ones are the same text then, as `(- 0)` and `0` are not. */
function isNumeral(term: Term): boolean {
  return /^(?:0|[1-9][0-9]*|\(- [1-9][0-9]*\))$/.test(term)
}

import type { Expr } from "@cedar-policy/cedar-wasm/nodejs"

/**
 * Cedar expressions as JSON. Names that users choose only ever become values in it, and are never pasted into the text
 * of a policy. So no name can become part of a policy.
 */
const context: Expr = { Var: "context" }

export const literal = (value: string | number): Expr => ({ Value: value })

export const attribute = (name: string, subject: Expr = context): Expr => ({
  ".": { left: subject, attr: name },
})

export const hasAttribute = (name: string, subject: Expr = context): Expr => ({
  has: { left: subject, attr: name },
})

export const entity = (type: string, id: string): Expr => ({ Value: { __entity: { type, id } } })

export const not = (arg: Expr): Expr => ({ "!": { arg } })

export const both = (left: Expr, right: Expr): Expr => ({ "&&": { left, right } })

/** False for an empty list. Splits the list in halves, so that the depth is the logarithm of its length. */
export function anyOf(expressions: readonly Expr[]): Expr {
  const [only] = expressions
  if (only === undefined) return { Value: false }
  if (expressions.length === 1) return only
  const middle = expressions.length >> 1
  return { "||": { left: anyOf(expressions.slice(0, middle)), right: anyOf(expressions.slice(middle)) } }
}

export const isOneOf = (value: Expr, values: readonly Expr[]): Expr => ({
  contains: { left: { Set: [...values] }, right: value },
})

export const equal = (left: Expr, right: Expr): Expr => ({ "==": { left, right } })

export const less = (left: Expr, right: Expr): Expr => ({ "<": { left, right } })

export const atLeast = (left: Expr, right: Expr): Expr => ({ ">=": { left, right } })

export const isInRange = (address: Expr, range: string): Expr => ({
  isInRange: [address, { ip: [literal(range)] }],
})

export const instant = (iso: string): Expr => ({ datetime: [literal(iso)] })

export const tag = (subject: Expr, name: string): Expr => ({
  getTag: { left: subject, right: literal(name) },
})

export const hasTag = (subject: Expr, name: string): Expr => ({
  hasTag: { left: subject, right: literal(name) },
})

import type { Expr } from "@cedar-policy/cedar-wasm/nodejs"

export type { Expr }

/** An expression in a form that all operators share. */
export interface Node {
  /** `&&`, `isInRange`, `Value`, ... */
  readonly op: string
  readonly operands: readonly Expr[]
  /** The attribute, or the type, that the expression names. */
  readonly name: string
  /** The literal of `Value`, the name of `Var`, or the pattern of `like`. */
  readonly literal: unknown
}

const OPERANDS = ["left", "right", "arg", "if", "then", "else", "in"]

/** @throws TypeError for what is no expression of Cedar's JSON */
export function nodeOf(expression: Expr): Node {
  const [entry, ...others] = Object.entries(expression)
  if (entry === undefined || others.length > 0) throw new TypeError("This is not an expression of Cedar")
  const [op, body]: [string, unknown] = entry
  if (op === "Value" || op === "Var") return { op, operands: [], name: "", literal: body }
  if (Array.isArray(body)) return { op, operands: body.filter(isExpression), name: "", literal: null }
  if (!isObject(body)) return { op, operands: [], name: "", literal: null }
  const operands = OPERANDS.flatMap((key) => {
    const operand = body[key]
    return isExpression(operand) ? [operand] : []
  })
  const name = body.attr ?? body.entity_type
  // A path, `has a.b`, has no form.
  return {
    op: Array.isArray(name) ? "has path" : op,
    operands,
    name: String(name ?? ""),
    literal: body.pattern ?? null,
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null
}

function isExpression(value: unknown): value is Expr {
  return isObject(value) && !Array.isArray(value) && Object.keys(value).length === 1
}

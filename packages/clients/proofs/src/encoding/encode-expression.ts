import type { Script } from "../smt/script.ts"
import { and, FALSE, int, ite, not, or, type Term, TRUE } from "../smt/terms.ts"
import { ADDRESS_OPERATORS } from "./addresses.ts"
import { type Expr, type Node, nodeOf } from "./node.ts"
import { longLiteral, NUMBER_OPERATORS } from "./numbers.ts"
import type { OperatorTable } from "./operator.ts"
import { createPatterns } from "./patterns.ts"
import type { Action, Request } from "./request.ts"
import { SET_OPERATORS } from "./sets.ts"
import { bool, type Sym, type Value } from "./symbol.ts"
import type { Texts } from "./texts.ts"
import { TIME_OPERATORS } from "./times.ts"

/** Operators that evaluate all their operands. */
const OPERATORS: OperatorTable = new Map([
  ...NUMBER_OPERATORS,
  ...SET_OPERATORS,
  ...ADDRESS_OPERATORS,
  ...TIME_OPERATORS,
])

/** An expression of a condition: where it fails, and where it is true. */
export interface Condition {
  readonly error: Term
  readonly holds: Term
}

export interface ExpressionEncoder {
  condition(expression: Expr): Condition
  /** What holds for every request. Complete when all policies are encoded. */
  facts(): Term
  /** Operators that had no form. Where they matter, the solver may assume any value for them. */
  readonly unknown: ReadonlySet<string>
}

/**
 * Encodes Cedar's expressions for all requests, with its errors: `&&`, `||` and `if` evaluate only what they need, and
 * all else fails with its operands.
 *
 * What has no form is a variable that may fail or have any value, the same one for the same text. So the encoding allows
 * at least what Cedar does: what is impossible in it is impossible, and what is possible in it must be checked with Cedar.
 *
 * @param action what the requests ask for
 */
export function createExpressionEncoder(
  script: Script,
  texts: Texts,
  request: Request,
  action: Action,
): ExpressionEncoder {
  const unknown = new Set<string>()
  const opaque = new Map<string, Condition>()
  const patterns = createPatterns(script, texts)

  /** Any outcome. */
  const anything = (expression: Expr): Condition => {
    const key = JSON.stringify(expression)
    const known = opaque.get(key)
    if (known !== undefined) return known
    const made = { error: script.fresh("Bool"), holds: script.fresh("Bool") }
    if (!UNSHARED.test(key)) opaque.set(key, made)
    return made
  }
  const failing = (expression: Expr, { op, operands }: Node): Sym => {
    // What fails for every request needs no form: `getTag` of a zone that does not exist.
    if (!LAZY.has(op) && operands.some((operand) => encode(operand).error === TRUE)) return unreadable
    // Only the innermost one is the reason.
    if (!operands.some((operand) => encode(operand).value.kind === "opaque")) unknown.add(op)
    return { error: anything(expression).error, value: { kind: "opaque" } }
  }

  const condition = (expression: Expr): Condition => {
    const { error, value } = encode(expression)
    if (value.kind === "bool") return { error, holds: value.holds }
    if (error === TRUE) return { error, holds: FALSE }
    const { error: anyError, holds } = anything(expression)
    return { error: anyError, holds }
  }

  const special: Readonly<Record<string, (node: Node) => Sym | null>> = {
    Value: ({ literal }) => literalSym(literal),
    Var: ({ literal }) => {
      if (literal === "action") return request.action(action)
      const variable = VARIABLES.find((name) => name === literal)
      return variable === undefined ? null : request[variable]
    },
    "!": ({ operands: [operand] }) => {
      if (operand === undefined) return null
      const { error, holds } = condition(operand)
      return { error, value: bool(not(holds)) }
    },
    "&&": ({ operands: [left, right] }) => {
      if (left === undefined || right === undefined) return null
      const [first, second] = [condition(left), condition(right)]
      return {
        error: or(first.error, and(first.holds, second.error)),
        value: bool(and(first.holds, second.holds)),
      }
    },
    "||": ({ operands: [left, right] }) => {
      if (left === undefined || right === undefined) return null
      const [first, second] = [condition(left), condition(right)]
      return {
        error: or(first.error, and(not(first.holds), second.error)),
        value: bool(or(first.holds, second.holds)),
      }
    },
    "if-then-else": ({ operands: [test, then, otherwise] }) => {
      if (test === undefined || then === undefined || otherwise === undefined) return null
      const { error, holds } = condition(test)
      const [yes, no] = [encode(then), encode(otherwise)]
      if (yes.error === TRUE && no.error === TRUE) return unreadable
      // Where a branch fails for every request, its value means nothing.
      const [first, second] = [yes.error === TRUE ? no : yes, no.error === TRUE ? yes : no]
      const value = choice(holds, first.value, second.value)
      return value && { error: or(error, ite(holds, yes.error, no.error)), value }
    },
    ".": ({ operands: [subject], name }) => {
      const { error, value } = subject ? encode(subject) : unreadable
      if (value.kind !== "record") return null
      const field = value.field(name)
      return field
        ? { error: or(error, not(field.isPresent), field.sym.error), value: field.sym.value }
        : null
    },
    has: ({ operands: [subject], name }) => {
      const { error, value } = subject ? encode(subject) : unreadable
      if (value.kind !== "record") return null
      return { error, value: bool(value.field(name)?.isPresent ?? FALSE) }
    },
    is: ({ operands: [subject, place], name }) => {
      const { error, value } = subject ? encode(subject) : unreadable
      if (value.kind !== "entity" || place !== undefined) return null
      return { error, value: bool(value.type === name ? TRUE : FALSE) }
    },
    hasTag: (node) => {
      const tag = clockOf(node)
      return tag && { error: tag.error, value: bool(tag.clock === null ? FALSE : TRUE) }
    },
    getTag: (node) => {
      const tag = clockOf(node)
      if (tag === null) return null
      return tag.clock === null ? unreadable : { ...tag.clock, error: tag.error }
    },
    like: ({ operands: [subject], literal }) => {
      const { error, value } = subject ? encode(subject) : unreadable
      const holds = value.kind === "text" ? patterns.matches(value.code, literal) : null
      if (holds === null) return null
      // Only for texts that policies name.
      unknown.add("like")
      return { error, value: bool(holds) }
    },
    Set: ({ operands }) => {
      const elements = operands.map(encode)
      const value: Value = { kind: "set", elements: elements.map((each) => each.value) }
      return { error: or(...elements.map(({ error }) => error)), value }
    },
  }

  /** Looks up a tag of `context.clock`, which a policy names as a literal. Other clocks are in no request. */
  const clockOf = ({ operands: [subject, tag] }: Node) => {
    if (subject === undefined || tag === undefined || !isContextClock(nodeOf(subject))) return null
    const { op, literal } = nodeOf(tag)
    // The service reads the zones for a request from the literals of its policies, see `timeUseOf`.
    if (op !== "Value" || typeof literal !== "string") return null
    return { error: encode(subject).error, clock: request.clock(literal) }
  }

  const literalSym = (literal: unknown): Sym | null => {
    const value = literalValue(literal, texts)
    return value && { error: FALSE, value }
  }

  const strict = ({ op, operands }: Node): Sym | null => {
    const evaluated = operands.map(encode)
    const outcome = OPERATORS.get(op)?.(...evaluated.map(({ value }) => value))
    if (!outcome) return null
    return { error: or(...evaluated.map(({ error }) => error), outcome.error ?? FALSE), value: outcome.value }
  }

  const encoded = new Map<Expr, Sym>()
  const encode = (expression: Expr): Sym => {
    const known = encoded.get(expression)
    if (known !== undefined) return known
    const node = nodeOf(expression)
    const own = Object.hasOwn(special, node.op) ? special[node.op] : undefined
    const made = (own ?? strict)(node) ?? failing(expression, node)
    const sym = { error: script.named("Bool", made.error), value: shorten(made.value, script) }
    encoded.set(expression, sym)
    return sym
  }

  return { condition, facts: patterns.facts, unknown }
}

const VARIABLES = ["principal", "resource", "context"] as const

/**
 * Equal texts of these may still differ: the clocks in a request depend on all policies of a set, and large numbers are
 * rounded.
 */
const UNSHARED = /"(?:getTag|hasTag)"|[0-9]{16}/

/** Operators that do not evaluate all their operands. */
const LAZY: ReadonlySet<string> = new Set(["&&", "||", "if-then-else"])

/** What fails for every request. */
const unreadable: Sym = { error: TRUE, value: { kind: "opaque" } }

function isContextClock({ op, operands: [subject], name }: Node): boolean {
  if (op !== "." || name !== "clock" || subject === undefined) return false
  const { op: inner, literal } = nodeOf(subject)
  return inner === "Var" && literal === "context"
}

function literalValue(literal: unknown, texts: Texts): Value | null {
  if (typeof literal === "boolean") return bool(literal ? TRUE : FALSE)
  if (typeof literal === "number") return longLiteral(literal)
  if (typeof literal === "string") return { kind: "text", code: int(texts.codeOf(literal)), literal }
  if (typeof literal !== "object" || literal === null || !("__entity" in literal)) return null
  const entity = literal.__entity
  if (typeof entity !== "object" || entity === null || !("type" in entity) || !("id" in entity)) return null
  return { kind: "entity", type: String(entity.type), code: int(texts.codeOf(String(entity.id))) }
}

/** The value that a condition chooses; null when that has no form. */
function choice(holds: Term, yes: Value, no: Value): Value | null {
  if (holds === TRUE) return yes
  if (holds === FALSE) return no
  if (yes.kind === "bool" && no.kind === "bool") return bool(ite(holds, yes.holds, no.holds))
  if (yes.kind === "text" && no.kind === "text") return { kind: "text", code: ite(holds, yes.code, no.code) }
  if (yes.kind === "entity" && no.kind === "entity" && yes.type === no.type) {
    return { ...yes, code: ite(holds, yes.code, no.code) }
  }
  if (yes.kind === "ip" && no.kind === "ip" && yes.prefix === null && no.prefix === null) {
    const address = ite(holds, yes.address, no.address)
    return { ...yes, address, first: address, last: address }
  }
  const isSame = yes.kind === no.kind && "number" in yes && "number" in no
  return isSame ? { ...yes, number: ite(holds, yes.number, no.number) } : null
}

function shorten(value: Value, script: Script): Value {
  switch (value.kind) {
    case "bool":
      return bool(script.named("Bool", value.holds))
    case "long":
    case "datetime":
    case "duration":
      return { ...value, number: script.named("Int", value.number) }
    case "text":
    case "entity":
      return { ...value, code: script.named("Int", value.code) }
    default:
      return value
  }
}

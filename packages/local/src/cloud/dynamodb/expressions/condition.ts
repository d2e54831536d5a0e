import { invalid, notOffered } from "../dynamodb-error.ts"
import { syntaxError } from "./read-tokens.ts"
import { type Operand, TokenReader } from "./token-reader.ts"

export type Comparator = "=" | "<" | "<=" | ">" | ">="

export type Condition =
  | { readonly kind: "and" | "or"; readonly left: Condition; readonly right: Condition }
  | {
      readonly kind: "compare"
      readonly comparator: Comparator
      readonly left: Operand
      readonly right: Operand
    }
  | { readonly kind: "exists" | "absent"; readonly attribute: string }
  | { readonly kind: "begins"; readonly attribute: string; readonly value: string }

/** An expression's tree, and the placeholders that it uses. */
export interface ParsedExpression<Tree> {
  readonly tree: Tree
  readonly placeholders: ReadonlySet<string>
}

const COMPARATORS: ReadonlySet<string> = new Set(["=", "<", "<=", ">", ">="])
/** Far more than any of our conditions needs. */
const MAX_DEPTH = 50

/**
 * Parses a condition: comparisons, `attribute_exists`, `attribute_not_exists` and `begins_with`, joined by `AND`, `OR`
 * and parentheses.
 *
 * @throws DynamoDbError ValidationException for anything else
 */
export function parseCondition(expression: string): ParsedExpression<Condition> {
  const reader = new TokenReader(expression)
  const tree = readAlternatives(reader, 0)
  reader.expectEnd()
  return { tree, placeholders: reader.placeholders() }
}

function readAlternatives(reader: TokenReader, depth: number): Condition {
  let left = readConjunction(reader, depth)
  while (reader.take("OR")) left = { kind: "or", left, right: readConjunction(reader, depth) }
  return left
}

function readConjunction(reader: TokenReader, depth: number): Condition {
  let left = readTerm(reader, depth)
  while (reader.take("AND")) left = { kind: "and", left, right: readTerm(reader, depth) }
  return left
}

function readTerm(reader: TokenReader, depth: number): Condition {
  if (depth > MAX_DEPTH) throw invalid("The expression is nested too deeply.")
  const word = reader.peek()?.toUpperCase()
  if (word === "NOT") throw notOffered("NOT in conditions")
  if (reader.take("(")) {
    const inner = readAlternatives(reader, depth + 1)
    reader.expect(")")
    return inner
  }
  for (const [name, kind] of [
    ["attribute_exists", "exists"],
    ["attribute_not_exists", "absent"],
  ] as const) {
    if (!reader.takeCall(name)) continue
    const attribute = reader.attribute()
    reader.expect(")")
    return { kind, attribute }
  }
  if (reader.takeCall("begins_with")) {
    const attribute = reader.attribute()
    reader.expect(",")
    const value = reader.value()
    reader.expect(")")
    return { kind: "begins", attribute, value }
  }
  return readComparison(reader)
}

function readComparison(reader: TokenReader): Condition {
  const left = reader.operand()
  const comparator = reader.peek() ?? ""
  if (["<>", "BETWEEN", "IN"].includes(comparator.toUpperCase()))
    throw notOffered("<>, BETWEEN and IN in conditions")
  if (!isComparator(comparator)) throw syntaxError()
  reader.expect(comparator)
  return { kind: "compare", comparator, left, right: reader.operand() }
}

function isComparator(token: string): token is Comparator {
  return COMPARATORS.has(token)
}

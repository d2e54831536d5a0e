import { invalid, notOffered } from "../dynamodb-error.ts"
import type { ParsedExpression } from "./condition.ts"
import { syntaxError } from "./read-tokens.ts"
import { type Operand, TokenReader } from "./token-reader.ts"

export type UpdateTerm = Operand | { readonly attribute: string; readonly otherwise: Operand }

export interface SetAction {
  readonly attribute: string
  readonly term: UpdateTerm
  /** What is added to the term, or subtracted. */
  readonly change: { readonly operator: "+" | "-"; readonly term: UpdateTerm } | null
}

export interface Update {
  readonly set: readonly SetAction[]
  readonly add: readonly { readonly attribute: string; readonly value: string }[]
  readonly remove: readonly string[]
}

/**
 * Parses an update: `SET` with values, `if_not_exists`, `+` and `-`; `ADD`; `REMOVE`.
 *
 * @throws DynamoDbError ValidationException for anything else
 */
export function parseUpdate(expression: string): ParsedExpression<Update> {
  const reader = new TokenReader(expression)
  const clauses: { set?: readonly SetAction[]; add?: Update["add"]; remove?: readonly string[] } = {}
  while (reader.peek() !== undefined) {
    const name = takeClause(reader)
    if (clauses[name] !== undefined) throw invalid("A section can only be used once in an update expression.")
    if (name === "set") clauses.set = readList(reader, readSetAction)
    else if (name === "add") clauses.add = readList(reader, readAddition)
    else clauses.remove = readList(reader, (each) => each.attribute())
  }
  return { tree: { set: [], add: [], remove: [], ...clauses }, placeholders: reader.placeholders() }
}

function takeClause(reader: TokenReader): "set" | "add" | "remove" {
  for (const name of ["set", "add", "remove"] as const) if (reader.take(name)) return name
  if (reader.take("delete")) throw notOffered("DELETE in updates")
  throw syntaxError()
}

function readList<Each>(reader: TokenReader, read: (reader: TokenReader) => Each): readonly Each[] {
  const list = [read(reader)]
  while (reader.take(",")) list.push(read(reader))
  return list
}

function readSetAction(reader: TokenReader): SetAction {
  const attribute = reader.attribute()
  reader.expect("=")
  const term = readUpdateTerm(reader)
  const operator = reader.peek()
  if (operator !== "+" && operator !== "-") return { attribute, term, change: null }
  reader.expect(operator)
  return { attribute, term, change: { operator, term: readUpdateTerm(reader) } }
}

function readUpdateTerm(reader: TokenReader): UpdateTerm {
  if (!reader.takeCall("if_not_exists")) return reader.operand()
  const attribute = reader.attribute()
  reader.expect(",")
  const otherwise = reader.operand()
  reader.expect(")")
  return { attribute, otherwise }
}

function readAddition(reader: TokenReader): { readonly attribute: string; readonly value: string } {
  return { attribute: reader.attribute(), value: reader.value() }
}

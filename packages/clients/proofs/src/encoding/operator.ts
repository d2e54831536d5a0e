import type { Term } from "../smt/terms.ts"
import type { Value } from "./symbol.ts"

/** The result of an operator whose operands have been evaluated. */
export interface Outcome {
  readonly value: Value
  /** Where the operator itself fails. Default: nowhere. */
  readonly error?: Term
}

/** Encodes an operator for the values of its operands; null where it has no form for them. */
export type Operator = (...operands: readonly Value[]) => Outcome | null

/** Operators by their names in Cedar's JSON. */
export type OperatorTable = ReadonlyMap<string, Operator>

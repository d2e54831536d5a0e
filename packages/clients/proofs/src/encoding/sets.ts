import { and, equal, FALSE, not, or, type Term } from "../smt/terms.ts"
import type { Operator, OperatorTable } from "./operator.ts"
import { bool, type Value, type ValueOf } from "./symbol.ts"

/** True where two values are equal; null when that has no form. Values of different types are never equal. */
export function equalValues(left: Value, right: Value): Term | null {
  if (left.kind === "opaque" || right.kind === "opaque") return null
  if (left.kind !== right.kind) return FALSE
  switch (left.kind) {
    case "bool":
      return right.kind === "bool" ? equal(left.holds, right.holds) : null
    case "long":
    case "datetime":
    case "duration":
      return right.kind === left.kind ? equal(left.number, right.number) : null
    case "text":
      return right.kind === "text" ? equal(left.code, right.code) : null
    case "entity":
      if (right.kind !== "entity") return null
      return left.type === right.type ? equal(left.code, right.code) : FALSE
    case "ip":
      if (right.kind !== "ip") return null
      return left.prefix === right.prefix ? equal(left.address, right.address) : FALSE
    case "set":
      return right.kind === "set" ? sameElements(left, right) : null
    case "record":
      return null
  }
}

function sameElements(left: ValueOf<"set">, right: ValueOf<"set">): Term | null {
  const [there, back] = [includesAll(left, right), includesAll(right, left)]
  return there === null || back === null ? null : and(there, back)
}

/** True where a set has an element; null when that has no form. */
function includes({ elements }: ValueOf<"set">, value: Value): Term | null {
  const terms = elements.map((element) => equalValues(element, value))
  return terms.every((term) => term !== null) ? or(...terms) : null
}

function includesAll(set: ValueOf<"set">, { elements }: ValueOf<"set">): Term | null {
  const terms = elements.map((element) => includes(set, element))
  return terms.every((term) => term !== null) ? and(...terms) : null
}

function answer(holds: Term | null) {
  return holds === null ? null : { value: bool(holds) }
}

/** Whether an entity is another, or one of several: the entities of requests have no parents. */
const isIn: Operator = (entity, places) => {
  if (entity?.kind !== "entity" || places === undefined) return null
  if (places.kind === "entity") return answer(equalValues(entity, places))
  const isSetOfEntities = places.kind === "set" && places.elements.every(({ kind }) => kind === "entity")
  return isSetOfEntities ? answer(includes(places, entity)) : null
}

/** Equality and sets. Requests have no sets, so each is written in a policy. */
export const SET_OPERATORS: OperatorTable = new Map<string, Operator>([
  ["==", (left, right) => (left && right ? answer(equalValues(left, right)) : null)],
  [
    "!=",
    (left, right) => {
      const term = left && right ? equalValues(left, right) : null
      return answer(term === null ? null : not(term))
    },
  ],
  ["in", isIn],
  ["contains", (set, element) => (set?.kind === "set" && element ? answer(includes(set, element)) : null)],
  [
    "containsAll",
    (set, other) => (set?.kind === "set" && other?.kind === "set" ? answer(includesAll(set, other)) : null),
  ],
  [
    "containsAny",
    (set, other) => {
      if (set?.kind !== "set" || other?.kind !== "set") return null
      const terms = other.elements.map((element) => includes(set, element))
      return answer(terms.every((term) => term !== null) ? or(...terms) : null)
    },
  ],
  [
    "isEmpty",
    (set) => (set?.kind === "set" ? { value: bool(set.elements.length === 0 ? "true" : "false") } : null),
  ],
])

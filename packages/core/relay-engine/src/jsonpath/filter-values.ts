import type { Work } from "@sealway/kernel"
import { NONE, type Tree } from "../tree/tree.ts"
import type { WalkBudget } from "../tree/walk-budget.ts"
import type { Operator } from "./json-path.ts"

/** An object or array, by its node. */
export class Container {
  readonly node: number
  constructor(node: number) {
    this.node = node
  }
}

export type FilterValue = string | number | boolean | null | Container

/** Values as filters read and compare them (RFC 9535, section 2.3.5.2.2). The budget pays for all work. */
export class FilterValues {
  readonly #tree: Tree
  readonly #budget: WalkBudget

  constructor(tree: Tree, budget: WalkBudget) {
    this.#tree = tree
    this.#budget = budget
  }

  read(node: number): FilterValue {
    const kind = this.#tree.kind(node)
    if (kind === "object" || kind === "array") return new Container(node)
    const value = this.#tree.scalar(node)
    if (typeof value === "string") this.#spendOnText(value)
    return value
  }

  /** Returns the characters of a string, elements of an array or fields of an object; null for anything else. */
  *length(value: FilterValue): Work<number | null> {
    let length = 0
    if (typeof value === "string") {
      this.#budget.spend(value.length)
      for (const _ of value) length++
      return length
    }
    if (!(value instanceof Container)) return null
    for (const _ of this.#children(value.node)) {
      if (this.#budget.isTurnDue()) yield
      length++
    }
    return length
  }

  /**
   * Whether a comparison holds for any value on its left and any on its right. There are several only if a name occurs
   * twice in an object, and it is unknown which one a parser of the body uses. None is the RFC's `Nothing`.
   */
  *holds(operator: Operator, left: readonly FilterValue[], right: readonly FilterValue[]): Work<boolean> {
    if (left.length === 0 || right.length === 0) {
      const areEqual = left.length === right.length
      return operator === "!=" ? !areEqual : areEqual && operator.endsWith("=")
    }
    for (const one of left) {
      for (const other of right) {
        if (this.#budget.isTurnDue()) yield
        if (yield* this.#compare(operator, one, other)) return true
      }
    }
    return false
  }

  *#compare(operator: Operator, left: FilterValue, right: FilterValue): Work<boolean> {
    this.#budget.spend(1)
    switch (operator) {
      case "==":
        return yield* this.#equal(left, right)
      case "!=":
        return !(yield* this.#equal(left, right))
      case "<":
        return this.#less(left, right)
      case ">":
        return this.#less(right, left)
      case "<=":
        return this.#less(left, right) || (yield* this.#equal(left, right))
      case ">=":
        return this.#less(right, left) || (yield* this.#equal(left, right))
    }
  }

  #less(left: FilterValue, right: FilterValue): boolean {
    if (typeof left === "number" && typeof right === "number") return left < right
    if (typeof left !== "string" || typeof right !== "string") return false
    this.#spendOnText(left)
    return isBefore(left, right)
  }

  *#equal(left: FilterValue, right: FilterValue): Work<boolean> {
    if (left instanceof Container && right instanceof Container)
      return yield* this.#equalNodes(left.node, right.node)
    if (typeof left === "string" && typeof right === "string") {
      if (left.length !== right.length) return false
      this.#spendOnText(left)
    }
    return left === right
  }

  /** Recursive, as deep as the tree, whose depth is bounded. */
  *#equalNodes(left: number, right: number): Work<boolean> {
    this.#budget.spend(1)
    if (this.#budget.isTurnDue()) yield
    if (left === right) return true
    const kind = this.#tree.kind(left)
    if (kind !== this.#tree.kind(right)) return false
    if (kind === "array") return yield* this.#equalArrays(left, right)
    if (kind === "object") return yield* this.#equalObjects(left, right)
    return yield* this.#equal(this.read(left), this.read(right))
  }

  *#equalArrays(left: number, right: number): Work<boolean> {
    let one = this.#tree.firstChild(left)
    let other = this.#tree.firstChild(right)
    while (one !== NONE && other !== NONE) {
      if (!(yield* this.#equalNodes(one, other))) return false
      one = this.#tree.nextSibling(one)
      other = this.#tree.nextSibling(other)
    }
    return one === other
  }

  *#equalObjects(left: number, right: number): Work<boolean> {
    const ones = yield* this.#members(left)
    const others = yield* this.#members(right)
    if (ones.size !== others.size) return false
    for (const [name, one] of ones) {
      const other = others.get(name)
      if (other === undefined || !(yield* this.#equalNodes(one, other))) return false
    }
    return true
  }

  /** Uses the last one of a duplicate name, as most parsers do. */
  *#members(object: number): Work<ReadonlyMap<string, number>> {
    const members = new Map<string, number>()
    for (const child of this.#children(object)) {
      if (this.#budget.isTurnDue()) yield
      const name = this.#tree.name(child)
      this.#spendOnText(name)
      members.set(name, child)
    }
    return members
  }

  *#children(container: number): Iterable<number> {
    for (
      let child = this.#tree.firstChild(container);
      child !== NONE;
      child = this.#tree.nextSibling(child)
    ) {
      this.#budget.spend(1)
      yield child
    }
  }

  #spendOnText(text: string): void {
    this.#budget.spend(1 + (text.length >> 3))
  }
}

/** Compares by Unicode scalar values (RFC 9535, section 2.3.5.2.2); JavaScript compares UTF-16 code units. */
function isBefore(left: string, right: string): boolean {
  const shorter = Math.min(left.length, right.length)
  for (let index = 0; index < shorter; index++) {
    if (left.charCodeAt(index) !== right.charCodeAt(index)) {
      return (left.codePointAt(index) ?? 0) < (right.codePointAt(index) ?? 0)
    }
  }
  return left.length < right.length
}

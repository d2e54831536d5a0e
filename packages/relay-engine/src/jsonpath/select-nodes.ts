import { UnreadableBodyError } from "../located-body.ts"
import { NONE, type Tree } from "../tree.ts"
import { WalkBudget } from "../walk-budget.ts"
import { Filter } from "./filter.ts"
import type { JsonPath, Segment, Selector, Test } from "./json-path.ts"

const ROOT = 0

/** A member's name that is the same as a position, to JavaScript and PHP. */
const POSITION = /^(?:0|[1-9][0-9]{0,8})$/

/** More than a body of 5 MB has values. Selectors that select nodes several times come here. */
const MAX_NODES = 3_000_000

/**
 * Which members a name selects: those of exactly that name, the same while it is noted whether a reader could take
 * another one for it, or those too.
 */
export type NameReading = "exact" | "watched" | "lenient"

export interface SelectedNodes {
  readonly nodes: readonly number[]
  /** Whether a member was met that some reader takes to have a name of the selector's. */
  readonly sawNearName: boolean
}

/**
 * The nodes that a selector selects, in the order of RFC 9535, which is not the document's; a node that is selected twice
 * occurs twice. A name selects every member of that name.
 *
 * The walk is not recursive in the document. Queries of filters are, as deep as the selector nests them.
 *
 * @param budget share one between all selectors of a body
 * @throws UnreadableBodyError `too-large` when the budget is spent
 */
export function selectNodes(
  path: JsonPath,
  tree: Tree,
  budget: WalkBudget = new WalkBudget(),
): readonly number[] {
  return readNodes(path, tree, budget, "exact").nodes
}

/** The same by another reading of names. */
export function readNodes(
  path: JsonPath,
  tree: Tree,
  budget: WalkBudget,
  reading: NameReading,
): SelectedNodes {
  const walk = new Walk(tree, budget, reading)
  const nodes = walk.select(path.segments, ROOT)
  return { nodes, sawNearName: walk.sawNearName }
}

class Walk {
  readonly #tree: Tree
  readonly #budget: WalkBudget
  readonly #reading: NameReading
  #filter: Filter | null = null
  #sawNearName = false

  constructor(tree: Tree, budget: WalkBudget, reading: NameReading) {
    this.#tree = tree
    this.#budget = budget
    this.#reading = reading
  }

  get sawNearName(): boolean {
    return this.#sawNearName
  }

  select(segments: readonly Segment[], from: number): readonly number[] {
    let nodes = [from]
    for (const { descendant, selectors } of segments) {
      const found: number[] = []
      for (const node of nodes) {
        if (descendant) this.#applyBelow(node, selectors, found)
        else this.#apply(node, selectors, found)
      }
      nodes = found
    }
    return nodes
  }

  /** Applies selectors to a node and to all below it, parents first. */
  #applyBelow(top: number, selectors: readonly Selector[], found: number[]): void {
    const next = [top]
    for (let node = next.pop(); node !== undefined; node = next.pop()) {
      this.#budget.spend(1)
      if (node !== top) {
        const sibling = this.#tree.nextSibling(node)
        if (sibling !== NONE) next.push(sibling)
      }
      const child = this.#tree.firstChild(node)
      if (child === NONE) continue
      next.push(child)
      this.#apply(node, selectors, found)
    }
  }

  #apply(node: number, selectors: readonly Selector[], found: number[]): void {
    const kind = this.#tree.kind(node)
    if (kind !== "object" && kind !== "array") return
    for (const selector of selectors) {
      switch (selector.kind) {
        case "name":
          if (kind === "object") this.#addNamed(node, selector.name, found)
          else if (this.#reading !== "exact") this.#addPosition(node, selector.name, found)
          break
        case "wildcard":
          this.#addChildren(node, found)
          break
        case "index":
          if (kind === "array") this.#addElement(node, selector.index, found)
          else if (this.#reading !== "exact") this.#addNumbered(node, selector.index, found)
          break
        case "slice":
          if (kind === "array") this.#addSlice(node, selector.start, selector.end, selector.step, found)
          else if (this.#reading !== "exact") this.#addNumbered(node, null, found)
          break
        case "filter":
          for (let child = this.#first(node); child !== NONE; child = this.#next(child)) {
            if (this.#passes(selector.test, child)) found.push(child)
          }
          break
      }
      if (found.length > MAX_NODES) {
        throw new UnreadableBodyError("too-large", "A selector selects too much of the body.")
      }
    }
  }

  #passes(test: Test, node: number): boolean {
    this.#filter ??= new Filter(this.#tree, this.#budget, ({ segments }, from) => this.select(segments, from))
    return this.#filter.passes(test, node)
  }

  #addNamed(object: number, name: string, found: number[]): void {
    let steps = 0
    for (let child = this.#tree.firstChild(object); child !== NONE; child = this.#tree.nextSibling(child)) {
      const match = this.#tree.compareName(child, name)
      if (match === "same" || (match === "unsure" && this.#isTaken(child, name))) found.push(child)
      steps++
    }
    this.#budget.spend(steps)
  }

  /** Whether a member counts that may not have the name for all readers. */
  #isTaken(child: number, name: string): boolean {
    const isLenient = this.#reading === "lenient"
    if (this.#reading === "exact" || (this.#sawNearName && !isLenient)) return false
    const isNear = this.#tree.isNearlyNamed(child, name, this.#budget)
    this.#sawNearName ||= isNear
    return isNear && isLenient
  }

  /** Of an array the element that JavaScript and PHP find under a name: `items["0"]` is `items[0]`. */
  #addPosition(array: number, name: string, found: number[]): void {
    if (!POSITION.test(name)) return
    const elements: number[] = []
    this.#addElement(array, Number(name), elements)
    this.#addNear(elements, found)
  }

  /** Of an object the members that JavaScript and PHP find at a position. @param index null, or negative: at any */
  #addNumbered(object: number, index: number | null, found: number[]): void {
    const members: number[] = []
    for (let child = this.#first(object); child !== NONE; child = this.#next(child)) {
      const name = this.#tree.name(child)
      this.#budget.spend(name.length >> 3)
      if (index === null || index < 0 ? POSITION.test(name) : name === String(index)) members.push(child)
    }
    this.#addNear(members, found)
  }

  #addNear(nodes: readonly number[], found: number[]): void {
    this.#sawNearName ||= nodes.length > 0
    if (this.#reading !== "lenient") return
    for (const node of nodes) found.push(node)
  }

  #addChildren(container: number, found: number[]): void {
    let steps = 0
    for (
      let child = this.#tree.firstChild(container);
      child !== NONE;
      child = this.#tree.nextSibling(child)
    ) {
      found.push(child)
      steps++
    }
    this.#budget.spend(steps)
  }

  #addElement(array: number, index: number, found: number[]): void {
    if (index < 0) {
      const element = this.#children(array).at(index)
      if (element !== undefined) found.push(element)
      return
    }
    let at = 0
    for (let child = this.#first(array); child !== NONE; child = this.#next(child)) {
      if (at === index) {
        found.push(child)
        return
      }
      at++
    }
  }

  /** RFC 9535, section 2.3.4.2.2. */
  #addSlice(array: number, from: number | null, to: number | null, step: number, found: number[]): void {
    const children = this.#children(array)
    const { length } = children
    const normalize = (index: number) => (index < 0 ? index + length : index)
    if (step > 0) {
      const start = Math.max(normalize(from ?? 0), 0)
      const end = Math.min(normalize(to ?? length), length)
      for (let index = start; index < end; index += step) found.push(children[index] ?? NONE)
    } else if (step < 0) {
      const start = Math.min(normalize(from ?? length - 1), length - 1)
      const end = to === null ? -1 : Math.max(normalize(to), -1)
      for (let index = start; index > end; index += step) found.push(children[index] ?? NONE)
    }
  }

  #children(container: number): readonly number[] {
    const children: number[] = []
    this.#addChildren(container, children)
    return children
  }

  #first(container: number): number {
    return this.#tree.firstChild(container)
  }

  #next(child: number): number {
    this.#budget.spend(1)
    return this.#tree.nextSibling(child)
  }
}

import { finish, Pace, type Work } from "@sealway/kernel"
import { UnreadableBodyError } from "../body/located-body.ts"
import { NONE, type Tree } from "../tree/tree.ts"
import { WalkBudget } from "../tree/walk-budget.ts"
import { Filter } from "./filter.ts"
import type { JsonPath, Segment, Selector, Test } from "./json-path.ts"

const ROOT = 0

const POSITIONS_PER_STEP = 8_192
/** Counting this far costs almost nothing. */
const FEW_POSITIONS = 64

/** A field name that equals a position, to JavaScript and PHP. */
const POSITION = /^(?:0|[1-9][0-9]{0,8})$/

/** More values than a body of 5 MB has. Only selectors that select nodes repeatedly reach this. */
const MAX_NODES = 3_000_000

/**
 * Which fields a name selects: `exact`: those with exactly that name; `watched`: the same, noting whether a parser
 * could read another one as it; `lenient`: those too.
 */
export type NameReading = "exact" | "watched" | "lenient"

/**
 * Returns the nodes that a selector selects, in the order of RFC 9535, which is not the document's; a node that is
 * selected twice occurs twice. A name selects every field with that name.
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
  return finish(new NodeWalk(tree, budget, "exact").select(path.segments))
}

/** The same in steps, and with any reading of names. */
export class NodeWalk {
  readonly #tree: Tree
  readonly #budget: WalkBudget
  readonly #reading: NameReading
  readonly #watchesPositions: boolean
  #filter: Filter | null = null
  #sawNearName = false
  #sawOtherCount = false

  /** @param watchesPositions whether to note that parsers count differently. Default: as for names */
  constructor(
    tree: Tree,
    budget: WalkBudget,
    reading: NameReading,
    watchesPositions: boolean = reading === "watched",
  ) {
    this.#tree = tree
    this.#budget = budget
    this.#reading = reading
    this.#watchesPositions = watchesPositions
  }

  /** Whether a field was found that some parser reads as having a name of the selector's. */
  get sawNearName(): boolean {
    return this.#sawNearName
  }

  /** Whether an element was selected by its position, and some parser counts differently. */
  get sawOtherCount(): boolean {
    return this.#sawOtherCount
  }

  *select(segments: readonly Segment[], from = ROOT): Work<readonly number[]> {
    let nodes = [from]
    for (const { descendant, selectors } of segments) {
      const found: number[] = []
      for (const node of nodes) {
        this.#budget.spend(1)
        if (this.#budget.isTurnDue()) yield
        const rest = descendant
          ? this.#applyBelow(node, selectors, found)
          : this.#apply(node, selectors, found)
        if (rest !== null) yield* rest
      }
      nodes = found
    }
    return nodes
  }

  /** Applies selectors to a node and everything below it, parents first. */
  *#applyBelow(top: number, selectors: readonly Selector[], found: number[]): Work<void> {
    const next = [top]
    for (let node = next.pop(); node !== undefined; node = next.pop()) {
      this.#budget.spend(1)
      if (this.#budget.isTurnDue()) yield
      if (node !== top) {
        const sibling = this.#tree.nextSibling(node)
        if (sibling !== NONE) next.push(sibling)
      }
      const child = this.#tree.firstChild(node)
      if (child === NONE) continue
      next.push(child)
      const rest = this.#apply(node, selectors, found)
      if (rest !== null) yield* rest
    }
  }

  /**
   * Applies selectors to a node.
   *
   * @returns the remaining work if there is more than a little; null when all is done, as nearly always
   */
  #apply(node: number, selectors: readonly Selector[], found: number[]): Work<void> | null {
    const first = this.#first(node)
    if (first === NONE) return null
    for (let index = 0; index < selectors.length; index++) {
      const selector = selectors[index]
      const next = selector === undefined ? NONE : this.#applyAtOnce(node, selector, first, found)
      if (next !== NONE) return this.#applyInSteps(node, selectors, index, next, found)
    }
    return null
  }

  /** Continues with one of the selectors at a child, then applies the others. */
  *#applyInSteps(
    node: number,
    selectors: readonly Selector[],
    from: number,
    child: number,
    found: number[],
  ): Work<void> {
    let next = child
    for (let index = from; index < selectors.length; index++) {
      const selector = selectors[index]
      if (selector === undefined) continue
      const isArray = this.#tree.kind(node) === "array"
      if (selector.kind === "wildcard" || (selector.kind === "name" && !isArray)) {
        while (next !== NONE) {
          yield
          next = this.#applyAtOnce(node, selector, next, found)
        }
      } else if (selector.kind === "filter") yield* this.#addPassing(node, selector.test, found)
      else if (selector.kind === "name") yield* this.#addPosition(node, selector.name, found)
      else if (isArray) {
        yield* this.#watchCount(node)
        yield* this.#addElements(node, selector, found)
      } else yield* this.#addNumbered(node, selector, found)
      requireFew(found)
      next = this.#first(node)
    }
  }

  /**
   * Applies a selector to the children of a node, starting at one, as far as possible without yielding.
   *
   * @returns the next child; `NONE` when all are done
   */
  #applyAtOnce(node: number, selector: Selector, child: number, found: number[]): number {
    switch (selector.kind) {
      case "name": {
        if (this.#tree.kind(node) === "array") return this.#mayBePosition(selector.name) ? child : NONE
        const next = this.#addNamed(child, selector.name, found)
        requireFew(found)
        return next
      }
      case "wildcard": {
        const next = this.#addChildren(child, found)
        requireFew(found)
        return next
      }
      case "index":
        if (this.#isNear(selector.index) && this.#tree.kind(node) === "array" && !this.#mustWatch(node)) {
          this.#addElement(child, selector.index, found)
          return NONE
        }
        return this.#reading === "exact" && this.#tree.kind(node) === "object" ? NONE : child
      case "slice":
        return this.#reading === "exact" && this.#tree.kind(node) === "object" ? NONE : child
      case "filter":
        return child
    }
  }

  *#addPassing(container: number, test: Test, found: number[]): Work<void> {
    this.#filter ??= new Filter(this.#tree, this.#budget, ({ segments }, from) => this.select(segments, from))
    for (let child = this.#first(container); child !== NONE; child = this.#next(child)) {
      if (this.#budget.isTurnDue()) yield
      if (yield* this.#filter.passes(test, child)) found.push(child)
    }
  }

  /** @returns the child to continue at after yielding; `NONE` when all are done */
  #addNamed(first: number, name: string, found: number[]): number {
    let child = first
    for (; child !== NONE && !this.#budget.isTurnDue(); child = this.#next(child)) {
      const match = this.#tree.compareName(child, name)
      if (match === "same" || (match === "unsure" && this.#isTaken(child, name))) found.push(child)
    }
    return child
  }

  /** Whether a field counts that may not have the name for all parsers. */
  #isTaken(child: number, name: string): boolean {
    const isLenient = this.#reading === "lenient"
    if (this.#reading === "exact" || (this.#sawNearName && !isLenient)) return false
    const isNear = this.#tree.isNearlyNamed(child, name, this.#budget)
    this.#sawNearName ||= isNear
    return isNear && isLenient
  }

  #isNear(index: number): boolean {
    return index >= 0 && index < FEW_POSITIONS
  }

  #mustWatch(array: number): boolean {
    return this.#countOf(array) !== null
  }

  *#watchCount(array: number): Work<void> {
    const isCountedOtherwise = this.#countOf(array)
    if (isCountedOtherwise !== null) this.#sawOtherCount = yield* isCountedOtherwise
  }

  /** Returns null when it does not matter whether some parser counts differently. */
  #countOf(array: number): Work<boolean> | null {
    if (!this.#watchesPositions || this.#sawOtherCount) return null
    return this.#tree.isCountedOtherwise(array, this.#reading === "exact", this.#budget)
  }

  #addElement(first: number, index: number, found: number[]): void {
    let child = first
    for (let at = 0; at < index && child !== NONE; at++) child = this.#next(child)
    if (child !== NONE) found.push(child)
  }

  #mayBePosition(name: string): boolean {
    return this.#reading !== "exact" && POSITION.test(name)
  }

  /** Adds the element of an array that JavaScript and PHP find by a name: `items["0"]` is `items[0]`. */
  *#addPosition(array: number, name: string, found: number[]): Work<void> {
    if (!this.#mayBePosition(name)) return
    const elements: number[] = []
    yield* this.#addElements(array, { kind: "index", index: Number(name) }, elements)
    for (const element of elements) this.#addNear(element, found)
  }

  /** Adds the fields of an object that JavaScript and PHP find by a position; if it counts from the end, by any. */
  *#addNumbered(object: number, selector: PositionSelector, found: number[]): Work<void> {
    if (this.#reading === "exact") return
    const wanted = selector.kind === "index" && selector.index >= 0 ? String(selector.index) : null
    for (let child = this.#first(object); child !== NONE; child = this.#next(child)) {
      if (this.#budget.isTurnDue()) yield
      const name = this.#tree.name(child)
      this.#budget.spend(name.length >> 3)
      if (wanted === null ? POSITION.test(name) : name === wanted) this.#addNear(child, found)
    }
  }

  #addNear(node: number, found: number[]): void {
    this.#sawNearName = true
    if (this.#reading === "lenient") found.push(node)
  }

  /** Like `#addNamed`. */
  #addChildren(first: number, found: number[]): number {
    let child = first
    for (; child !== NONE && !this.#budget.isTurnDue(); child = this.#next(child)) found.push(child)
    return child
  }

  *#addElements(array: number, selector: PositionSelector, found: number[]): Work<void> {
    const children: number[] = []
    const isEnough = () =>
      selector.kind === "index" && selector.index >= 0 && selector.index < children.length
    for (let next = this.#addChildren(this.#first(array), children); next !== NONE && !isEnough(); ) {
      yield
      next = this.#addChildren(next, children)
    }
    if (selector.kind === "index") {
      const element = children.at(selector.index)
      if (element !== undefined) found.push(element)
      return
    }
    const pace = new Pace(POSITIONS_PER_STEP)
    for (const index of positionsOf(selector, children.length)) {
      if (pace.isDue()) yield
      found.push(children[index] ?? NONE)
    }
  }

  #first(container: number): number {
    return this.#tree.firstChild(container)
  }

  #next(child: number): number {
    this.#budget.spend(1)
    return this.#tree.nextSibling(child)
  }
}

type PositionSelector = Extract<Selector, { kind: "index" | "slice" }>

/** RFC 9535, section 2.3.4.2.2. */
function* positionsOf(
  { start: from, end: to, step }: Extract<Selector, { kind: "slice" }>,
  length: number,
): Iterable<number> {
  const normalize = (index: number) => (index < 0 ? index + length : index)
  if (step > 0) {
    const start = Math.max(normalize(from ?? 0), 0)
    const end = Math.min(normalize(to ?? length), length)
    for (let index = start; index < end; index += step) yield index
  } else if (step < 0) {
    const start = Math.min(normalize(from ?? length - 1), length - 1)
    const end = to === null ? -1 : Math.max(normalize(to), -1)
    for (let index = start; index > end; index += step) yield index
  }
}

/** @throws UnreadableBodyError `too-large` */
function requireFew(found: readonly number[]): void {
  if (found.length <= MAX_NODES) return
  throw new UnreadableBodyError("too-large", "A selector matches too much of the body.")
}

import { finish, Pace, type Work } from "@sealway/kernel"
import { UnreadableBodyError } from "../body/located-body.ts"
import { NONE, type Tree } from "../tree/tree.ts"
import { WalkBudget } from "../tree/walk-budget.ts"
import { Filter } from "./filter.ts"
import type { JsonPath, Segment, Selector, Test } from "./json-path.ts"
import type { Misreading } from "./misreadings.ts"
import { partsOfName, segmentsAlong } from "./name-paths.ts"

const ROOT = 0

const POSITIONS_PER_STEP = 8_192
/** Counting this far costs almost nothing. */
const FEW_POSITIONS = 64

/** Following a name takes as long as visiting this many nodes, and as many more for each of its parts. */
const STEPS_PER_NAME = 24
const STEPS_PER_PART = 8

/** A field name that equals a position, to JavaScript and PHP. */
const POSITION = /^(?:0|[1-9][0-9]{0,8})$/

/** More values than a body of 5 MB has. Only selectors that select nodes repeatedly reach this. */
const MAX_NODES = 3_000_000

/**
 * Which fields a selector selects: `exact`: those that it names; `watched`: the same, noting whether a parser could read
 * another one as one of them; `lenient`: those too.
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
  /** Whether to take one value for a list, and a list for one value, too. */
  readonly #mixesLists: boolean
  readonly #watchesPaths: boolean
  readonly #followsPaths: boolean
  #filter: Filter | null = null
  readonly #misreadings = new Set<Misreading>()
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
    this.#mixesLists = reading !== "exact" && tree.mixesLists
    this.#watchesPaths = reading === "watched" && tree.hasPaths
    this.#followsPaths = reading === "lenient" && tree.hasPaths
  }

  /** How some parser may read fields as selected that are not: when watched, the first way that was seen. */
  get misreadings(): ReadonlySet<Misreading> {
    return this.#misreadings
  }

  /** Whether an element was selected by its position, and some parser counts differently. */
  get sawOtherCount(): boolean {
    return this.#sawOtherCount
  }

  *select(segments: readonly Segment[], from = ROOT): Work<readonly number[]> {
    let nodes = [from]
    /** Fields whose names are read as paths, by the segment at the end of the path. */
    const alongNames = this.#followsPaths ? new Map<number, number[]>() : null
    for (let index = 0; index < segments.length; index++) {
      const segment = segments[index]
      if (segment === undefined) continue
      const found: number[] = []
      const isLast = index === segments.length - 1
      for (const node of nodes) {
        this.#budget.spend(1)
        if (this.#budget.isTurnDue()) yield
        const rest = segment.descendant
          ? this.#applyBelow(node, segment, isLast, found)
          : this.#apply(node, segment, isLast, found)
        if (rest !== null) yield* rest
        if (alongNames !== null) yield* this.#followNames(node, segments, index, alongNames)
      }
      for (const node of alongNames?.get(index + 1) ?? []) found.push(node)
      nodes = found
    }
    return nodes
  }

  /** Adds the fields of a node whose names some reader takes for paths from a segment on. */
  *#followNames(
    top: number,
    segments: readonly Segment[],
    index: number,
    alongNames: Map<number, number[]>,
  ): Work<void> {
    const rest = segments.slice(index)
    const containers = [top]
    for (let container = containers.pop(); container !== undefined; container = containers.pop()) {
      for (let child = this.#first(container); child !== NONE; child = this.#next(child)) {
        if (this.#budget.isTurnDue()) yield
        if (rest[0]?.descendant === true) containers.push(child)
        if (!this.#tree.mayBePath(child)) continue
        const name = this.#tree.name(child)
        const parts = partsOfName(name)
        this.#budget.spend(STEPS_PER_NAME + STEPS_PER_PART * parts.length + (name.length >> 3))
        for (const count of segmentsAlong(parts, rest)) {
          if (count === 0) continue
          this.#misreadings.add("path")
          const known = alongNames.get(index + count)
          if (known === undefined) alongNames.set(index + count, [child])
          else known.push(child)
        }
      }
    }
  }

  /** Applies selectors to a node and everything below it, parents first. */
  *#applyBelow(top: number, segment: Segment, isLast: boolean, found: number[]): Work<void> {
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
      const rest = this.#apply(node, segment, isLast, found)
      if (rest !== null) yield* rest
    }
  }

  /**
   * Applies selectors to a node.
   *
   * @returns the remaining work if there is more than a little; null when all is done, as nearly always
   */
  #apply(node: number, segment: Segment, isLast: boolean, found: number[]): Work<void> | null {
    const { selectors } = segment
    const first = this.#first(node)
    if (this.#mixesLists && !segment.descendant)
      this.#readAsList(node, selectors, isLast && first !== NONE, found)
    if (first === NONE) return null
    for (let index = 0; index < selectors.length; index++) {
      const selector = selectors[index]
      const next = selector === undefined ? NONE : this.#applyAtOnce(node, selector, first, found)
      if (next !== NONE) return this.#applyInSteps(node, segment, index, next, found)
    }
    return null
  }

  /** Continues with one of the selectors at a child, then applies the others. */
  *#applyInSteps(
    node: number,
    { selectors, descendant }: Segment,
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
      } else if (selector.kind === "filter") {
        yield* this.#addPassing(node, selector.test, found)
        if (!descendant && !isArray) yield* this.#addIfPassing(node, selector.test, found)
      } else if (selector.kind === "name") {
        yield* this.#addPosition(node, selector.name, found)
        if (!descendant) yield* this.#addFromElements(node, selector, found)
      } else if (isArray) {
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
        if (this.#tree.kind(node) === "array") {
          return this.#mixesLists || this.#mayBePosition(selector.name) ? child : NONE
        }
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
    const filter = this.#filterOf()
    for (let child = this.#first(container); child !== NONE; child = this.#next(child)) {
      if (this.#budget.isTurnDue()) yield
      if (yield* filter.passes(test, child)) found.push(child)
    }
  }

  /** Adds a node that stands for a list, see `#readAsList`, if it passes as its element. */
  *#addIfPassing(node: number, test: Test, found: number[]): Work<void> {
    if (!this.#mixesLists) return
    if (yield* this.#filterOf().passes(test, node)) this.#addMisread("list", node, found)
  }

  #filterOf(): Filter {
    this.#filter ??= new Filter(this.#tree, this.#budget, ({ segments }, from) => this.select(segments, from))
    return this.#filter
  }

  /** @returns the child to continue at after yielding; `NONE` when all are done */
  #addNamed(first: number, name: string, found: number[]): number {
    let child = first
    for (; child !== NONE && !this.#budget.isTurnDue(); child = this.#next(child)) {
      const match = this.#tree.compareName(child, name)
      if (match === "same" || (match === "unsure" && this.#isTaken(child, name))) found.push(child)
      else if (this.#watchesPaths) this.#watchPath(child)
    }
    return child
  }

  /** Whether a field counts that may not have the name for all parsers. */
  #isTaken(child: number, name: string): boolean {
    const isLenient = this.#reading === "lenient"
    if (this.#reading === "exact" || (this.#misreadings.size > 0 && !isLenient)) return false
    const isNear = this.#tree.isNearlyNamed(child, name, this.#budget)
    if (isNear) this.#misreadings.add("name")
    return isNear && isLenient
  }

  #watchPath(child: number): void {
    if (this.#misreadings.size === 0 && this.#tree.mayBePath(child)) this.#misreadings.add("path")
  }

  /**
   * Adds a node that is no list and stands for one with itself as its only element: fastjson, and Jackson with
   * `ACCEPT_SINGLE_VALUE_AS_ARRAY`.
   *
   * @param isCovered whether all of the node is selected anyway, if all of its members are
   */
  #readAsList(node: number, selectors: readonly Selector[], isCovered: boolean, found: number[]): void {
    if (this.#tree.kind(node) === "array") return
    for (const selector of selectors) {
      if (!choosesOnlyElement(selector, isCovered)) continue
      this.#addMisread("list", node, found)
      return
    }
  }

  /**
   * Adds what a name selects in the elements of a list that stands for its only element: fastjson, and Jackson with
   * `UNWRAP_SINGLE_VALUE_ARRAYS`.
   */
  *#addFromElements(
    list: number,
    selector: Extract<Selector, { kind: "name" }>,
    found: number[],
  ): Work<void> {
    if (!this.#mixesLists) return
    for (let element = this.#first(list); element !== NONE; element = this.#next(element)) {
      if (this.#budget.isTurnDue()) yield
      if (this.#first(element) === NONE) continue
      this.#misreadings.add("list")
      if (this.#reading === "watched") return
      const rest = this.#apply(element, { descendant: false, selectors: [selector] }, true, found)
      if (rest !== null) yield* rest
    }
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
    for (const element of elements) this.#addMisread("position", element, found)
  }

  /** Adds the fields of an object that JavaScript and PHP find by a position; if it counts from the end, by any. */
  *#addNumbered(object: number, selector: PositionSelector, found: number[]): Work<void> {
    if (this.#reading === "exact") return
    const wanted = selector.kind === "index" && selector.index >= 0 ? String(selector.index) : null
    for (let child = this.#first(object); child !== NONE; child = this.#next(child)) {
      if (this.#budget.isTurnDue()) yield
      const name = this.#tree.name(child)
      this.#budget.spend(name.length >> 3)
      if (wanted === null ? POSITION.test(name) : name === wanted) this.#addMisread("position", child, found)
    }
  }

  #addMisread(misreading: Misreading, node: number, found: number[]): void {
    this.#misreadings.add(misreading)
    if (this.#reading === "lenient") found.push(node)
  }

  /** Like `#addNamed`. */
  #addChildren(first: number, found: number[]): number {
    let child = first
    for (; child !== NONE && !this.#budget.isTurnDue(); child = this.#next(child)) {
      found.push(child)
      if (this.#watchesPaths) this.#watchPath(child)
    }
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

/**
 * Whether a selector chooses the only element of a list.
 *
 * @param isCovered whether a wildcard chooses the same without that
 */
function choosesOnlyElement(selector: Selector, isCovered: boolean): boolean {
  switch (selector.kind) {
    case "wildcard":
      return !isCovered
    case "index":
      return selector.index === 0 || selector.index === -1
    case "slice":
      return [...positionsOf(selector, 1)].length > 0
    case "name":
    case "filter":
      return false
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

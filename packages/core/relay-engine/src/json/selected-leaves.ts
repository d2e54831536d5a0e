import { Pace, type Work } from "@sealway/kernel"
import { type LocatedValue, UnreadableBodyError } from "../body/located-body.ts"
import type { JsonTree } from "./json-tree.ts"

const NODES_PER_STEP = 4_096

/** Which values are selected by which selectors, as a set per value; most bodies have only few different sets. */
export class SelectedLeaves {
  readonly #tree: JsonTree
  readonly #maxLeaves: number
  /** The number of each node's set; 0 is the empty one. */
  readonly #setOf: Int32Array
  readonly #sets: (readonly number[])[] = [[]]
  #count = 0

  constructor(tree: JsonTree, maxLeaves: number) {
    this.#tree = tree
    this.#maxLeaves = maxLeaves
    this.#setOf = new Int32Array(tree.size)
  }

  /**
   * Adds what one selector selects: values, and all values in containers. Each selector adds once, lowest first.
   *
   * @returns the remaining work if there is much; null when all is done
   * @throws UnreadableBodyError `too-large` when too many values are selected
   */
  add(selector: number, nodes: readonly number[]): Work<void> | null {
    /** By the number of a set, that of the set with the selector added. */
    const extended: number[] = []
    if (nodes.length + this.#tree.size > NODES_PER_STEP || !isInDocumentOrder(nodes)) {
      return this.#addInSteps(selector, nodes, extended)
    }
    let covered = 0
    for (const node of nodes) {
      const end = this.#tree.subtreeEnd(node)
      for (let leaf = Math.max(node, covered); leaf < end; leaf++) this.#addLeaf(leaf, selector, extended)
      covered = Math.max(covered, end)
    }
    return null
  }

  *#addInSteps(selector: number, nodes: readonly number[], extended: number[]): Work<void> {
    const pace = new Pace(NODES_PER_STEP)
    let covered = 0
    for (const node of isInDocumentOrder(nodes) ? nodes : yield* this.#sort(nodes)) {
      if (pace.isDue()) yield
      const end = this.#tree.subtreeEnd(node)
      for (let leaf = Math.max(node, covered); leaf < end; leaf++) {
        if (pace.isDue()) yield
        this.#addLeaf(leaf, selector, extended)
      }
      covered = Math.max(covered, end)
    }
  }

  #addLeaf(leaf: number, selector: number, extended: number[]): void {
    if (!this.#tree.isValue(leaf)) return
    const set = this.#setOf[leaf] ?? 0
    if (set === 0) this.#countOne()
    let next = extended[set]
    if (next === undefined) {
      next = this.#sets.push([...(this.#sets[set] ?? []), selector]) - 1
      extended[set] = next
    }
    this.#setOf[leaf] = next
  }

  has(leaf: number): boolean {
    return this.#setOf[leaf] !== 0
  }

  /** Whether each value of some nodes is selected by one of some selectors. */
  *covers(nodes: readonly number[], selectors: ReadonlySet<number>): Work<boolean> {
    const isCovered = this.#sets.map((set) => set.some((selector) => selectors.has(selector)))
    const pace = new Pace(NODES_PER_STEP)
    let covered = 0
    for (const node of isInDocumentOrder(nodes) ? nodes : yield* this.#sort(nodes)) {
      if (pace.isDue()) yield
      const end = this.#tree.subtreeEnd(node)
      for (let leaf = Math.max(node, covered); leaf < end; leaf++) {
        if (pace.isDue()) yield
        if (this.#tree.isValue(leaf) && isCovered[this.#setOf[leaf] ?? 0] !== true) return false
      }
      covered = Math.max(covered, end)
    }
    return true
  }

  /** Locates them in document order. @returns the remaining work if there is much; null when all is done */
  locate(values: LocatedValue[]): Work<void> | null {
    if (this.#setOf.length > NODES_PER_STEP) return this.#locateInSteps(values)
    this.#locateFrom(0, values)
    return null
  }

  *#locateInSteps(values: LocatedValue[]): Work<void> {
    for (let leaf = 0; leaf < this.#setOf.length; leaf += NODES_PER_STEP) {
      this.#locateFrom(leaf, values)
      yield
    }
  }

  #locateFrom(first: number, values: LocatedValue[]): void {
    const end = Math.min(first + NODES_PER_STEP, this.#setOf.length)
    for (let leaf = first; leaf < end; leaf++) {
      const set = this.#setOf[leaf] ?? 0
      if (set !== 0) values.push(this.#tree.locate(leaf, this.#sets[set] ?? []))
    }
  }

  /** Sorts by document order: marks nodes, and reads them off. */
  *#sort(nodes: readonly number[]): Work<readonly number[]> {
    const pace = new Pace(NODES_PER_STEP)
    const isSelected = new Uint8Array(this.#tree.size)
    for (const node of nodes) {
      if (pace.isDue()) yield
      isSelected[node] = 1
    }
    const ordered: number[] = []
    for (const [node, mark] of isSelected.entries()) {
      if (pace.isDue()) yield
      if (mark === 1) ordered.push(node)
    }
    return ordered
  }

  #countOne(): void {
    this.#count++
    if (this.#count > this.#maxLeaves) {
      throw new UnreadableBodyError("too-large", `More than ${this.#maxLeaves} values are selected.`)
    }
  }
}

/** Selectors usually return them in this order already. */
function isInDocumentOrder(nodes: readonly number[]): boolean {
  for (let index = 1; index < nodes.length; index++) {
    if ((nodes[index] ?? 0) < (nodes[index - 1] ?? 0)) return false
  }
  return true
}

import { type LocatedValue, UnreadableBodyError } from "../located-body.ts"
import type { JsonTree } from "./json-tree.ts"

/** Which values are selected and by which selectors, in a set for each value; most bodies have only few different sets. */
export class SelectedLeaves {
  readonly #tree: JsonTree
  readonly #maxLeaves: number
  /** Of each node the number of its set; 0 is the empty one. */
  readonly #setOf: Int32Array
  readonly #sets: (readonly number[])[] = [[]]
  #count = 0

  constructor(tree: JsonTree, maxLeaves: number) {
    this.#tree = tree
    this.#maxLeaves = maxLeaves
    this.#setOf = new Int32Array(tree.size)
  }

  /**
   * Adds what one selector selects: values, and all values in containers. Each selector adds once, the lowest first.
   *
   * @throws UnreadableBodyError `too-large` when more values are selected than may be
   */
  add(selector: number, nodes: readonly number[]): void {
    /** By the number of a set, that of the set with the selector too. */
    const extended: number[] = []
    let covered = 0
    for (const node of inDocumentOrder(nodes)) {
      const end = this.#tree.subtreeEnd(node)
      for (let leaf = Math.max(node, covered); leaf < end; leaf++) {
        if (!this.#tree.isValue(leaf)) continue
        const set = this.#setOf[leaf] ?? 0
        if (set === 0) this.#countOne()
        let next = extended[set]
        if (next === undefined) {
          next = this.#sets.push([...(this.#sets[set] ?? []), selector]) - 1
          extended[set] = next
        }
        this.#setOf[leaf] = next
      }
      covered = Math.max(covered, end)
    }
  }

  has(leaf: number): boolean {
    return this.#setOf[leaf] !== 0
  }

  /** Whether each value of some nodes is selected by one of some selectors. */
  covers(nodes: readonly number[], selectors: ReadonlySet<number>): boolean {
    const isCovered = this.#sets.map((set) => set.some((selector) => selectors.has(selector)))
    let covered = 0
    for (const node of inDocumentOrder(nodes)) {
      const end = this.#tree.subtreeEnd(node)
      for (let leaf = Math.max(node, covered); leaf < end; leaf++) {
        if (this.#tree.isValue(leaf) && isCovered[this.#setOf[leaf] ?? 0] !== true) return false
      }
      covered = Math.max(covered, end)
    }
    return true
  }

  /** In document order. */
  locate(): readonly LocatedValue[] {
    const values: LocatedValue[] = []
    for (let leaf = 0; leaf < this.#setOf.length; leaf++) {
      const set = this.#setOf[leaf] ?? 0
      if (set !== 0) values.push(this.#tree.locate(leaf, this.#sets[set] ?? []))
    }
    return values
  }

  #countOne(): void {
    this.#count++
    if (this.#count > this.#maxLeaves) {
      throw new UnreadableBodyError("too-large", `More than ${this.#maxLeaves} values are selected.`)
    }
  }
}

/** Selectors mostly give them in this order already. */
function inDocumentOrder(nodes: readonly number[]): Iterable<number> {
  for (let index = 1; index < nodes.length; index++) {
    if ((nodes[index] ?? 0) < (nodes[index - 1] ?? 0)) return Int32Array.from(nodes).sort()
  }
  return nodes
}

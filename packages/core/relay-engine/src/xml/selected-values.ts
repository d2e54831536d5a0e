import { Pace, type Work } from "@sealway/kernel"
import { UnreadableBodyError } from "../body/located-body.ts"
import { ATTRIBUTE, type XmlDocument } from "./xml-document.ts"
import type { XmlTree } from "./xml-tree.ts"

const VALUES_PER_STEP = 4_096

/** Which values of a document are selected by which selectors. Most values have one of a few sets of selectors. */
export class SelectedValues {
  readonly #document: XmlDocument
  readonly #tree: XmlTree
  readonly #maxSelected: number
  /** The number of each value's set; 0 is the empty one. */
  readonly #setOf: Int32Array
  readonly #sets: (readonly number[])[] = [[]]
  #selected = 0

  constructor(document: XmlDocument, tree: XmlTree, maxSelected: number) {
    this.#document = document
    this.#tree = tree
    this.#maxSelected = maxSelected
    this.#setOf = new Int32Array(document.endOfValues)
  }

  /** Returns the selectors of a value. */
  of(value: number): readonly number[] {
    return this.#sets[this.#setOf[value] ?? 0] ?? []
  }

  /**
   * Adds what a selector selects; selectors come in ascending order. Takes time linear in the document, however much
   * the nodes overlap.
   *
   * @throws UnreadableBodyError `too-large` when too many values are selected
   */
  *add(selector: number, nodes: readonly number[]): Work<void> {
    const isMeant = yield* this.#valuesOf(this.#tree, nodes)
    const extended = new Map<number, number>()
    const pace = new Pace(VALUES_PER_STEP)
    for (let value = 1; value < isMeant.length; value++) {
      if (pace.isDue()) yield
      if (isMeant[value] === 1) this.#extend(value, selector, extended)
    }
  }

  /** Whether each value of some nodes is selected by one of some selectors. @param tree the tree of the nodes */
  *covers(
    tree: Pick<XmlTree, "valuesOf">,
    nodes: readonly number[],
    selectors: ReadonlySet<number>,
  ): Work<boolean> {
    const isMeant = yield* this.#valuesOf(tree, nodes)
    const isCovered = this.#sets.map((set) => set.some((selector) => selectors.has(selector)))
    const pace = new Pace(VALUES_PER_STEP)
    for (let value = 1; value < isMeant.length; value++) {
      if (pace.isDue()) yield
      if (isMeant[value] === 1 && isCovered[this.#setOf[value] ?? 0] !== true) return false
    }
    return true
  }

  /** Returns a 1 for each value that belongs to one of some nodes. */
  *#valuesOf(tree: Pick<XmlTree, "valuesOf">, nodes: readonly number[]): Work<Uint8Array> {
    /** How many more ranges start than end at each value. */
    const changes = new Int32Array(this.#setOf.length + 1)
    const isMeant = new Uint8Array(this.#setOf.length)
    const pace = new Pace(VALUES_PER_STEP)
    for (const node of nodes) {
      for (const range of tree.valuesOf(node)) {
        if (pace.isDue()) yield
        if (range.attributes) isMeant[range.start] = 1
        else {
          changes[range.start] = (changes[range.start] ?? 0) + 1
          changes[range.end] = (changes[range.end] ?? 0) - 1
        }
      }
    }
    let covering = 0
    for (let value = 1; value < this.#setOf.length; value++) {
      if (pace.isDue()) yield
      covering += changes[value] ?? 0
      if (covering > 0 && this.#document.form(value) !== ATTRIBUTE) isMeant[value] = 1
    }
    return isMeant
  }

  #extend(value: number, selector: number, extended: Map<number, number>): void {
    const set = this.#setOf[value] ?? 0
    if (set === 0 && ++this.#selected > this.#maxSelected) {
      throw new UnreadableBodyError("too-large", "The selectors match too many values in the XML document.")
    }
    let next = extended.get(set)
    if (next === undefined) {
      next = this.#sets.push([...(this.#sets[set] ?? []), selector]) - 1
      extended.set(set, next)
    }
    this.#setOf[value] = next
  }
}

import { Pace, type Work } from "@sealway/kernel"
import { UnreadableBodyError } from "../located-body.ts"
import { ATTRIBUTE, type XmlDocument } from "./xml-document.ts"
import type { XmlTree } from "./xml-tree.ts"

const VALUES_PER_STEP = 4_096

/** Which values of a document are selected, and by which selectors. Most values have one of a few sets of selectors. */
export class SelectedValues {
  readonly #document: XmlDocument
  readonly #tree: XmlTree
  readonly #maxSelected: number
  /** Of each value the number of its set; 0 is the empty one. */
  readonly #setOf: Int32Array
  readonly #sets: (readonly number[])[] = [[]]
  #selected = 0

  constructor(document: XmlDocument, tree: XmlTree, maxSelected: number) {
    this.#document = document
    this.#tree = tree
    this.#maxSelected = maxSelected
    this.#setOf = new Int32Array(document.endOfValues)
  }

  /** The selectors of a value. */
  of(value: number): readonly number[] {
    return this.#sets[this.#setOf[value] ?? 0] ?? []
  }

  /**
   * Adds what a selector selects; selectors come in ascending order. Takes time linear in the document, however much
   * the nodes have in common.
   *
   * @throws UnreadableBodyError `too-large` when more values are selected than may be
   */
  *add(selector: number, nodes: readonly number[]): Work<void> {
    /** How many more ranges begin than end at each value. */
    const changes = new Int32Array(this.#setOf.length + 1)
    const attributes = new Uint8Array(this.#setOf.length)
    const pace = new Pace(VALUES_PER_STEP)
    for (const node of nodes) {
      for (const range of this.#tree.valuesOf(node)) {
        if (pace.isDue()) yield
        if (range.attributes) attributes[range.start] = 1
        else {
          changes[range.start] = (changes[range.start] ?? 0) + 1
          changes[range.end] = (changes[range.end] ?? 0) - 1
        }
      }
    }
    const extended = new Map<number, number>()
    let covering = 0
    for (let value = 1; value < this.#setOf.length; value++) {
      if (pace.isDue()) yield
      covering += changes[value] ?? 0
      const isSelected = this.#document.form(value) === ATTRIBUTE ? attributes[value] === 1 : covering > 0
      if (isSelected) this.#extend(value, selector, extended)
    }
  }

  #extend(value: number, selector: number, extended: Map<number, number>): void {
    const set = this.#setOf[value] ?? 0
    if (set === 0 && ++this.#selected > this.#maxSelected) {
      throw new UnreadableBodyError("too-large", "Too many values of the XML document are selected.")
    }
    let next = extended.get(set)
    if (next === undefined) {
      next = this.#sets.push([...(this.#sets[set] ?? []), selector]) - 1
      extended.set(set, next)
    }
    this.#setOf[value] = next
  }
}

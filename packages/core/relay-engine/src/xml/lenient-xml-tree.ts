import { type NameMatch, NONE, type NodeKind, type Tree } from "../tree/tree.ts"
import type { WalkBudget } from "../tree/walk-budget.ts"
import { OWN_TEXT, type ValueRange, type XmlTree } from "./xml-tree.ts"

/**
 * An XML document as its most lenient parsers see it:
 *
 * | parser | reads as `<card>` |
 * |---|---|
 * | Java (Jackson's XmlMapper), Ruby (Rails, `Hash.from_xml`), xml2js with `mergeAttrs` | an attribute `card` |
 * | PHP (`xml_parse_into_struct`), Jackson with `ACCEPT_CASE_INSENSITIVE_PROPERTIES` | `<Card>` |
 * | Rails | `<card-number>` for `card_number` |
 * | Go (encoding/xml), Jackson | an attribute with any prefix, `p:card` |
 *
 * So an attribute is a list of one element with only its text, and names are folded like those of JSON. It is walked
 * with the lenient segments of a selector, which name attributes and elements alike.
 */
export class LenientXmlTree implements Tree {
  readonly mixesLists = false
  readonly hasPaths = false
  readonly #tree: XmlTree
  readonly #budget: WalkBudget

  constructor(tree: XmlTree, budget: WalkBudget) {
    this.#tree = tree
    this.#budget = budget
  }

  kind(node: number): NodeKind {
    if (node < NONE) return isText(node) ? "string" : "object"
    return this.#tree.isAttribute(node) ? "array" : this.#tree.kind(node)
  }

  firstChild(node: number): number {
    if (node < NONE) return isText(node) ? NONE : node - 1
    return this.#tree.isAttribute(node) ? elementOf(node) : this.#tree.firstChild(node)
  }

  nextSibling(node: number): number {
    return node < NONE ? NONE : this.#tree.nextSibling(node)
  }

  compareName(node: number, name: string): NameMatch {
    if (node < NONE) return isText(node) && name === OWN_TEXT ? "same" : "other"
    const isTaken =
      this.#tree.compareName(node, name) === "same" || this.#tree.isNearlyNamed(node, name, this.#budget)
    return isTaken ? "same" : "other"
  }

  isNearlyNamed(): boolean {
    return false
  }

  mayBePath(): boolean {
    return false
  }

  isCountedOtherwise(): null {
    return null
  }

  name(node: number): string {
    return node < NONE ? OWN_TEXT : this.#tree.name(node)
  }

  scalar(node: number): string {
    return this.#tree.scalar(node < NONE ? attributeOf(node) : node)
  }

  /** See `XmlTree`. */
  valuesOf(node: number): Iterable<ValueRange> {
    return this.#tree.valuesOf(node < NONE ? attributeOf(node) : node)
  }
}

/** Returns the element in an attribute's list; the number below it is that of the element's text. */
function elementOf(attribute: number): number {
  return -2 - 2 * attribute
}

function isText(node: number): boolean {
  return node % 2 !== 0
}

function attributeOf(node: number): number {
  return Math.floor((-2 - node) / 2)
}

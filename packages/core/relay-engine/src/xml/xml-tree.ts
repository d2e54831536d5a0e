import type { Work } from "@sealway/kernel"
import { atOnceUnlessLarge, readAtOnce } from "../body/located-body.ts"
import { areNamesAlike } from "../tree/name-readings.ts"
import { type NameMatch, NONE, type NodeKind, type Tree } from "../tree/tree.ts"
import type { WalkBudget } from "../tree/walk-budget.ts"
import type { QualifiedName } from "./name-table.ts"
import { decodeAttribute, decodeText } from "./references.ts"
import { ATTRIBUTE, CDATA, DOCUMENT, NOTHING, type XmlDocument } from "./xml-document.ts"

/** The name of an element's own text. */
export const OWN_TEXT = "#text"

/**
 * Returns the name of an element or attribute in a namespace, as compiled in selectors: no XML name starts like that.
 */
export function expandedName(uri: string, local: string): string {
  return `{${uri}}${local}`
}

interface ExpandedName {
  /** Undefined: the document does not have it. */
  readonly namespace: number | undefined
  readonly local: string
}

/** A selector's name, without the `@` of attributes. */
interface WantedName {
  readonly name: string
  /** As written, or a namespace in braces; null for none. */
  readonly prefix: string | null
  readonly local: string
}

/** The kind of a node is part of its number, see `XmlTree`. */
const ELEMENT = 0
const LIST = 1
const ELEMENT_TEXT = 2
const ATTRIBUTE_NODE = 3

/**
 * An XML document as a JSON tree, without building one:
 *
 * ```json { "order": [{ "@id": "7", "#text": "", "item": [{ "#text": "A" }, { "#text": "B" }] }] } ```
 *
 * An element is an object; its attributes are fields with `@` in front, its own text (all runs of it) is `#text`, and
 * nested elements are in lists, one per name, even for one element. A node's number is four times that of an element or
 * attribute, plus the kind of node.
 */
export class XmlTree implements Tree {
  readonly mixesLists = false
  readonly hasPaths = false
  readonly #bytes: Buffer
  readonly #document: XmlDocument
  readonly #expanded = new Map<string, ExpandedName>()
  #wanted: WantedName = { name: "", prefix: null, local: "" }

  constructor(bytes: Buffer, document: XmlDocument) {
    this.#bytes = bytes
    this.#document = document
  }

  kind(node: number): NodeKind {
    const kind = node & 3
    if (kind === ELEMENT) return "object"
    return kind === LIST ? "array" : "string"
  }

  firstChild(node: number): number {
    const number = node >> 2
    switch (node & 3) {
      case ELEMENT: {
        if (number === DOCUMENT) return listOf(this.#document.firstKind(DOCUMENT))
        const attribute = this.#document.firstAttribute(number)
        return attribute < this.#document.firstContent(number)
          ? attribute * 4 + ATTRIBUTE_NODE
          : number * 4 + ELEMENT_TEXT
      }
      case LIST:
        return number * 4
      default:
        return NONE
    }
  }

  nextSibling(node: number): number {
    const number = node >> 2
    switch (node & 3) {
      case ELEMENT: {
        const next = this.#document.nextSame(number)
        return next === NOTHING ? NONE : next * 4
      }
      case LIST:
        return listOf(this.#document.nextKind(number))
      case ELEMENT_TEXT:
        return listOf(this.#document.firstKind(number))
      default: {
        const owner = this.#document.owner(number)
        const next = number + 1
        return next < this.#document.firstContent(owner)
          ? next * 4 + ATTRIBUTE_NODE
          : owner * 4 + ELEMENT_TEXT
      }
    }
  }

  /** A name without a prefix matches elements with any prefix too, and one in a namespace any prefix for it. */
  compareName(node: number, name: string): NameMatch {
    return this.#isNamed(node, name) ? "same" : "unsure"
  }

  #isNamed(node: number, name: string): boolean {
    if (name.startsWith("{")) return this.#isInNamespace(node, name, LIST)
    if (name.startsWith("@{")) return this.#isInNamespace(node, name.slice(1), ATTRIBUTE_NODE)
    if ((node & 3) !== LIST) return this.name(node) === name
    const { qualified, local } = this.#document.names.get(this.#document.name(node >> 2))
    return qualified === name || local === name
  }

  isAttribute(node: number): boolean {
    return node >= 0 && (node & 3) === ATTRIBUTE_NODE
  }

  /** Treats elements and attributes alike: see `LenientXmlTree`. */
  isNearlyNamed(node: number, name: string, budget: WalkBudget): boolean {
    const kind = node & 3
    if (kind !== LIST && kind !== ATTRIBUTE_NODE) return false
    const wanted = this.#wantedName(name)
    const { prefix, local } = this.#nameOf(node)
    budget.spend(1)
    if (!areNamesAlike(local, wanted.local, budget)) return false
    if (wanted.prefix === null || (prefix === null && kind === ATTRIBUTE_NODE)) return true
    return wanted.prefix.startsWith("{")
      ? this.#hasNamespace(node, this.#document.namespaceNumber(wanted.prefix.slice(1, -1)))
      : prefix !== null && areNamesAlike(prefix, wanted.prefix, budget)
  }

  /** No reader of XML takes the dots in a name for a path. */
  mayBePath(): boolean {
    return false
  }

  /**
   * A list contains the elements that are spelled alike, prefix and all. Parsers that drop prefixes (fast-xml-parser
   * with `removeNSPrefix`, Jackson, Go) count those with any prefix together, and parsers by namespace (Python's
   * ElementTree) those in each namespace separately.
   */
  *isCountedOtherwise(list: number, isExact: boolean, budget: WalkBudget): Work<boolean> {
    const document = this.#document
    const first = list >> 2
    for (let element = first; element !== NOTHING; element = document.nextSame(element)) {
      budget.spend(1)
      if (budget.isTurnDue()) yield
      if (document.namespace(element) !== document.namespace(first)) return true
    }
    const { local } = document.names.get(document.name(first))
    const parent = document.parent(first)
    for (let other = document.firstKind(parent); other !== NOTHING; other = document.nextKind(other)) {
      budget.spend(1)
      if (budget.isTurnDue()) yield
      if (other === first) continue
      const name = document.names.get(document.name(other)).local
      if (isExact ? name === local : areNamesAlike(name, local, budget)) return true
    }
    return false
  }

  #nameOf(node: number): QualifiedName {
    const document = this.#document
    const number = node >> 2
    return document.names.get(this.isAttribute(node) ? document.attributeName(number) : document.name(number))
  }

  /** Caches a selector's last name, which is compared with many. */
  #wantedName(name: string): WantedName {
    if (name !== this.#wanted.name) {
      const bare = name.startsWith("@") ? name.slice(1) : name
      const end = bare.startsWith("{") ? bare.lastIndexOf("}") + 1 : bare.indexOf(":")
      const local = bare.slice(bare.startsWith("{") ? end : end + 1)
      this.#wanted = { name, prefix: end > 0 ? bare.slice(0, end) : null, local }
    }
    return this.#wanted
  }

  name(node: number): string {
    const number = node >> 2
    switch (node & 3) {
      case LIST:
        return this.#document.names.get(this.#document.name(number)).qualified
      case ATTRIBUTE_NODE:
        return `@${this.#document.names.get(this.#document.attributeName(number)).qualified}`
      default:
        return OWN_TEXT
    }
  }

  scalar(node: number): string {
    const number = node >> 2
    if ((node & 3) === ATTRIBUTE_NODE) return readAtOnce(this.text(number)).toString()
    let text = ""
    for (let run = this.#document.firstText(number); run !== NOTHING; run = this.#document.nextText(run)) {
      text += readAtOnce(this.text(run)).toString()
    }
    return text
  }

  /** Returns the text of a value: UTF-8. In steps if it is large. */
  text(value: number): Buffer | Work<Buffer> {
    const raw = this.#bytes.subarray(this.#document.start(value), this.#document.end(value))
    const form = this.#document.form(value)
    const text = form === ATTRIBUTE ? decodeAttribute(raw) : decodeText(raw, form === CDATA)
    return atOnceUnlessLarge(text, raw.length)
  }

  /** Yields the values of a selected node, as ranges `[start, end)` of numbers and whether attributes count. */
  *valuesOf(node: number): Iterable<ValueRange> {
    const number = node >> 2
    switch (node & 3) {
      case ATTRIBUTE_NODE:
        yield { start: number, end: number + 1, attributes: true }
        break
      case ELEMENT_TEXT:
        for (
          let run = this.#document.firstText(number);
          run !== NOTHING;
          run = this.#document.nextText(run)
        ) {
          yield { start: run, end: run + 1, attributes: false }
        }
        break
      case LIST:
        for (let element = number; element !== NOTHING; element = this.#document.nextSame(element)) {
          yield this.#contentOf(element)
        }
        break
      default:
        yield this.#contentOf(number)
    }
  }

  /**
   * For a list, whether any of its elements is: a prefix can be declared again for each, and they are selected
   * together.
   */
  #isInNamespace(node: number, name: string, kind: typeof LIST | typeof ATTRIBUTE_NODE): boolean {
    if ((node & 3) !== kind) return false
    const { namespace, local } = this.#expandedName(name)
    return this.#nameOf(node).local === local && this.#hasNamespace(node, namespace)
  }

  #hasNamespace(node: number, namespace: number | undefined): boolean {
    if (namespace === undefined) return false
    const document = this.#document
    const number = node >> 2
    if (this.isAttribute(node)) return document.attributeNamespace(number) === namespace
    let element = number
    while (element !== NOTHING && document.namespace(element) !== namespace)
      element = document.nextSame(element)
    return element !== NOTHING
  }

  #expandedName(name: string): ExpandedName {
    const known = this.#expanded.get(name)
    if (known !== undefined) return known
    const end = name.lastIndexOf("}")
    const expanded = {
      namespace: this.#document.namespaceNumber(name.slice(1, end)),
      local: name.slice(end + 1),
    }
    this.#expanded.set(name, expanded)
    return expanded
  }

  #contentOf(element: number): ValueRange {
    return {
      start: this.#document.firstContent(element),
      end: this.#document.endContent(element),
      attributes: false,
    }
  }
}

export interface ValueRange {
  readonly start: number
  readonly end: number
  readonly attributes: boolean
}

function listOf(first: number): number {
  return first === NOTHING ? NONE : first * 4 + LIST
}

import type { BodyMemory } from "../body/body-memory.ts"
import { IntRows } from "./int-rows.ts"
import { NameTable } from "./name-table.ts"

/** The document itself, which contains the root element like an element contains others. */
export const DOCUMENT = 0
/** No element, no value: the document's number, which is never looked for. */
export const NOTHING = 0

/** Columns of an element. `FIRST_KIND` and `NEXT_KIND` chain the first elements with each name in a parent. */
const NAME = 0
const PARENT = 1
const FIRST_KIND = 2
const NEXT_KIND = 3
const NEXT_SAME = 4
const FIRST_ATTRIBUTE = 5
const FIRST_CONTENT = 6
const END_CONTENT = 7
const FIRST_TEXT = 8
/**
 * For the first element with its name in its parent: the element elsewhere that was the last one with this name before.
 */
const SHADOWED = 9
const NAMESPACE = 10
const ELEMENT_COLUMNS = 11

/** Columns of a value. */
const START = 0
const END = 1
const OWNER = 2
/** A form; above its two bits, the namespace of an attribute. */
const FORM = 3
const FORM_BITS = 2
const FORM_MASK = 0b11
/** For an attribute its name, for a text the next text of the same element. */
const NAME_OR_NEXT = 4
const VALUE_COLUMNS = 5

/** How a value is written: between tags, inside a CDATA section, or in quotes. */
export const TEXT = 0
export const CDATA = 1
export const ATTRIBUTE = 2
export type ValueForm = typeof TEXT | typeof CDATA | typeof ATTRIBUTE

/**
 * Elements, and values (attributes and texts), numbered in document order. Element 0 is the document and value 0 is
 * none. The scanner fills it in, in time linear in the document whatever its names are.
 */
export class XmlDocument {
  readonly names: NameTable
  readonly #elements: IntRows
  readonly #values: IntRows
  /** The innermost last element with each name among the children of the open elements. */
  readonly #lastOfName: number[] = []
  /** For each open element: its last child that is the first with its name, and its last text. */
  readonly #lastKinds: number[] = [NOTHING]
  readonly #lastTexts: number[] = [NOTHING]
  #open = DOCUMENT
  #namespaces: ReadonlyMap<string, number> = new Map()

  /**
   * @param maxNodes the limit for elements, and for values
   * @param memory counts them
   */
  constructor(bytes: Buffer, maxNodes: number, memory: BodyMemory) {
    this.names = new NameTable(bytes)
    this.#elements = new IntRows(ELEMENT_COLUMNS, maxNodes + 1, memory)
    this.#values = new IntRows(VALUE_COLUMNS, maxNodes + 1, memory)
    this.#elements.add()
    this.#values.add()
    this.#elements.set(DOCUMENT, FIRST_ATTRIBUTE, 1)
    this.#elements.set(DOCUMENT, FIRST_CONTENT, 1)
  }

  /** The element that is being read. */
  get open(): number {
    return this.#open
  }
  /** How many elements are open. */
  get depth(): number {
    return this.#lastKinds.length - 1
  }
  /** One more than the last value. */
  get endOfValues(): number {
    return this.#values.length
  }

  name(element: number): number {
    return this.#elements.get(element, NAME)
  }
  parent(element: number): number {
    return this.#elements.get(element, PARENT)
  }
  firstKind(element: number): number {
    return this.#elements.get(element, FIRST_KIND)
  }
  nextKind(element: number): number {
    return this.#elements.get(element, NEXT_KIND)
  }
  nextSame(element: number): number {
    return this.#elements.get(element, NEXT_SAME)
  }
  /** Its attributes are the values from here to `firstContent`. */
  firstAttribute(element: number): number {
    return this.#elements.get(element, FIRST_ATTRIBUTE)
  }
  /** All values in it, including attributes of nested elements, are from here to `endContent`. */
  firstContent(element: number): number {
    return this.#elements.get(element, FIRST_CONTENT)
  }
  endContent(element: number): number {
    return this.#elements.get(element, END_CONTENT)
  }
  firstText(element: number): number {
    return this.#elements.get(element, FIRST_TEXT)
  }

  start(value: number): number {
    return this.#values.get(value, START)
  }
  end(value: number): number {
    return this.#values.get(value, END)
  }
  owner(value: number): number {
    return this.#values.get(value, OWNER)
  }
  form(value: number): ValueForm {
    const form = this.#values.get(value, FORM) & FORM_MASK
    return form === CDATA || form === ATTRIBUTE ? form : TEXT
  }
  attributeName(attribute: number): number {
    return this.#values.get(attribute, NAME_OR_NEXT)
  }
  nextText(text: number): number {
    return this.#values.get(text, NAME_OR_NEXT)
  }

  /** The number of its namespace, see `NamespaceScope`. */
  namespace(element: number): number {
    return this.#elements.get(element, NAMESPACE)
  }
  attributeNamespace(attribute: number): number {
    return this.#values.get(attribute, FORM) >> FORM_BITS
  }
  /** Returns undefined when no element declares it. */
  namespaceNumber(uri: string): number | undefined {
    return this.#namespaces.get(uri)
  }

  /** Opens an element in the open one. Its attributes come next, then `beginContent`. */
  openElement(name: number): void {
    const element = this.#elements.add()
    const parent = this.#open
    this.#elements.set(element, NAME, name)
    this.#elements.set(element, PARENT, parent)
    this.#elements.set(element, FIRST_ATTRIBUTE, this.#values.length)
    const last = this.#lastOfName[name] ?? NOTHING
    if (last !== NOTHING && this.parent(last) === parent) this.#elements.set(last, NEXT_SAME, element)
    else {
      this.#elements.set(element, SHADOWED, last)
      const before = this.#lastKinds.at(-1) ?? NOTHING
      if (before === NOTHING) this.#elements.set(parent, FIRST_KIND, element)
      else this.#elements.set(before, NEXT_KIND, element)
      this.#lastKinds[this.#lastKinds.length - 1] = element
    }
    this.#lastOfName[name] = element
    this.#lastKinds.push(NOTHING)
    this.#lastTexts.push(NOTHING)
    this.#open = element
  }

  /** @returns its value */
  addAttribute(name: number, start: number, end: number): number {
    const attribute = this.#addValue(start, end, ATTRIBUTE)
    this.#values.set(attribute, NAME_OR_NEXT, name)
    return attribute
  }

  /** Sets the namespace of the last opened element. */
  setNamespace(namespace: number): void {
    this.#elements.set(this.#open, NAMESPACE, namespace)
  }

  setAttributeNamespace(attribute: number, namespace: number): void {
    this.#values.set(attribute, FORM, ATTRIBUTE | (namespace << FORM_BITS))
  }

  beginContent(): void {
    this.#elements.set(this.#open, FIRST_CONTENT, this.#values.length)
  }

  addText(start: number, end: number, form: typeof TEXT | typeof CDATA): void {
    const text = this.#addValue(start, end, form)
    const before = this.#lastTexts.at(-1) ?? NOTHING
    if (before === NOTHING) this.#elements.set(this.#open, FIRST_TEXT, text)
    else this.#values.set(before, NAME_OR_NEXT, text)
    this.#lastTexts[this.#lastTexts.length - 1] = text
  }

  closeElement(): void {
    const element = this.#open
    this.#elements.set(element, END_CONTENT, this.#values.length)
    for (let child = this.firstKind(element); child !== NOTHING; child = this.nextKind(child)) {
      this.#lastOfName[this.name(child)] = this.#elements.get(child, SHADOWED)
    }
    this.#lastKinds.pop()
    this.#lastTexts.pop()
    this.#open = this.parent(element)
  }

  /** Call it when everything was read. @param namespaces numbers by URI */
  finish(namespaces: ReadonlyMap<string, number>): void {
    this.#namespaces = namespaces
    this.#elements.set(DOCUMENT, END_CONTENT, this.#values.length)
  }

  #addValue(start: number, end: number, form: ValueForm): number {
    const value = this.#values.add()
    this.#values.set(value, START, start)
    this.#values.set(value, END, end)
    this.#values.set(value, OWNER, this.#open)
    this.#values.set(value, FORM, form)
    return value
  }
}

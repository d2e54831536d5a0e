import type { LocatedValue } from "../located-body.ts"
import { NONE, type NodeKind, type Tree } from "../tree.ts"
import {
  ARRAY,
  BOOLEAN,
  END,
  ESCAPED,
  type JsonRows,
  KIND_MASK,
  LAST,
  NAME,
  NAME_ESCAPED,
  NULL,
  NUMBER,
  ROW_SIZE,
  START,
  STRING,
  TRAITS,
} from "./json-rows.ts"

const QUOTE = 0x22
const BACKSLASH = 0x5c
const LAST_ASCII = 0x7f

/** Of each kind number, in order. */
const KINDS: readonly NodeKind[] = ["object", "array", "null", "string", "number", "boolean"]

/** A scanned JSON text as selectors see it. Names and scalars are read out of the bytes when they are asked for. */
export class JsonTree implements Tree {
  readonly size: number
  readonly #bytes: Buffer
  readonly #cells: Int32Array

  constructor(bytes: Buffer, { cells, count }: JsonRows) {
    this.#bytes = bytes
    this.#cells = cells
    this.size = count
  }

  kind(node: number): NodeKind {
    return KINDS[this.#kindNumber(node)] ?? "null"
  }

  firstChild(node: number): number {
    return this.#kindNumber(node) <= ARRAY && this.#cell(node, END) > node + 1 ? node + 1 : NONE
  }

  nextSibling(node: number): number {
    return node === 0 || (this.#cell(node, TRAITS) & LAST) !== 0 ? NONE : this.subtreeEnd(node)
  }

  isNamed(node: number, name: string): boolean {
    const start = this.#cell(node, NAME)
    if (start === 0) return false
    if ((this.#cell(node, TRAITS) & NAME_ESCAPED) !== 0) return this.name(node) === name
    const bytes = this.#bytes
    for (let index = 0; index < name.length; index++) {
      const character = name.charCodeAt(index)
      if (character > LAST_ASCII) return this.name(node) === name
      // A quote would be escaped in the name: this one ends it.
      if (bytes[start + index] !== character || character === QUOTE) return false
    }
    return bytes[start + name.length] === QUOTE
  }

  name(node: number): string {
    const start = this.#cell(node, NAME)
    if (start === 0) return ""
    if ((this.#cell(node, TRAITS) & NAME_ESCAPED) === 0) {
      return this.#bytes.toString("utf8", start, this.#bytes.indexOf(QUOTE, start))
    }
    let end = start
    while (this.#bytes[end] !== QUOTE) end += this.#bytes[end] === BACKSLASH ? 2 : 1
    return unescapeString(this.#bytes, start - 1, end + 1)
  }

  scalar(node: number): string | number | boolean | null {
    const start = this.#cell(node, START)
    const end = this.#cell(node, END)
    switch (this.#kindNumber(node)) {
      case STRING:
        return (this.#cell(node, TRAITS) & ESCAPED) === 0
          ? this.#bytes.toString("utf8", start + 1, end - 1)
          : unescapeString(this.#bytes, start, end)
      case NUMBER:
        return Number(this.#bytes.toString("latin1", start, end))
      case BOOLEAN:
        return end - start === "true".length
      default:
        return null
    }
  }

  /** The node after all that a node holds: nodes are numbered in document order. */
  subtreeEnd(node: number): number {
    return this.#kindNumber(node) <= ARRAY ? this.#cell(node, END) : node + 1
  }

  /** Of a node that `isValue`: where its literal stands, quotes included. */
  locate(node: number, selectors: readonly number[]): LocatedValue {
    const row = node * ROW_SIZE
    const kind = (this.#cells[row + TRAITS] ?? 0) & KIND_MASK
    return {
      start: this.#cells[row + START] ?? 0,
      end: this.#cells[row + END] ?? 0,
      type: kind === STRING ? "string" : kind === NUMBER ? "number" : "boolean",
      selectors,
    }
  }

  /** Whether a node is a string, number or boolean. */
  isValue(node: number): boolean {
    return this.#kindNumber(node) > NULL
  }

  /** The scalar whose literal begins at a byte; `NONE` when there is none. */
  scalarAt(start: number): number {
    let low = 0
    let high = this.size - 1
    while (low <= high) {
      const middle = (low + high) >> 1
      const found = this.#cell(middle, START)
      if (found === start) return this.#kindNumber(middle) <= ARRAY ? NONE : middle
      if (found < start) low = middle + 1
      else high = middle - 1
    }
    return NONE
  }

  #kindNumber(node: number): number {
    return this.#cell(node, TRAITS) & KIND_MASK
  }

  #cell(node: number, column: number): number {
    return this.#cells[node * ROW_SIZE + column] ?? 0
  }
}

/** The text of a string literal at `[start, end)`, quotes included, that holds escapes. A lone surrogate stays one. */
export function unescapeString(bytes: Buffer, start: number, end: number): string {
  const text: unknown = JSON.parse(bytes.toString("utf8", start, end))
  if (typeof text !== "string") throw new TypeError("The range does not hold a string literal")
  return text
}

import { unescapeJsonString } from "@sealway/kernel"
import type { LocatedValue } from "../body/located-body.ts"
import { isFoldedAlike, isFoldedTo } from "../tree/name-readings.ts"
import { type NameMatch, NONE, type NodeKind, type Tree } from "../tree/tree.ts"
import type { WalkBudget } from "../tree/walk-budget.ts"
import {
  ARRAY,
  BOOLEAN,
  END,
  ESCAPED,
  type JsonRows,
  KIND_MASK,
  LAST,
  NAME,
  NAME_DOTTED,
  NAME_ESCAPED,
  NAME_SPECIAL,
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
const UNDERSCORE = 0x5f
const DASH = 0x2d
const BLANK = 0x20

/** By character, what it is folded to; 0 if it needs a closer look: separators, and non-ASCII. */
const FOLDED = Uint8Array.from({ length: 256 }, (_, code) =>
  code > LAST_ASCII || isSeparator(code) ? 0 : String.fromCharCode(code).toLowerCase().charCodeAt(0),
)
/** Comparing the starts of two names takes as long as visiting this many nodes. */
const STEPS_PER_COMPARISON = 2
/** Unescaping and folding a short name takes as long as visiting this many nodes. */
const STEPS_PER_FOLD = 20

/** `\u0061` */
const BYTES_PER_ESCAPE = 6

/** By kind number. */
const KINDS: readonly NodeKind[] = ["object", "array", "null", "string", "number", "boolean"]

/** A scanned JSON text in the form for selectors. Names and scalars are read from the bytes on request. */
export class JsonTree implements Tree {
  readonly mixesLists = true
  readonly hasPaths: boolean
  /** Whether some field may be called `__proto__`, `$ref` or `op`. */
  readonly hasSpecialNames: boolean
  readonly size: number
  readonly #bytes: Buffer
  readonly #cells: Int32Array

  constructor(bytes: Buffer, { cells, count, names }: JsonRows) {
    this.#bytes = bytes
    this.#cells = cells
    this.size = count
    this.hasPaths = (names & (NAME_DOTTED | NAME_ESCAPED)) !== 0
    this.hasSpecialNames = (names & (NAME_SPECIAL | NAME_ESCAPED)) !== 0
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

  compareName(node: number, name: string): NameMatch {
    const start = this.#cell(node, NAME)
    if (start === 0) return "other"
    if ((this.#cell(node, TRAITS) & NAME_ESCAPED) !== 0) {
      return !this.#isNameLonger(start, name) && this.name(node) === name ? "same" : "unsure"
    }
    const bytes = this.#bytes
    for (let index = 0; index < name.length; index++) {
      const character = name.charCodeAt(index)
      if (character > LAST_ASCII) return this.name(node) === name ? "same" : "unsure"
      const byte = bytes[start + index] ?? 0
      // A quote would be escaped in the name: this one ends it.
      if (byte !== character || character === QUOTE) {
        const folded = FOLDED[byte]
        return folded === FOLDED[character] || folded === 0 || FOLDED[character] === 0 ? "unsure" : "other"
      }
    }
    const next = bytes[start + name.length] ?? 0
    if (next === QUOTE) return "same"
    return FOLDED[next] === 0 ? "unsure" : "other"
  }

  isNearlyNamed(node: number, name: string, budget: WalkBudget): boolean {
    const start = this.#cell(node, NAME)
    if (start === 0) return false
    const isPlain = (this.#cell(node, TRAITS) & NAME_ESCAPED) === 0
    // Letters beyond ASCII may have several compositions.
    if (isPlain && isAsciiText(name)) return this.#isFoldedAlike(start, name, budget)
    const own = this.name(node)
    budget.spend(STEPS_PER_FOLD + (own.length >> 1))
    return isFoldedTo(own, name)
  }

  mayBePath(node: number): boolean {
    const traits = this.#cell(node, TRAITS)
    if ((traits & NAME_DOTTED) !== 0) return true
    return (traits & NAME_ESCAPED) !== 0 && /[.[]/.test(this.name(node))
  }

  isCountedOtherwise(): null {
    return null
  }

  name(node: number): string {
    const start = this.#cell(node, NAME)
    if (start === 0) return ""
    if ((this.#cell(node, TRAITS) & NAME_ESCAPED) === 0) {
      return this.#bytes.toString("utf8", start, this.#bytes.indexOf(QUOTE, start))
    }
    let end = start
    while (this.#bytes[end] !== QUOTE) end += this.#bytes[end] === BACKSLASH ? 2 : 1
    return unescapeJsonString(this.#bytes, start - 1, end + 1)
  }

  /** Whether a field's name has at least so many bytes. */
  isNameLong(node: number, bytes: number): boolean {
    const start = this.#cell(node, NAME)
    if (start === 0) return false
    for (let at = start; at < start + bytes; at++)
      if (this.#bytes[at] === QUOTE) return this.#bytes[at - 1] === BACKSLASH
    return true
  }

  scalar(node: number): string | number | boolean | null {
    const start = this.#cell(node, START)
    const end = this.#cell(node, END)
    switch (this.#kindNumber(node)) {
      case STRING:
        return (this.#cell(node, TRAITS) & ESCAPED) === 0
          ? this.#bytes.toString("utf8", start + 1, end - 1)
          : unescapeJsonString(this.#bytes, start, end)
      case NUMBER:
        return Number(this.#bytes.toString("latin1", start, end))
      case BOOLEAN:
        return end - start === "true".length
      default:
        return null
    }
  }

  /** Returns the node after a node's whole content: nodes are numbered in document order. */
  subtreeEnd(node: number): number {
    return this.#kindNumber(node) <= ARRAY ? this.#cell(node, END) : node + 1
  }

  /** For a node that `isValue`: returns the position of its literal, quotes included. */
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

  /** Returns the scalar whose literal starts at a byte; `NONE` when there is none. */
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

  /** Does what `foldMemberName` does for a name without escapes, without reading past the first difference. */
  #isFoldedAlike(start: number, name: string, budget: WalkBudget): boolean {
    const bytes = this.#bytes
    let at = start
    let index = 0
    for (;;) {
      while (isSeparator(bytes[at] ?? 0)) at++
      while (index < name.length && isSeparator(name.charCodeAt(index))) index++
      const isOver = bytes[at] === QUOTE
      const own = codePointAt(bytes, at)
      const wanted = name.codePointAt(index) ?? 0
      if (isOver || index === name.length || !isFoldedAlike(own, wanted)) {
        budget.spend(STEPS_PER_COMPARISON + ((at - start) >> 3))
        return isOver && index === name.length
      }
      at += own <= LAST_ASCII ? 1 : own <= 0x7ff ? 2 : own <= 0xffff ? 3 : 4
      index += wanted <= 0xffff ? 1 : 2
    }
  }

  /** Whether a name has more bytes than another one with each code unit escaped. */
  #isNameLonger(start: number, name: string): boolean {
    const end = start + BYTES_PER_ESCAPE * name.length
    for (let at = start; at <= end; at += this.#bytes[at] === BACKSLASH ? 2 : 1) {
      if (this.#bytes[at] === QUOTE) return false
    }
    return true
  }

  #kindNumber(node: number): number {
    return this.#cell(node, TRAITS) & KIND_MASK
  }

  #cell(node: number, column: number): number {
    return this.#cells[node * ROW_SIZE + column] ?? 0
  }
}

function isAsciiText(text: string): boolean {
  for (let index = 0; index < text.length; index++) if (text.charCodeAt(index) > LAST_ASCII) return false
  return true
}

function isSeparator(code: number): boolean {
  return code === UNDERSCORE || code === DASH || code === BLANK
}

/** Reads from valid UTF-8. */
function codePointAt(bytes: Buffer, at: number): number {
  const first = bytes[at] ?? 0
  if (first <= LAST_ASCII) return first
  const next = (behind: number) => (bytes[at + behind] ?? 0) & 0x3f
  if (first < 0xe0) return ((first & 0x1f) << 6) | next(1)
  if (first < 0xf0) return ((first & 0x0f) << 12) | (next(1) << 6) | next(2)
  return ((first & 0x07) << 18) | (next(1) << 12) | (next(2) << 6) | next(3)
}

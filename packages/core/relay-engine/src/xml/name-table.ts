import { UnreadableBodyError } from "../body/located-body.ts"

const CACHE_SIZE = 1_024
const NONE = -1

const START = String.raw`A-Z_a-z\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u02ff\u0370-\u037d\u037f-\u1fff\u200c\u200d\u2070-\u218f\u2c00-\u2fef\u3001-\ud7ff\uf900-\ufdcf\ufdf0-\ufffd\u{10000}-\u{effff}`
const NC_NAME = String.raw`[${START}][${START}\-.0-9\u00b7\u0300-\u036f\u203f\u2040]*`
/** Namespaces in XML 1.0, section 4. */
const IS_NC_NAME = new RegExp(`^${NC_NAME}$`, "u")

/** A name of an element or attribute. */
export interface QualifiedName {
  readonly qualified: string
  /** Null: none. */
  readonly prefix: string | null
  readonly local: string
}

/** The names of a document, each once. */
export class NameTable {
  readonly #bytes: Buffer
  readonly #names: QualifiedName[] = []
  readonly #starts: number[] = []
  readonly #lengths: number[] = []
  readonly #numbers = new Map<string, number>()
  /** The last name of each slot. A miss only costs a map look-up, so names that share a slot are no attack. */
  readonly #cache = new Int32Array(CACHE_SIZE).fill(NONE)

  constructor(bytes: Buffer) {
    this.#bytes = bytes
  }

  /**
   * Returns the number of the name at `[start, end)`; numbers are assigned from 0 on.
   *
   * @throws UnreadableBodyError when it is not a name
   */
  intern(start: number, end: number): number {
    const slot = this.#slot(start, end)
    const cached = this.#cache[slot] ?? NONE
    if (cached !== NONE && this.isAt(cached, start, end)) return cached
    const qualified = this.#bytes.toString("utf8", start, end)
    const number = this.#numbers.get(qualified) ?? this.#add(qualified, start, end)
    this.#cache[slot] = number
    return number
  }

  /** Whether the bytes `[start, end)` are a name in the table. */
  isAt(number: number, start: number, end: number): boolean {
    const length = this.#lengths[number] ?? 0
    if (length !== end - start) return false
    const known = this.#starts[number] ?? 0
    for (let at = 0; at < length; at++) {
      if (this.#bytes[known + at] !== this.#bytes[start + at]) return false
    }
    return true
  }

  /** All of them. */
  get all(): readonly QualifiedName[] {
    return this.#names
  }

  get(number: number): QualifiedName {
    const name = this.#names[number]
    if (name === undefined) throw new RangeError("The table has no such name.")
    return name
  }

  #add(qualified: string, start: number, end: number): number {
    // Not with one expression: that would read a long name several times.
    const colon = qualified.indexOf(":")
    const prefix = colon === -1 ? null : qualified.slice(0, colon)
    const local = qualified.slice(colon + 1)
    if (!IS_NC_NAME.test(local) || (prefix !== null && !IS_NC_NAME.test(prefix))) {
      throw new UnreadableBodyError("malformed", "The XML document has a malformed name.")
    }
    const number = this.#names.length
    this.#names.push({ qualified, prefix, local })
    this.#starts.push(start)
    this.#lengths.push(end - start)
    this.#numbers.set(qualified, number)
    return number
  }

  #slot(start: number, end: number): number {
    const first = this.#bytes[start] ?? 0
    const middle = this.#bytes[(start + end) >> 1] ?? 0
    const last = this.#bytes[end - 1] ?? 0
    return (first * 31 + middle * 7 + last * 131 + (end - start) * 17) % CACHE_SIZE
  }
}

import { type ClientValue, isToken } from "@sealway/tokens/portable"
import { isBinary } from "./bytes.ts"

/** The largest value that the service opens: 5 MB of UTF-8. */
export const MAX_VALUE_BYTES = 5 * 1_048_576
/** How many values of one document are encrypted, as by the service. */
export const MAX_VALUES = 250_000
/** How deep objects and arrays may be nested, as in the service. */
const MAX_DEPTH = 100
/** How many values, nulls, objects and arrays a document may have. An object that occurs twice counts twice. */
const MAX_NODES = 1_000_000
/** The characters of all values together: twenty values of the largest size. */
const MAX_CHARACTERS = 20 * MAX_VALUE_BYTES

/** A copy of a document, in which its values are still missing. */
export interface DocumentCopy {
  /** The values to encrypt, in the order of the document. */
  readonly values: readonly ClientValue[]
  /** Puts a token in the place of each value, and returns the document. */
  fill(tokens: readonly string[]): unknown
}

/**
 * Copies a document as `JSON.stringify` reads it, so that nobody can change it while its values are encrypted: `toJSON`
 * is called, and fields without value are left out. What JSON cannot hold is refused instead of changed or left out.
 * Tokens stay as they are.
 *
 * @throws TypeError when there is something that JSON cannot hold, at any depth. Its `pointer` is the place, as a JSON
 * Pointer
 * @throws RangeError when the document is too large or nested too deep, with a `pointer` too
 */
export function copyDocument(data: unknown): DocumentCopy {
  const copy = new CopyInProgress()
  return { values: copy.values, fill: copy.start(data) }
}

/** The name of a field, or the index of an item. */
type Name = string | number
/** An object or an array of the copy. */
type Container = Record<Name, unknown>

class CopyInProgress {
  readonly values: ClientValue[] = []
  /** Where the token of each value goes. */
  readonly #containers: Container[] = []
  readonly #names: Name[] = []
  readonly #path: Name[] = []
  readonly #ancestors: object[] = []
  #nodes = 0
  #characters = 0

  start(data: unknown): DocumentCopy["fill"] {
    const root: Container = {}
    this.#copyInto(root, "", data)
    if (!Object.hasOwn(root, "")) throw this.#refusal("It is undefined")
    return (tokens) => {
      this.#containers.forEach((container, index) => {
        setField(container, this.#names[index] ?? "", tokens[index])
      })
      return root[""]
    }
  }

  #copyInto(container: Container, name: Name, given: unknown): void {
    const data = typeof given === "object" && given !== null ? this.#asJson(given, name) : given
    if (data === undefined) return
    if (++this.#nodes > MAX_NODES) throw this.#excess("It has too many values")
    switch (typeof data) {
      case "string":
        if (isToken(data)) setField(container, name, data)
        else this.#addString(container, name, data)
        return
      case "number":
        if (!Number.isFinite(data)) throw this.#refusal("JSON has no such number")
        this.#add(container, name, { type: "number", text: String(data) })
        return
      case "boolean":
        this.#add(container, name, { type: "boolean", text: String(data) })
        return
      case "object":
        setField(container, name, data === null ? null : this.#copyContainer(data))
        return
      case "bigint":
        throw this.#refusal("JSON has no BigInt. Pass it as a string")
      default:
        throw this.#refusal("JSON has no functions and symbols")
    }
  }

  /** Calls `toJSON`, as `JSON.stringify` does. Bytes have one too (`Buffer`), and would become an array of numbers. */
  #asJson(data: object, name: Name): unknown {
    if (isBinary(data)) return data
    const { toJSON } = data as { toJSON?: unknown }
    return typeof toJSON === "function" ? toJSON.call(data, String(name)) : data
  }

  #copyContainer(data: object): unknown {
    if (isBinary(data))
      throw this.#refusal(
        "Bytes can only be encrypted alone, as Uint8Array, ArrayBuffer, Blob or ReadableStream",
      )
    if (this.#ancestors.includes(data)) throw this.#refusal("It contains itself")
    if (this.#ancestors.length >= MAX_DEPTH) throw this.#excess("It is nested too deep")
    this.#ancestors.push(data)
    const copy = Array.isArray(data) ? this.#copyArray(data) : this.#copyObject(data)
    this.#ancestors.pop()
    return copy
  }

  #copyArray(items: readonly unknown[]): unknown[] {
    const { length } = items
    if (this.#nodes + length > MAX_NODES) throw this.#excess("It has too many values")
    const copy: unknown[] = new Array(length).fill(null)
    for (let index = 0; index < length; index++)
      this.#visit(copy as unknown as Container, index, items[index])
    return copy
  }

  #copyObject(data: object): Container {
    // Of a Map, a Promise or an Error, JSON.stringify would write an empty object, and their content would be lost.
    if (Object.prototype.toString.call(data) !== "[object Object]") {
      throw this.#refusal("JSON has only objects, arrays, strings, numbers and booleans")
    }
    const copy: Container = {}
    for (const [name, value] of Object.entries(data)) this.#visit(copy, name, value)
    return copy
  }

  #visit(container: Container, name: Name, value: unknown): void {
    this.#path.push(name)
    this.#copyInto(container, name, value)
    this.#path.pop()
  }

  #addString(container: Container, name: Name, text: string): void {
    this.#characters += text.length
    const isTooLarge = text.length * 3 > MAX_VALUE_BYTES && utf8Bytes(text) > MAX_VALUE_BYTES
    if (isTooLarge || this.#characters > MAX_CHARACTERS) throw this.#excess("It is too large")
    if (!text.isWellFormed()) throw this.#refusal("It contains a lone surrogate, which is not valid text")
    this.#add(container, name, { type: "string", text })
  }

  #add(container: Container, name: Name, value: ClientValue): void {
    if (this.values.push(value) > MAX_VALUES) throw this.#excess("It has too many values")
    // Keeps the order of the fields.
    setField(container, name, null)
    this.#containers.push(container)
    this.#names.push(name)
  }

  #refusal(reason: string): TypeError {
    return Object.assign(new TypeError(`The data cannot be encrypted. ${reason}.`), this.#place())
  }

  #excess(reason: string): RangeError {
    return Object.assign(new RangeError(`The data cannot be encrypted. ${reason}.`), this.#place())
  }

  /** Not in the message: names of fields may be data too. */
  #place(): { readonly pointer: string } {
    return { pointer: jsonPointer(this.#path) }
  }
}

/** Sets an own field. Assigning `__proto__` would set the prototype instead. */
function setField(container: Container, name: Name, value: unknown): void {
  if (name !== "__proto__") container[name] = value
  else Object.defineProperty(container, name, { value, enumerable: true, configurable: true, writable: true })
}

function utf8Bytes(text: string): number {
  return new TextEncoder().encode(text).length
}

/** Returns the JSON Pointer (RFC 6901) of a path. */
function jsonPointer(path: readonly (string | number)[]): string {
  return path.map((name) => `/${String(name).replaceAll("~", "~0").replaceAll("/", "~1")}`).join("")
}

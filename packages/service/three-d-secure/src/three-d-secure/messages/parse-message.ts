import { isUtf8 } from "node:buffer"
import { decodeJsonString, KB, parseStrictJson, scanJson } from "@sealway/kernel"
import { elementName, listElements } from "./element-names.ts"
import { MessageProblem } from "./message-problem.ts"

/** The longest message that is read. Extensions alone may have 81,920 characters. */
export const MAX_MESSAGE_BYTES = 128 * KB
const MAX_DEPTH = 16

/**
 * Parses a message's text so that nothing in it is ambiguous.
 *
 * @throws MessageProblem 101 when it is not a readable JSON object, 204 when an element is present twice
 */
export function parseMessage(text: string | Uint8Array): Readonly<Record<string, unknown>> {
  if (text.length > MAX_MESSAGE_BYTES) throw new MessageProblem("101", "The message is too long")
  const bytes = Buffer.from(text)
  if (bytes.length > MAX_MESSAGE_BYTES) throw new MessageProblem("101", "The message is too long")
  if (!isUtf8(bytes)) throw new MessageProblem("101", "The message is not UTF-8")
  const finder = new DuplicateFinder(bytes)
  let value: unknown
  try {
    scanJson(bytes, finder, MAX_DEPTH)
    if (finder.duplicates.length === 0) value = parseStrictJson(bytes, MAX_DEPTH)
  } catch (error) {
    if (error instanceof MessageProblem) throw error
    throw new MessageProblem("101", "The message is not JSON that can be read")
  }
  if (finder.duplicates.length > 0) throw new MessageProblem("204", listElements(finder.duplicates))
  if (!isObject(value)) throw new MessageProblem("101", "The message is not a JSON object")
  return value
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}

const MAX_DUPLICATES = 100
/** The maximum number of fields in all objects of a message: many times what its tables and extensions have. */
export const MAX_MEMBERS = 4_000

/** Finds duplicate names in an object. */
class DuplicateFinder {
  readonly duplicates: string[] = []
  readonly #bytes: Buffer
  /** For each open container: the names so far, and the last of them. */
  readonly #names: Set<string>[] = []
  readonly #path: string[] = []
  #members = 0

  constructor(bytes: Buffer) {
    this.#bytes = bytes
  }

  open(): void {
    this.#names.push(new Set())
    this.#path.push("")
  }

  close(): void {
    this.#names.pop()
    this.#path.pop()
  }

  key(start: number, end: number): void {
    this.#members += 1
    if (this.#members > MAX_MEMBERS) throw new MessageProblem("101", "The message has too many elements")
    const name = decodeJsonString(this.#bytes, true, start, end)?.toString() ?? "?"
    this.#path[this.#path.length - 1] = name
    const names = this.#names.at(-1)
    if (names?.has(name) && this.duplicates.length < MAX_DUPLICATES) {
      this.duplicates.push(elementName(this.#path.filter((part) => part !== "")))
    }
    names?.add(name)
  }

  scalar(): void {}
}

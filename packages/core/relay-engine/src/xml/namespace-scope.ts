import { UnreadableBodyError } from "../body/located-body.ts"

const XML_URI = "http://www.w3.org/XML/1998/namespace"
const XMLNS_URI = "http://www.w3.org/2000/xmlns/"

/** The number for names in no namespace. */
export const NO_NAMESPACE = 0

/** The namespaces declared at the current position of a document (Namespaces in XML 1.0). Each has a number. */
export class NamespaceScope {
  /** Numbers of namespaces, by URI. */
  readonly numbers = new Map<string, number>([["", NO_NAMESPACE]])
  /** By prefix, the innermost last; the empty prefix is that of the default namespace. */
  readonly #scopes = new Map<string, number[]>([
    ["", [NO_NAMESPACE]],
    ["xml", [this.#numberOf(XML_URI)]],
  ])
  /** What each open element declares, the innermost last; null for nothing. */
  readonly #declared: (string[] | null)[] = []
  #default = NO_NAMESPACE

  /** For names of elements without a prefix. */
  get default(): number {
    return this.#default
  }

  open(): void {
    this.#declared.push(null)
  }

  close(): void {
    for (const prefix of this.#declared.pop() ?? []) {
      const scope = this.#scopes.get(prefix)
      scope?.pop()
      if (prefix === "") this.#default = scope?.at(-1) ?? NO_NAMESPACE
    }
  }

  /**
   * Declares a prefix for the last opened element.
   *
   * @param prefix null for the default namespace
   * @throws UnreadableBodyError when the declaration is not allowed
   */
  declare(prefix: string | null, uri: string): void {
    const isWellDeclared =
      prefix !== "xmlns" &&
      uri !== XMLNS_URI &&
      (prefix === "xml") === (uri === XML_URI) &&
      (prefix === null || uri !== "")
    if (!isWellDeclared)
      throw new UnreadableBodyError("malformed", "The XML document has an invalid namespace declaration.")
    const key = prefix ?? ""
    const number = this.#numberOf(uri)
    const scope = this.#scopes.get(key)
    if (scope === undefined) this.#scopes.set(key, [number])
    else scope.push(number)
    if (prefix === null) this.#default = number
    const depth = this.#declared.length - 1
    const declared = this.#declared[depth]
    if (declared) declared.push(key)
    else this.#declared[depth] = [key]
  }

  /** Returns the number of a prefix's namespace. @throws UnreadableBodyError when it is not declared */
  numberOf(prefix: string): number {
    const number = this.#scopes.get(prefix)?.at(-1)
    if (number === undefined) {
      throw new UnreadableBodyError("malformed", "The XML document has an undeclared prefix.")
    }
    return number
  }

  #numberOf(uri: string): number {
    const known = this.numbers.get(uri)
    if (known !== undefined) return known
    const number = this.numbers.size
    this.numbers.set(uri, number)
    return number
  }
}

import { UnreadableBodyError } from "../located-body.ts"

const XML_URI = "http://www.w3.org/XML/1998/namespace"
const XMLNS_URI = "http://www.w3.org/2000/xmlns/"

/** Which prefixes are declared where a document is being read (Namespaces in XML 1.0). */
export class NamespaceScope {
  /** By prefix, the innermost last. */
  readonly #uris = new Map<string, string[]>([["xml", [XML_URI]]])
  /** What each open element declares, the innermost last; null for nothing. */
  readonly #declared: (string[] | null)[] = []

  open(): void {
    this.#declared.push(null)
  }

  close(): void {
    for (const prefix of this.#declared.pop() ?? []) this.#uris.get(prefix)?.pop()
  }

  /**
   * Declares a prefix for the element that was opened last.
   *
   * @param prefix null for the default namespace
   * @throws UnreadableBodyError when it may not be declared so
   */
  declare(prefix: string | null, uri: string): void {
    const isWellDeclared =
      prefix !== "xmlns" &&
      uri !== XMLNS_URI &&
      (prefix === "xml") === (uri === XML_URI) &&
      (prefix === null || uri !== "")
    if (!isWellDeclared)
      throw new UnreadableBodyError("malformed", "The XML document misdeclares a namespace.")
    if (prefix === null) return
    const uris = this.#uris.get(prefix)
    if (uris === undefined) this.#uris.set(prefix, [uri])
    else uris.push(uri)
    const depth = this.#declared.length - 1
    const declared = this.#declared[depth]
    if (declared) declared.push(prefix)
    else this.#declared[depth] = [prefix]
  }

  /** @throws UnreadableBodyError when a prefix is not declared */
  uriOf(prefix: string): string {
    const uri = this.#uris.get(prefix)?.at(-1)
    if (uri === undefined) {
      throw new UnreadableBodyError("malformed", "The XML document has a prefix that is not declared.")
    }
    return uri
  }
}

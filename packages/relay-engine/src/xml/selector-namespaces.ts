import { SelectorError } from "../errors/selector-error.ts"
import { compileJsonPath } from "../jsonpath/compile-json-path.ts"
import type { Segment } from "../jsonpath/json-path.ts"
import { mapNames } from "../jsonpath/map-names.ts"
import { expandedName } from "./xml-tree.ts"

/** URIs of namespaces, by the prefixes that a selector has for them. */
export type XmlNamespaces = Readonly<Record<string, string>>

/** `a:name` and `@a:name`. */
const PREFIXED = /^(@?)([^@:{}]+):([^:{}]+)$/
/** Bound everywhere, and to one namespace only. */
const XML_PREFIX = "xml"

/** The prefixes of a selector's names, each once, but for `xml`. @throws SelectorError */
export function prefixesOf(selector: string): readonly string[] {
  const prefixes = new Set<string>()
  mapNames(compileJsonPath(selector).segments, (name) => {
    const prefix = PREFIXED.exec(name)?.[2]
    if (prefix !== undefined && prefix !== XML_PREFIX) prefixes.add(prefix)
    return [name]
  })
  return [...prefixes]
}

/**
 * Segments whose names with a prefix are those of elements and attributes in its namespace.
 *
 * How readers differ: most go by the namespace; xml2js and fast-xml-parser by the prefix as it is written, whatever it
 * stands for.
 *
 * @param readers `all`: names are also found as they are written, so that no reader gets a value otherwise
 * @throws SelectorError when a prefix has no namespace
 */
export function inNamespaces(
  segments: readonly Segment[],
  namespaces: XmlNamespaces,
  readers: "all" | "by-namespace",
): readonly Segment[] {
  const uris = new Map(Object.entries(namespaces))
  return mapNames(segments, (name) => {
    const [, at = "", prefix = XML_PREFIX, local = ""] = PREFIXED.exec(name) ?? []
    if (prefix === XML_PREFIX) return [name]
    const uri = uris.get(prefix)
    if (uri === undefined) throw new SelectorError(`The namespaces have no prefix "${prefix}".`, null)
    const expanded = at + expandedName(uri, local)
    return readers === "all" ? [expanded, name] : [expanded]
  })
}

/**
 * Positions count elements of one name and prefix, and whoever writes a document could give each a prefix of its own.
 *
 * @throws SelectorError when a position stands right behind a name with a prefix
 */
export function refusePositionsIn(segments: readonly Segment[]): void {
  let isPrefixed = false
  for (const { descendant, selectors } of segments) {
    const isPosition = selectors.some(({ kind }) => kind === "index" || kind === "slice")
    if (isPrefixed && isPosition && !descendant) {
      throw new SelectorError(
        "A position cannot choose among elements of a namespace: their prefixes may differ. Use [*] or a filter.",
        null,
      )
    }
    isPrefixed = selectors.some((selector) => selector.kind === "name" && PREFIXED.test(selector.name))
  }
}

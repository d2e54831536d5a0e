import { SelectorError } from "../errors/selector-error.ts"
import { compileJsonPath } from "../jsonpath/compile-json-path.ts"
import type { Segment } from "../jsonpath/json-path.ts"
import { mapNames } from "../jsonpath/map-names.ts"
import { expandedName } from "./xml-tree.ts"

/** Namespace URIs, by the selector's prefixes. */
export type XmlNamespaces = Readonly<Record<string, string>>

/** `a:name` and `@a:name`. */
const PREFIXED = /^(@?)([^@:{}]+):([^:{}]+)$/
/** Bound everywhere, and to one namespace only. */
const XML_PREFIX = "xml"

/** Returns the prefixes of a selector's names, each once, except `xml`. @throws SelectorError */
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
 * Converts segments so that prefixed names mean elements and attributes in the prefix's namespace.
 *
 * Most parsers use the namespace; xml2js and fast-xml-parser use the prefix as written, whatever it means.
 *
 * @param readers `all`: names are also matched as written, so that no parser gets a value in another way
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
    if (uri === undefined) throw new SelectorError(`The prefix "${prefix}" is not in namespaces.`, null)
    const expanded = at + expandedName(uri, local)
    return readers === "all" ? [expanded, name] : [expanded]
  })
}

/**
 * Positions count elements with one name and prefix, and a document's author could give each a different prefix.
 *
 * @throws SelectorError when a position directly follows a prefixed name
 */
export function refusePositionsIn(segments: readonly Segment[]): void {
  let isPrefixed = false
  for (const { descendant, selectors } of segments) {
    const isPosition = selectors.some(({ kind }) => kind === "index" || kind === "slice")
    if (isPrefixed && isPosition && !descendant) {
      throw new SelectorError(
        "A position cannot be used for elements of a namespace, because their prefixes may differ. Use [*] or a filter.",
        null,
      )
    }
    isPrefixed = selectors.some((selector) => selector.kind === "name" && PREFIXED.test(selector.name))
  }
}

import { SelectorError } from "../errors/selector-error.ts"
import { compileJsonPath } from "../jsonpath/compile-json-path.ts"
import type { Comparable, JsonPath, Query, Segment, Selector, Test } from "../jsonpath/json-path.ts"
import { mapNames } from "../jsonpath/map-names.ts"
import { inNamespaces, refusePositionsIn, type XmlNamespaces } from "./selector-namespaces.ts"
import { OWN_TEXT } from "./xml-tree.ts"

/** What `.*` is compiled to: no element has this name. */
const CHILDREN = "*"
const EVERY: Segment = { descendant: false, selectors: [{ kind: "wildcard" }] }
const TEXT_OF: Segment = { descendant: false, selectors: [{ kind: "name", name: OWN_TEXT }] }

/**
 * Compiles a JSONPath selector (RFC 9535) for XML documents, which `XmlTree` presents as JSON:
 *
 * - A name finds all elements with that name, one or many: `$.order.item.price`. Without a prefix it finds them with
 * any prefix; with one, exactly as written: `$['soap:Envelope']`. Selecting an element selects all text in it.
 * - Brackets directly after a name choose among the elements with that name: `$.order.item[0]`,
 * `$.order.item[*].price`,
 *   `$.patients.patient[?(@.country == 'IE')].name`. Everything else goes to children: `$.patients.*.name`.
 * - `['@id']` is an attribute. It is selected by its name, `.*` or `..*`, never with its element.
 * - `['#text']` is an element's own text, without that of nested elements.
 * - Filters compare elements by their own text: comparisons with numbers are refused.
 *
 * @param namespaces their URIs, by the selector's prefixes. A name with one of these finds elements and attributes in
 * that namespace, with any prefix. Null: prefixes are matched literally, so a document can bypass the selector with
 * another prefix for the same namespace
 * @param readers see `inNamespaces`
 * @throws SelectorError
 */
export function compileXmlSelector(
  selector: string,
  namespaces: XmlNamespaces | null = null,
  readers: "all" | "by-namespace" = "all",
): JsonPath {
  // First as written, for errors with positions.
  compileJsonPath(selector)
  const { segments } = compileJsonPath(markChildren(selector))
  const view = viewOf(segments).segments
  const lenient = inAnyRoot(lenientOf(segments))
  const anyRoot = inAnyRoot(view)
  const merged = inAnyRoot(localNamesOf(segments))
  if (namespaces === null) {
    return { selector, segments: view, lenient, anyRoot, merged, anywhere: atAnyPosition(view) }
  }
  refusePositionsIn(segments)
  return {
    selector,
    segments: inNamespaces(view, namespaces, readers),
    lenient: inNamespaces(lenient, namespaces, "all"),
    anyRoot: inNamespaces(anyRoot, namespaces, "all"),
    merged,
    anywhere: inNamespaces(atAnyPosition(view), namespaces, "all"),
  }
}

/** Returns the segments with names as frameworks call parameters: no prefixes, and nothing for an element's own text. */
function localNamesOf(segments: readonly Segment[]): readonly Segment[] {
  const named = mapNames(segments, (name) => [name.replace(/^@/, "").replace(/^.*:/, "")])
  return named.filter(
    ({ selectors }) => !selectors.some((each) => each.kind === "name" && each.name === OWN_TEXT),
  )
}

/** Converts segments of a view. Many parsers ignore the root's name: Jackson, Go, PHP's SimpleXML, Python's ElementTree. */
function inAnyRoot(view: readonly Segment[]): readonly Segment[] {
  const [root, ...rest] = view
  return root === undefined || !namesRoot(root)
    ? view
    : [{ ...root, selectors: [{ kind: "wildcard" }] }, ...rest]
}

/** Whether the first segment of a view says what the root is called. */
export function namesRoot({ descendant, selectors }: Segment): boolean {
  return !descendant && selectors.some(({ kind }) => kind === "name")
}

/**
 * Converts segments for a `LenientXmlTree`. If parsers read other elements as those of a name, each may be at any
 * position.
 */
function lenientOf(segments: readonly Segment[]): readonly Segment[] {
  const ofElements = mapNames(segments, (name) => [name.startsWith("@") ? name.slice(1) : name])
  return atAnyPosition(viewOf(ofElements).segments)
}

/** Converts segments of a view. Any element may pass a filter on a position. */
function atAnyPosition(view: readonly Segment[]): readonly Segment[] {
  return view.map(({ descendant, selectors }) => ({
    descendant,
    selectors: selectors.map((each) => (goesByPosition(each) ? { kind: "wildcard" } : each)),
  }))
}

function goesByPosition(selector: Selector): boolean {
  const { kind } = selector
  return kind === "index" || kind === "slice" || (kind === "filter" && testsPosition(selector.test))
}

function testsPosition(test: Test): boolean {
  switch (test.kind) {
    case "and":
    case "or":
      return testsPosition(test.left) || testsPosition(test.right)
    case "not":
      return testsPosition(test.test)
    case "exists":
      return hasPosition(test.query)
    case "compare":
      return readsPosition(test.left) || readsPosition(test.right)
    case "pattern":
      return readsPosition(test.text) || readsPosition(test.pattern)
  }
}

function readsPosition(comparable: Comparable): boolean {
  if (comparable.kind === "literal") return false
  return comparable.kind === "length" ? readsPosition(comparable.argument) : hasPosition(comparable.query)
}

function hasPosition({ segments }: Query): boolean {
  return segments.some(({ selectors }) => selectors.some(goesByPosition))
}

/** Writes `.*` as a name, outside strings: `.*` selects children where `[*]` may not, but they compile alike. */
function markChildren(selector: string): string {
  return selector.replace(
    /'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|(\.\.?)\*/gs,
    (found, dots: string | undefined) => {
      if (dots === undefined) return found
      return `${dots === "." ? "" : dots}['${CHILDREN}']`
    },
  )
}

interface View {
  readonly segments: readonly Segment[]
  /** Whether the last segment returns lists of same-named elements, not elements. */
  readonly givesLists: boolean
}

/** Converts segments for the tree, where elements are in a list per name. */
function viewOf(segments: readonly Segment[]): View {
  const view: Segment[] = []
  let inLists = false
  for (const segment of segments) {
    const choosing = requireOneKind(segment.selectors)
    const selectors = segment.selectors.map(viewOfSelector)
    if (segment.descendant) {
      inLists = choosing === "members" || choosing === "either"
    } else if (choosing === "members" || (choosing === "either" && !inLists)) {
      if (inLists) view.push(EVERY)
      inLists = true
    } else {
      if (!inLists && choosing === "positions") {
        throw new SelectorError(
          "Write a position directly after an element's name: it counts the elements with that name.",
          null,
        )
      }
      if (!inLists) view.push(EVERY)
      inLists = false
    }
    view.push({ descendant: segment.descendant, selectors })
  }
  return { segments: view, givesLists: inLists }
}

/**
 * Returns what a segment chooses among: children of an element, same-named elements, or what the segment before it
 * returns.
 */
function requireOneKind(selectors: readonly Selector[]): "members" | "positions" | "filters" | "either" {
  const kinds = new Set(selectors.map(({ kind }) => kind))
  if (kinds.has("name")) {
    if (kinds.size > 1) {
      throw new SelectorError("A name cannot share its brackets with a position, a filter or *.", null)
    }
    return "members"
  }
  if (kinds.has("index") || kinds.has("slice")) return "positions"
  return kinds.has("filter") ? "filters" : "either"
}

function viewOfSelector(selector: Selector): Selector {
  if (selector.kind === "name" && selector.name === CHILDREN) return { kind: "wildcard" }
  return selector.kind === "filter" ? { kind: "filter", test: viewOfTest(selector.test) } : selector
}

function viewOfTest(test: Test): Test {
  switch (test.kind) {
    case "and":
    case "or":
      return { ...test, left: viewOfTest(test.left), right: viewOfTest(test.right) }
    case "not":
      return { ...test, test: viewOfTest(test.test) }
    case "exists":
      return { ...test, query: { ...test.query, segments: viewOf(test.query.segments).segments } }
    case "compare":
      requireComparable(test.left, test.right)
      return { ...test, left: viewOfComparable(test.left), right: viewOfComparable(test.right) }
    case "pattern":
      return { ...test, text: viewOfComparable(test.text), pattern: viewOfComparable(test.pattern) }
  }
}

/** A comparison that is never true selects nothing, and lets pass what was meant to be encrypted. */
function requireComparable(left: Comparable, right: Comparable): void {
  if (isText(left) !== isText(right)) {
    throw new SelectorError("XML contains only text: put the value to compare with in quotes.", null)
  }
}

function isText(comparable: Comparable): boolean {
  if (comparable.kind === "literal") return typeof comparable.value === "string"
  return comparable.kind === "query" || comparable.kind === "value"
}

function viewOfComparable(comparable: Comparable): Comparable {
  switch (comparable.kind) {
    case "literal":
      return comparable
    case "length":
      return { ...comparable, argument: viewOfComparable(comparable.argument) }
    case "query":
    case "value":
      return { ...comparable, query: queryOf(comparable.query, [TEXT_OF]) }
    case "count":
      return { ...comparable, query: queryOf(comparable.query, []) }
  }
}

/** @param behind what follows if the query returns elements */
function queryOf(query: Query, behind: readonly Segment[]): Query {
  const { segments, givesLists } = viewOf(query.segments)
  if (endsInText(query.segments)) return { ...query, segments }
  return { ...query, segments: [...segments, ...(givesLists ? [EVERY] : []), ...behind] }
}

/** Whether the last names are of attributes, or of an element's own text. */
function endsInText(segments: readonly Segment[]): boolean {
  const selectors = segments.at(-1)?.selectors ?? []
  return (
    selectors.length > 0 &&
    selectors.every((each) => each.kind === "name" && (each.name.startsWith("@") || each.name === OWN_TEXT))
  )
}

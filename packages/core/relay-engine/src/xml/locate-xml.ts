import { finish, Pace, type Work } from "@sealway/kernel"
import { type BodyMemory, UNCOUNTED } from "../body/body-memory.ts"
import { encodeInSteps } from "../body/encode-in-steps.ts"
import {
  type FieldName,
  type LocatedBody,
  type LocatedValue,
  UnreadableBodyError,
} from "../body/located-body.ts"
import type { Charset } from "../encodings/charset.ts"
import type { JsonPath } from "../jsonpath/json-path.ts"
import { NodeWalk } from "../jsonpath/select-nodes.ts"
import { WalkBudget } from "../tree/walk-budget.ts"
import { namesRoot } from "./compile-xml-selector.ts"
import { encodeAttribute, encodeCdata, encodeText, pieceOfText } from "./encode-value.ts"
import { LenientXmlTree } from "./lenient-xml-tree.ts"
import { scanXmlInSteps, type XmlLimits } from "./scan-xml.ts"
import { SelectedValues } from "./selected-values.ts"
import { valuePath } from "./value-path.ts"
import { ATTRIBUTE, CDATA, DOCUMENT, type XmlDocument } from "./xml-document.ts"
import { XmlTree } from "./xml-tree.ts"

export interface XmlOptions extends XmlLimits {
  /** The maximum number of selected values in one body. Default: 250,000. */
  readonly maxSelected: number
  /** The `WalkBudget` for all selectors together. Default: 25,000,000. */
  readonly maxSteps: number
  /** The charset of the document before it was UTF-8. Default: `utf-8`. */
  readonly charset: Charset
  /**
   * The selectors, by index, whose values no parser may get in another way: a document with an element or attribute
   * that only some parsers read as a selected one is refused, unless one of these selects it too. Default: none.
   */
  readonly encrypting: ReadonlySet<number>
  /** Whether all parsers distinguish names that are not equal, and attributes from elements. Default: false. */
  readonly caseSensitiveNames: boolean
  /** Accounts for the tree. Default: no accounting. */
  readonly memory: BodyMemory
}

const DEFAULTS: XmlOptions = {
  maxDepth: 256,
  maxNodes: 1_000_000,
  maxSelected: 250_000,
  maxSteps: 25_000_000,
  charset: "utf-8",
  encrypting: new Set(),
  caseSensitiveNames: false,
  memory: UNCOUNTED,
}

/**
 * Finds the values that selectors select in an XML document: attributes, and runs of text and CDATA sections between
 * tags, comments and processing instructions. White space around a run is not part of it, and an element without text
 * has no value. Namespace declarations are not values.
 *
 * @param bytes UTF-8
 * @param selectors compiled by `compileXmlSelector`
 * @throws UnreadableBodyError when the document is not well-formed, has a DOCTYPE, is beyond a limit, or is ambiguous
 */
export function locateXml(
  bytes: Buffer,
  selectors: readonly JsonPath[],
  options: Partial<XmlOptions> = {},
): LocatedBody {
  return finish(locateXmlInSteps(bytes, selectors, options))
}

const VALUES_PER_STEP = 4_096

/** What the selectors of a relay find takes, for each value of the document. Measured: 100 bytes where they select all. */
const SELECTING_PER_VALUE = 110

/** `locateXml`, in steps. */
export function* locateXmlInSteps(
  bytes: Buffer,
  selectors: readonly JsonPath[],
  options: Partial<XmlOptions> = {},
): Work<LocatedBody> {
  const { charset, maxSelected, maxSteps, encrypting, caseSensitiveNames, memory, ...limits } = {
    ...DEFAULTS,
    ...options,
  }
  const document = yield* scanXmlInSteps(bytes, limits, charset, memory)
  memory.take(document.endOfValues * SELECTING_PER_VALUE)
  const tree = new XmlTree(bytes, document)
  const selections = new SelectedValues(document, tree, maxSelected)
  const budget = new WalkBudget(maxSteps)
  const nearlyNamed: JsonPath[] = []
  const otherwiseRooted: JsonPath[] = []
  const otherwiseCounted: JsonPath[] = []
  for (const [index, path] of selectors.entries()) {
    const isEncrypting = encrypting.has(index)
    const reading = isEncrypting && !caseSensitiveNames ? "watched" : "exact"
    const walk = new NodeWalk(tree, budget, reading, isEncrypting)
    yield* selections.add(index, yield* walk.select(path.segments))
    if (isEncrypting && !isRooted(tree, path)) otherwiseRooted.push(path)
    else if (walk.misreadings.size > 0) nearlyNamed.push(path)
    if (walk.sawOtherCount) otherwiseCounted.push(path)
  }
  for (const { selector, segments, anywhere = segments } of otherwiseCounted) {
    const nodes = yield* new NodeWalk(tree, budget, "exact").select(anywhere)
    if (!(yield* selections.covers(tree, nodes, encrypting))) {
      throw takenFor(selector, "count elements without their prefixes, or by namespace: use [*]")
    }
  }
  const lenientTree = new LenientXmlTree(tree, budget)
  for (const { selector, segments, anyRoot = segments, lenient = segments } of otherwiseRooted) {
    const seen = caseSensitiveNames ? { tree, segments: anyRoot } : { tree: lenientTree, segments: lenient }
    const nodes = yield* new NodeWalk(seen.tree, budget, "exact").select(seen.segments)
    if (!(yield* selections.covers(seen.tree, nodes, encrypting))) {
      throw takenFor(
        selector,
        "ignore the name of the root: use the one that the selector names, or select $.*",
      )
    }
  }
  for (const { selector, segments, lenient = segments } of nearlyNamed) {
    const nodes = yield* new NodeWalk(lenientTree, budget, "exact").select(lenient)
    if (!(yield* selections.covers(lenientTree, nodes, encrypting))) {
      throw takenFor(
        selector,
        "take attributes for elements, or ignore letter case, `_` and `-`: rename it, or set caseSensitiveNames",
      )
    }
  }
  const selected: LocatedValue[] = []
  const pace = new Pace(VALUES_PER_STEP)
  for (let value = 1; value < document.endOfValues; value++) {
    if (pace.isDue()) yield
    const chosenBy = selections.of(value)
    if (chosenBy.length > 0) selected.push(locate(document, value, chosenBy))
  }
  return new XmlBody(bytes, document, tree, selections, selected)
}

/** Whether the root has the name that a selector begins with, if it names one. */
function isRooted(tree: XmlTree, { segments: [first] }: JsonPath): boolean {
  if (first === undefined || !namesRoot(first)) return true
  const root = tree.firstChild(DOCUMENT)
  return first.selectors.some((each) => each.kind === "name" && tree.compareName(root, each.name) === "same")
}

/** @param readers who takes it for that, and what to do */
function takenFor(selector: string, readers: string): UnreadableBodyError {
  return new UnreadableBodyError(
    "malformed",
    `An element or attribute could be read as \`${selector}\` by readers that ${readers}.`,
  )
}

function locate(document: XmlDocument, value: number, selectors: readonly number[]): LocatedValue {
  return { start: document.start(value), end: document.end(value), type: "string", selectors }
}

class XmlBody implements LocatedBody {
  readonly selected: readonly LocatedValue[]
  readonly #bytes: Buffer
  readonly #document: XmlDocument
  readonly #tree: XmlTree
  readonly #selectors: SelectedValues

  constructor(
    bytes: Buffer,
    document: XmlDocument,
    tree: XmlTree,
    selectors: SelectedValues,
    selected: readonly LocatedValue[],
  ) {
    this.#bytes = bytes
    this.#document = document
    this.#tree = tree
    this.#selectors = selectors
    this.selected = selected
  }

  *unselected(): Iterable<LocatedValue> {
    for (let value = 1; value < this.#document.endOfValues; value++) {
      const selectors = this.#selectors.of(value)
      if (selectors.length === 0) yield locate(this.#document, value, selectors)
    }
  }

  text(value: LocatedValue): Buffer | Work<Buffer> {
    return this.#tree.text(this.#numberOf(value))
  }

  looseText(value: LocatedValue): Buffer | Work<Buffer> {
    return this.text(value)
  }

  *names(): Iterable<FieldName> {
    for (const { qualified } of this.#document.names.all) yield { text: qualified, path: `<${qualified}>` }
  }

  path(value: LocatedValue): string {
    return valuePath(this.#document, this.#numberOf(value))
  }

  write(value: LocatedValue, _type: unknown, text: Buffer): string | Work<readonly string[]> {
    const content = text.toString("utf8")
    switch (this.#document.form(this.#numberOf(value))) {
      case ATTRIBUTE: {
        const quote = String.fromCharCode(this.#bytes[value.start - 1] ?? 0)
        return encodeInSteps(content, (piece) => encodeAttribute(piece, quote), pieceOfText)
      }
      case CDATA:
        return encodeInSteps(content, encodeCdata, pieceOfText)
      default:
        return encodeInSteps(content, encodeText, pieceOfText)
    }
  }

  /** Values are in order of position, and no two start at the same. */
  #numberOf({ start }: LocatedValue): number {
    let low = 1
    let high = this.#document.endOfValues - 1
    while (low < high) {
      const middle = (low + high) >> 1
      if (this.#document.start(middle) < start) low = middle + 1
      else high = middle
    }
    return low
  }
}

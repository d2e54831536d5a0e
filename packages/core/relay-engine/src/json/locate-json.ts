import {
  decodeJsonStringInSteps,
  finish,
  Pace,
  unescapeJsonString,
  unescapeLooselyInSteps,
  type Work,
  writeJsonString,
} from "@sealway/kernel"
import type { ValueType } from "@sealway/tokens"
import { type BodyMemory, UNCOUNTED } from "../body/body-memory.ts"
import {
  type FieldName,
  LARGE_TEXT_BYTES,
  type LocatedBody,
  type LocatedValue,
  UnreadableBodyError,
} from "../body/located-body.ts"
import type { JsonPath } from "../jsonpath/json-path.ts"
import { describeMisreadings } from "../jsonpath/misreadings.ts"
import { namedSegment, partsOfName } from "../jsonpath/name-paths.ts"
import { NodeWalk } from "../jsonpath/select-nodes.ts"
import { NONE } from "../tree/tree.ts"
import { WalkBudget } from "../tree/walk-budget.ts"
import { JsonTree } from "./json-tree.ts"
import { normalizedPath } from "./location.ts"
import { readJsonRows } from "./read-json-tree.ts"
import { refuseGraphql } from "./refuse-graphql.ts"
import { refusePatches } from "./refuse-patches.ts"
import { SelectedLeaves } from "./selected-leaves.ts"

export interface JsonLimits {
  /** The maximum nesting of containers. Default: 256. */
  readonly maxDepth: number
  /** The maximum number of selected values in one body: sealed, each takes about 150 bytes. Default: 250,000. */
  readonly maxSelected: number
  /** The `WalkBudget` for all selectors together. Default: 25,000,000. */
  readonly maxSteps: number
}

export interface JsonOptions extends JsonLimits {
  /**
   * The selectors, by index, whose values no parser may get in another way: a body with a field that only some parsers
   * read as a selected one is refused, unless one of these selects it too. Default: none.
   */
  readonly encrypting: ReadonlySet<number>
  /** Whether all parsers distinguish names that are not equal, and lists from their elements. Default: false. */
  readonly caseSensitiveNames: boolean
  /** Names of parameters that frameworks merge with the body's fields: one of these must be selected. Default: none. */
  readonly merged: readonly string[]
  /** See `PatchedBody`. Default: false. */
  readonly choosesPatchValues: boolean
  /** Accounts for the tree. Default: no accounting. */
  readonly memory?: BodyMemory | undefined
}

const NO_SELECTIONS: ReadonlySet<number> = new Set()

const DEFAULT_LIMITS: JsonLimits = { maxDepth: 256, maxSelected: 250_000, maxSteps: 25_000_000 }

/** What the selectors of a relay find in a tree takes, for each of its nodes. Measured: 25 bytes where they select all. */
const SELECTING_PER_NODE = 28

const NODES_PER_STEP = 8_192

/** Shorter names say nothing to those who read names. */
const SHORTEST_NAME = 13

const BACKSLASH = 0x5c
const NO_SELECTORS: readonly number[] = []

/**
 * Finds the values that selectors select in a JSON body, as parsed by `readJsonTree`. If a name occurs twice in an
 * object, its selector selects both.
 *
 * @throws UnreadableBodyError when it is unreadable or ambiguous
 */
export function locateJson(
  bytes: Buffer,
  selectors: readonly JsonPath[],
  options: Partial<JsonOptions> = {},
): LocatedBody {
  return finish(locateJsonInSteps(bytes, selectors, options))
}

/** `locateJson`, in steps. */
export function* locateJsonInSteps(
  bytes: Buffer,
  selectors: readonly JsonPath[],
  {
    encrypting = NO_SELECTIONS,
    caseSensitiveNames = false,
    merged = [],
    choosesPatchValues = false,
    memory = UNCOUNTED,
    ...limits
  }: Partial<JsonOptions> = {},
): Work<LocatedBody> {
  const { maxDepth, maxSelected, maxSteps } = { ...DEFAULT_LIMITS, ...limits }
  const tree = new JsonTree(bytes, yield* readJsonRows(bytes, maxDepth, memory))
  memory.take(tree.size * SELECTING_PER_NODE)
  const leaves = new SelectedLeaves(tree, maxSelected)
  const budget = new WalkBudget(maxSteps)
  const watched = caseSensitiveNames ? NO_SELECTIONS : encrypting
  const watchesSpecialNames = watched.size > 0 && tree.hasSpecialNames
  if (watchesSpecialNames) yield* refusePrototypes(tree)
  const ambiguous: JsonPath[] = []
  for (const [index, path] of selectors.entries()) {
    const reading = watched.has(index) ? "watched" : "exact"
    const walk = new NodeWalk(tree, budget, reading)
    const rest = leaves.add(index, yield* walk.select(path.segments))
    if (rest !== null) yield* rest
    if (walk.misreadings.size > 0) ambiguous.push(path)
  }
  for (const [index, { selector, segments, graphql }] of selectors.entries()) {
    if (graphql === undefined || !encrypting.has(index)) continue
    const walk = new NodeWalk(tree, budget, caseSensitiveNames ? "exact" : "lenient")
    yield* refuseGraphql({ tree, walk, budget, leaves, encrypting }, { selector, segments, graphql })
  }
  if (watchesSpecialNames) {
    yield* refuseReferences(tree, leaves, encrypting)
    yield* refusePatches({ tree, leaves, budget, encrypting, choosesPatchValues })
  }
  for (const path of ambiguous) {
    const walk = new NodeWalk(tree, budget, "lenient")
    const nodes = yield* walk.select(path.segments)
    if (!(yield* leaves.covers(nodes, encrypting))) {
      throw new UnreadableBodyError("malformed", describeMisreadings(path.selector, walk.misreadings))
    }
  }
  for (const name of merged) {
    const segments = partsOfName(name).map(namedSegment)
    const nodes = yield* new NodeWalk(tree, budget, caseSensitiveNames ? "exact" : "lenient").select(segments)
    if (!(yield* leaves.covers(nodes, encrypting))) {
      throw new UnreadableBodyError(
        "malformed",
        `A field could be read as the parameter \`${name}\` by frameworks that merge query and body: leave it out, or select it too.`,
      )
    }
  }
  const selected: LocatedValue[] = []
  const rest = leaves.locate(selected)
  if (rest !== null) yield* rest
  return new JsonBody(bytes, tree, leaves, selected)
}

/**
 * JavaScript copies a field `__proto__` into the prototype of the copy (`Object.assign`), where its fields are found by
 * their own names.
 */
function* refusePrototypes(tree: JsonTree): Work<void> {
  for (const node of yield* fieldsNamed(tree, "__proto__")) {
    if (tree.firstChild(node) === NONE) continue
    throw new UnreadableBodyError(
      "malformed",
      "A JSON field named __proto__ could hide an encrypted field from readers that copy it: leave it out, or set caseSensitiveNames.",
    )
  }
}

/**
 * fastjson replaces `{"$ref": "$.x"}` by the value at that path, and Newtonsoft by the object with that `$id`: fields of it
 * are then found where the document has none.
 *
 * @throws UnreadableBodyError when there is a reference that is not encrypted itself
 */
function* refuseReferences(
  tree: JsonTree,
  leaves: SelectedLeaves,
  encrypting: ReadonlySet<number>,
): Work<void> {
  if (!(yield* leaves.covers(yield* fieldsNamed(tree, "$ref"), encrypting))) {
    throw new UnreadableBodyError(
      "malformed",
      "A JSON field named $ref could stand for an encrypted field to readers that follow references: leave it out, or set caseSensitiveNames.",
    )
  }
}

/** Finds the fields with exactly this name, wherever they are. */
function* fieldsNamed(tree: JsonTree, name: string): Work<readonly number[]> {
  const found: number[] = []
  const pace = new Pace(NODES_PER_STEP)
  for (let node = 0; node < tree.size; node++) {
    if (pace.isDue()) yield
    if (tree.compareName(node, name) === "same") found.push(node)
  }
  return found
}

class JsonBody implements LocatedBody {
  readonly selected: readonly LocatedValue[]
  readonly #bytes: Buffer
  readonly #tree: JsonTree
  readonly #leaves: SelectedLeaves

  constructor(bytes: Buffer, tree: JsonTree, leaves: SelectedLeaves, selected: readonly LocatedValue[]) {
    this.#bytes = bytes
    this.#tree = tree
    this.#leaves = leaves
    this.selected = selected
  }

  *unselected(): Iterable<LocatedValue> {
    for (let node = 0; node < this.#tree.size; node++) {
      if (this.#tree.isValue(node) && !this.#leaves.has(node)) yield this.#tree.locate(node, NO_SELECTORS)
    }
  }

  text({ start, end, type }: LocatedValue): Buffer | Work<Buffer> {
    if (type !== "string") return this.#bytes.subarray(start, end)
    const content = this.#bytes.subarray(start + 1, end - 1)
    if (!content.includes(BACKSLASH)) return content
    if (content.length > LARGE_TEXT_BYTES) return this.#unescape(start, end)
    const text = unescapeJsonString(this.#bytes, start, end)
    if (!text.isWellFormed()) throw loneSurrogate()
    return Buffer.from(text)
  }

  *#unescape(start: number, end: number): Work<Buffer> {
    const text = yield* decodeJsonStringInSteps(this.#bytes, true, start, end)
    if (text === null) throw loneSurrogate()
    return text
  }

  looseText(value: LocatedValue): Buffer | Work<Buffer> {
    const { start, end, type } = value
    const content = this.#bytes.subarray(start, end)
    if (type !== "string" || !content.includes(BACKSLASH)) return this.text(value)
    return content.length > LARGE_TEXT_BYTES
      ? unescapeLooselyInSteps(this.#bytes, start, end)
      : Buffer.from(unescapeJsonString(this.#bytes, start, end))
  }

  *names(): Iterable<FieldName> {
    const tree = this.#tree
    for (let node = 0; node < tree.size; node++) {
      if (!tree.isNameLong(node, SHORTEST_NAME)) continue
      yield {
        text: tree.name(node),
        get path() {
          return normalizedPath(tree, node)
        },
      }
    }
  }

  path({ start }: LocatedValue): string {
    const node = this.#tree.scalarAt(start)
    if (node === NONE) throw new TypeError("The value is not of this body")
    return normalizedPath(this.#tree, node)
  }

  /**
   * Numbers and booleans are written unchanged: opening a token checks that it contains exactly one literal of its
   * type.
   */
  write(_value: LocatedValue, type: ValueType, text: Buffer): string | Work<readonly string[]> {
    return type === "string" ? writeJsonString(text) : text.toString()
  }
}

function loneSurrogate(): UnreadableBodyError {
  return new UnreadableBodyError("malformed", "A JSON string contains a lone surrogate.")
}

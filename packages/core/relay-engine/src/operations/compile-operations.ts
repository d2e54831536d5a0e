import { applicationName } from "../headers/headers.ts"
import type { JsonPath, Segment, Selector } from "../jsonpath/json-path.ts"
import { namedSegment, partsOfName } from "../jsonpath/name-paths.ts"
import { MergedNames, type MergedSelection } from "../query/merged-names.ts"
import type { Selection, SelectionType, SubjectSource } from "./selection.ts"

/** Where a message names the data subject of what an action encrypts. */
export interface CompiledSubject {
  readonly source: SubjectSource
  /** For `json`; null for a header. */
  readonly path: JsonPath | null
}

/** A compiled selection of a route. */
export interface CompiledSelection {
  readonly direction: "request" | "response"
  readonly action: "encrypt" | "decrypt"
  readonly selection: Selection
  /** For `json` and `xml`; null for the others, whose selector is a name. */
  readonly path: JsonPath | null
  /** Null: what it encrypts belongs to no data subject. */
  readonly subject: CompiledSubject | null
}

/** What one selection does with the messages of one direction. */
export interface Operation extends CompiledSelection {
  /** Its index among the operations of the message. */
  readonly index: number
}

/** The operations of one type with their selectors: two parallel lists. */
export interface OperationGroup<Selector> {
  readonly selectors: readonly Selector[]
  readonly operations: readonly Operation[]
  /** Those that encrypt, by their index in the lists. */
  readonly encrypting: ReadonlySet<number>
}

/** All operations on a message, in the order of routes, actions and selections. */
export interface Operations {
  readonly list: readonly Operation[]
  readonly encrypts: boolean
  readonly decrypts: boolean
  /** Whether values of the body are encrypted, or decrypted. */
  readonly encryptsBody: boolean
  readonly touchesBody: boolean
  /** Whether to refuse what tells the destination to treat the request as one with another method: it has other routes. */
  readonly watchesMethod: boolean
  /** Whether values of JSON patches are encrypted (RFC 6902), wherever in the patched document they belong. */
  readonly encryptsPatches: boolean
  /** Whether fields of bodies are inspected: for the method, or because frameworks merge them with an encrypted query. */
  readonly watchesFields: boolean
  /** Where the message names data subjects. */
  readonly subjects: readonly CompiledSubject[]
  readonly json: OperationGroup<JsonPath>
  readonly xml: OperationGroup<JsonPath>
  readonly form: OperationGroup<string>
  readonly file: OperationGroup<string>
  readonly header: OperationGroup<string>
  readonly query: OperationGroup<string>
  /** The parameters of the query that are encrypted. */
  readonly encryptedParameters: readonly string[]
  /**
   * The headers that are encrypted, describe an encrypted body or name a data subject, in lower case, by the name that
   * applications see: see `applicationName`.
   */
  readonly protectedHeaders: ReadonlyMap<string, readonly string[]>
  /** Where frameworks that merge query and body find what is encrypted in bodies. */
  readonly merged: MergedNames
}

const GRAPHQL_PARAMETERS: Segment = {
  descendant: false,
  selectors: [
    { kind: "name", name: "query" },
    { kind: "name", name: "variables" },
  ],
}

/** The headers that describe a body. */
const OF_BODY = ["content-type", "content-encoding"] as const

const OUTSIDE_OF_BODIES: ReadonlySet<SelectionType> = new Set(["header", "query"])

export function compileOperations(
  selections: readonly CompiledSelection[],
  { watchesMethod = false }: { readonly watchesMethod?: boolean } = {},
): Operations {
  const list = selections.map((selection, index): Operation => ({ ...selection, index }))
  const body = list.filter(({ selection }) => !OUTSIDE_OF_BODIES.has(selection.type))
  const header = byName(list, "header")
  const query = byName(list, "query")
  const subjects = [...new Set(list.flatMap(({ subject }) => subject ?? []))]
  const json = byPath(list, "json")
  const encryptsBody = body.some(({ action }) => action === "encrypt")
  return {
    list,
    encrypts: list.some(({ action }) => action === "encrypt"),
    decrypts: list.some(({ action }) => action === "decrypt"),
    encryptsBody,
    touchesBody: body.length > 0 || subjects.some(({ path }) => path !== null),
    watchesMethod,
    watchesFields: watchesMethod || query.encrypting.size > 0,
    subjects,
    json,
    xml: byPath(list, "xml"),
    encryptsPatches: encryptedOf(json).some(selectsPatchValues),
    form: byName(list, "form"),
    file: byName(list, "file"),
    header,
    query,
    encryptedParameters: encryptedOf(query),
    protectedHeaders: byApplicationName([
      ...(encryptsBody ? OF_BODY : []),
      ...encryptedOf(header),
      ...subjects.flatMap(({ source }) => (source.type === "header" ? [source.selector] : [])),
    ]),
    merged: new MergedNames(body.filter(({ action }) => action === "encrypt").flatMap(mergedSelections)),
  }
}

/**
 * Whether a selector selects `value` in each object of a list, or in those that pass its filter. Positions select it in
 * some alone.
 */
function selectsPatchValues({ segments }: JsonPath): boolean {
  let reached: readonly number[] = [0]
  for (const name of [null, "value"]) {
    reached = reached.flatMap((at) => {
      const segment = segments[at]
      if (segment === undefined) return [at]
      const isChosen = segment.selectors.some((selector) => choosesEach(selector, name))
      return [...(segment.descendant ? [at] : []), ...(isChosen ? [at + 1] : [])]
    })
  }
  return reached.includes(segments.length)
}

/** @param name of a field; null for the elements of a list */
function choosesEach(selector: Selector, name: string | null): boolean {
  if (selector.kind === "name") return selector.name === name
  return selector.kind === "wildcard" || (selector.kind === "filter" && name === null)
}

function encryptedOf<Selector>({ selectors, encrypting }: OperationGroup<Selector>): readonly Selector[] {
  return selectors.filter((_, index) => encrypting.has(index))
}

function byApplicationName(headers: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const byName = new Map<string, string[]>()
  for (const header of new Set(headers.map((name) => name.toLowerCase()))) {
    const known = byName.get(applicationName(header))
    if (known === undefined) byName.set(applicationName(header), [header])
    else known.push(header)
  }
  return byName
}

function mergedSelections({ selection: { selector }, path }: Operation): readonly MergedSelection[] {
  if (path === null) {
    return [{ selector, segments: partsOfName(selector).map(namedSegment) }]
  }
  const merged = { selector, segments: path.merged ?? path.segments }
  // GraphQL servers prefer the query's to the body's, as JSON.
  return path.graphql !== undefined ? [merged, { selector, segments: [GRAPHQL_PARAMETERS] }] : [merged]
}

function byPath(list: readonly Operation[], type: SelectionType): OperationGroup<JsonPath> {
  const found = list.flatMap((operation) =>
    operation.selection.type === type && operation.path !== null ? [{ operation, path: operation.path }] : [],
  )
  return groupOf(
    found.map(({ path }) => path),
    found.map(({ operation }) => operation),
  )
}

function byName(list: readonly Operation[], type: SelectionType): OperationGroup<string> {
  const operations = list.filter(({ selection }) => selection.type === type)
  return groupOf(
    operations.map(({ selection }) => selection.selector),
    operations,
  )
}

function groupOf<Selector>(
  selectors: readonly Selector[],
  operations: readonly Operation[],
): OperationGroup<Selector> {
  const encrypting = new Set(operations.flatMap(({ action }, index) => (action === "encrypt" ? [index] : [])))
  return { selectors, operations, encrypting }
}

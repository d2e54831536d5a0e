import { type BoundedMap, createBoundedMap } from "@sealway/kernel"
import { isRoleSlug } from "@sealway/tokens"
import type { LeakWatch } from "../body/leak-watch.ts"
import { SelectorError } from "../errors/selector-error.ts"
import { isSelectableHeader } from "../headers/headers.ts"
import { compileJsonPath } from "../jsonpath/compile-json-path.ts"
import type { JsonPath } from "../jsonpath/json-path.ts"
import type { CompiledSelection, CompiledSubject, Operations } from "../operations/compile-operations.ts"
import type { Action, Route, Selection, SubjectSource } from "../operations/selection.ts"
import { compileXmlSelector } from "../xml/compile-xml-selector.ts"
import { compilePathPattern, type PathPattern } from "./path-pattern.ts"

export const MAX_ROUTES = 100
/** The maximum in all routes together. */
export const MAX_SELECTIONS = 1_000
const MAX_NAME_CHARACTERS = 512
/** How many sets of matched routes are cached. */
const MAX_COMBINATIONS = 256
/** How many paths: with the longest, those of 2,000 relays take 50 MB. */
const MAX_PATHS = 64

/** What a relay does with messages, whatever their routes. */
export interface RelayOptions {
  /** Whether `encrypt` also seals empty strings. */
  readonly encryptEmptyStrings: boolean
  readonly leakWatch: LeakWatch
  /**
   * Whether the destination distinguishes names that only differ in case or in `_` and `-`. If it does not, a field or
   * parameter that it could read as an encrypted one is refused.
   */
  readonly caseSensitiveNames: boolean
  /** What to do with requests whose body is to be encrypted and of an unknown type. */
  readonly unknownContentTypes: "refuse" | "pass"
  /**
   * What to do with answers of 3xx, 4xx and 5xx whose body is to be encrypted, and is of a type that cannot be:
   * `drop-body` forwards their status and headers.
   */
  readonly unencryptableErrors: "refuse" | "drop-body"
  /** What to do with requests that match no route, on a relay that encrypts. */
  readonly unmatched: "refuse" | "pass"
  /**
   * The types of bodies that pass where bodies are encrypted and no selection is for their type, out of
   * `PASSABLE_TYPES`: if they begin with what their type begins with. `*` passes all types that the relay knows.
   */
  readonly passContentTypes: readonly string[]
}

/** A relay's instructions for messages. */
export interface RelayRules extends RelayOptions {
  readonly routes: readonly Route[]
}

export interface CompiledRoute {
  readonly route: Route
  readonly pattern: PathPattern
  readonly request: readonly CompiledSelection[]
  readonly response: readonly CompiledSelection[]
}

/** The routes that a request matched, and what they do. */
export interface MatchedRoutes {
  /** The routes' own paths. */
  readonly patterns: readonly string[]
  readonly request: Operations
  readonly response: Operations
  /** Whether no route describes the request, and it passes only because the relay passes such requests. */
  readonly isTolerated: boolean
}

/** The routes that apply to one method and path. */
export interface RoutesAtPath {
  readonly matched: readonly CompiledRoute[]
  /** Those for other methods that some server reads the path as one of. */
  readonly others: readonly CompiledRoute[]
  /** What they do with all requests but a browser's preflights. Null: no request has come through yet. */
  usual: MatchedRoutes | null
}

/** A compiled relay. Created once per revision of the relay: derived data is cached in it. */
export interface CompiledRelay extends RelayOptions {
  readonly routes: readonly CompiledRoute[]
  /** Whether some route does not apply to all paths. */
  readonly distinguishesPaths: boolean
  /** Whether some action encrypts. */
  readonly encrypts: boolean
  /** Earlier matches, by the indices of their routes. */
  readonly matches: BoundedMap<MatchedRoutes>
  /** Earlier methods and paths that were not refused. */
  readonly paths: BoundedMap<RoutesAtPath>
}

/**
 * @throws SelectorError whose message starts with the place, such as `routes[0].request[1].selections[2].selector: `
 */
export function compileRelay({ routes, ...rules }: RelayRules): CompiledRelay {
  if (routes.length > MAX_ROUTES) {
    throw new SelectorError(`routes: A relay can have at most ${MAX_ROUTES} routes.`, null)
  }
  const selections = routes.flatMap(({ request, response }) =>
    [...request, ...response].flatMap((action) => action.selections),
  )
  if (selections.length > MAX_SELECTIONS) {
    throw new SelectorError(`routes: A relay can have at most ${MAX_SELECTIONS} selections.`, null)
  }
  const compiled = routes.map((route, index): CompiledRoute => {
    const place = `routes[${index}]`
    return {
      route,
      pattern: at(`${place}.path`, () => compilePathPattern(route.path)),
      request: compileActions(route.request, "request", `${place}.request`),
      response: compileActions(route.response, "response", `${place}.response`),
    }
  })
  return {
    routes: compiled,
    ...optionsOf(rules),
    distinguishesPaths: compiled.some(({ pattern }) => !pattern.isOpen || pattern.segments.length > 0),
    encrypts: compiled.some(encrypts),
    matches: createBoundedMap(MAX_COMBINATIONS),
    paths: createBoundedMap(MAX_PATHS),
  }
}

function encrypts({ request, response }: CompiledRoute): boolean {
  return [...request, ...response].some(({ action }) => action === "encrypt")
}

/** Returns the options out of a relay's rules. */
export function optionsOf(rules: RelayOptions): RelayOptions {
  const { encryptEmptyStrings, leakWatch, caseSensitiveNames, unknownContentTypes } = rules
  const { unencryptableErrors, unmatched, passContentTypes } = rules
  return {
    encryptEmptyStrings,
    leakWatch,
    caseSensitiveNames,
    unknownContentTypes,
    unencryptableErrors,
    unmatched,
    passContentTypes,
  }
}

function compileActions(
  actions: readonly Action[],
  direction: "request" | "response",
  place: string,
): CompiledSelection[] {
  return actions.flatMap(({ action, selections, dataSubject }, actionIndex) => {
    const subjectPlace = `${place}[${actionIndex}].dataSubject.selector`
    const subject = dataSubject === undefined ? null : at(subjectPlace, () => compileSubject(dataSubject))
    return selections.map((selection, index): CompiledSelection => {
      const selectionPlace = `${place}[${actionIndex}].selections[${index}]`
      if (action === "encrypt") checkRole(selection, selectionPlace)
      if (subject !== null && selection.type === "file") {
        throw new SelectorError(`${selectionPlace}: A file cannot belong to a data subject.`, null)
      }
      const path = at(`${selectionPlace}.selector`, () => compileSelector(selection, action, direction))
      return { direction, action, selection, path, subject: action === "encrypt" ? subject : null }
    })
  })
}

function compileSubject(source: SubjectSource): CompiledSubject {
  const { type, selector } = source
  if (type === "json") return { source, path: compileJsonPath(selector) }
  if (!isSelectableHeader(selector))
    throw new SelectorError("Not the name of a header that can be selected.", null)
  return { source, path: null }
}

function checkRole({ type, role }: Selection, place: string): void {
  if (role === null) return
  const problem =
    type === "file"
      ? "A file cannot carry a data role."
      : isRoleSlug(role)
        ? null
        : "Not a valid slug of a data role."
  if (problem !== null) throw new SelectorError(`${place}.role: ${problem}`, null)
}

function compileSelector(
  { type, selector, namespaces }: Selection,
  action: Action["action"],
  direction: "request" | "response",
): JsonPath | null {
  switch (type) {
    case "json":
      return compileJsonPath(selector)
    case "xml":
      return compileXmlSelector(selector, namespaces ?? null, action === "encrypt" ? "all" : "by-namespace")
    case "header":
      if (!isSelectableHeader(selector)) {
        throw new SelectorError("Not the name of a header that can be selected.", null)
      }
      return null
    case "query":
      if (direction === "response") throw new SelectorError("A response has no query.", null)
      return requireName(selector)
    case "form":
    case "file":
      return requireName(selector)
  }
}

function requireName(selector: string): null {
  if (selector === "" || selector.length > MAX_NAME_CHARACTERS) {
    throw new SelectorError(`A name must have 1 to ${MAX_NAME_CHARACTERS} characters.`, null)
  }
  return null
}

function at<Value>(place: string, compile: () => Value): Value {
  try {
    return compile()
  } catch (error) {
    if (!(error instanceof SelectorError)) throw error
    throw new SelectorError(`${place}: ${error.message}`, error.position, { cause: error })
  }
}

import type { FieldProblem } from "@sealway/kernel"
import {
  type Action,
  compileJsonPath,
  compilePathPattern,
  compileXmlSelector,
  isSelectableHeader,
  MAX_SELECTIONS,
  type Route,
  type Selection,
  SelectorError,
} from "@sealway/relay-engine"

/** One action of one route, and its place. */
export interface PlacedAction {
  /** JSON Pointer: `/routes/0/request/1`. */
  readonly pointer: string
  readonly direction: "request" | "response"
  readonly action: Action
}

/** One selection of one action, and its place. */
export interface PlacedSelection extends PlacedAction {
  readonly selection: Selection
}

/** Yields every action of routes. */
export function* actionsOf(routes: readonly Route[]): Generator<PlacedAction> {
  for (const [index, route] of routes.entries()) {
    for (const direction of ["request", "response"] as const) {
      for (const [at, action] of route[direction].entries()) {
        yield { pointer: `/routes/${index}/${direction}/${at}`, direction, action }
      }
    }
  }
}

export function* selectionsOf(routes: readonly Route[]): Generator<PlacedSelection> {
  for (const { pointer, ...placed } of actionsOf(routes)) {
    for (const [index, selection] of placed.action.selections.entries()) {
      yield { ...placed, selection, pointer: `${pointer}/selections/${index}` }
    }
  }
}

/**
 * Finds problems of routes beyond the shape of each part: selectors that do not compile, headers that cannot be
 * selected. Returns an empty list when there are none.
 */
export function routeProblems(routes: readonly Route[]): readonly FieldProblem[] {
  const problems: FieldProblem[] = []
  let count = 0
  for (const { pointer, direction, action, selection } of selectionsOf(routes)) {
    count++
    if (count > MAX_SELECTIONS) {
      return [
        { pointer: "/routes", reason: `A relay can have at most ${MAX_SELECTIONS} selections in total.` },
      ]
    }
    const reason = selectorProblem(selection, direction)
    if (reason !== null) problems.push({ pointer: `${pointer}/selector`, reason })
    if (selection.type === "file" && selection.role !== null) {
      problems.push({ pointer: `${pointer}/role`, reason: "A file cannot carry a data role." })
    }
    if (selection.type === "file" && action.dataSubject !== undefined) {
      problems.push({
        pointer,
        reason: "A file cannot belong to a data subject. Give it an action of its own.",
      })
    }
  }
  for (const { pointer, direction, action } of actionsOf(routes)) {
    const { dataSubject } = action
    const reason = dataSubject === undefined ? null : selectorProblem(dataSubject, direction)
    if (reason !== null) problems.push({ pointer: `${pointer}/dataSubject/selector`, reason })
  }
  for (const [index, { path }] of routes.entries()) {
    const reason = compilationProblem(compilePathPattern, path)
    if (reason !== null) problems.push({ pointer: `/routes/${index}/path`, reason })
  }
  return problems
}

function selectorProblem(
  { type, selector, namespaces }: Pick<Selection, "type" | "selector" | "namespaces">,
  direction: "request" | "response",
): string | null {
  switch (type) {
    case "json":
      return compilationProblem(compileJsonPath, selector)
    case "xml":
      return compilationProblem((text) => compileXmlSelector(text, namespaces ?? null), selector)
    case "header":
      return isSelectableHeader(selector)
        ? null
        : "This header cannot be selected: it frames or routes the message, or the name is not a valid header name."
    case "query":
      if (direction === "response") return "A response has no query."
      return nameProblem(selector)
    case "form":
    case "file":
      return nameProblem(selector)
  }
}

function nameProblem(name: string): string | null {
  return /\p{Cc}/u.test(name) ? "A name must not contain control characters." : null
}

function compilationProblem(compile: (text: string) => unknown, text: string): string | null {
  try {
    compile(text)
    return null
  } catch (error) {
    if (!(error instanceof SelectorError)) throw error
    const place = error.position === null ? "" : `At character ${error.position + 1}: `
    return place + error.message
  }
}

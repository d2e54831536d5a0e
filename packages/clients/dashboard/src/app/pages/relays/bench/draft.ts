import type { Relay, RelayChanges } from "@sealway/sdk/api"

export const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"] as const
export type Method = (typeof METHODS)[number]

export const SELECTION_TYPES = ["json", "form", "query", "header", "xml", "file"] as const
export type SelectionType = (typeof SELECTION_TYPES)[number]

export type Direction = "request" | "response"
export const DIRECTIONS = ["request", "response"] as const

/** A selection while it is edited, with its action, and an id that stays when others are added or removed. */
export interface DraftSelection {
  readonly id: string
  readonly action: "encrypt" | "decrypt"
  /** Of its action; kept as it is. */
  readonly dataSubject?: NonNullable<Actions[number]["dataSubject"]>
  readonly type: SelectionType
  readonly selector: string
  /** Slug of the data role; null for none. */
  readonly role: string | null
  readonly namespaces?: Readonly<Record<string, string>>
}

/** A route while it is edited. */
export interface DraftRoute {
  readonly id: string
  /** Null: every method. */
  readonly method: Method | null
  readonly path: string
  readonly request: readonly DraftSelection[]
  readonly response: readonly DraftSelection[]
}

export type Draft = readonly DraftRoute[]

let lastId = 0
/** Returns an id that no other part of a draft has. */
const newId = (): string => `${++lastId}`

export function draftOf({ routes }: Pick<Relay, "routes">): Draft {
  return routes.map(({ method, path, ...directions }) => ({
    id: newId(),
    method: METHODS.find((each) => each === method) ?? null,
    path,
    request: selectionsOf(directions.request),
    response: selectionsOf(directions.response),
  }))
}

function selectionsOf(actions: Relay["routes"][number]["request"]): readonly DraftSelection[] {
  return actions.flatMap(({ action, dataSubject, selections }) =>
    selections.map(({ role, ...selection }) => ({
      ...selection,
      ...(dataSubject !== undefined && { dataSubject }),
      id: newId(),
      action,
      role: role ?? null,
    })),
  )
}

/** Creates a route without selections. */
export function newRoute(method: Method | null, path: string): DraftRoute {
  return { id: newId(), method, path, request: [], response: [] }
}

/** Creates a selection. */
export function newSelection(given: Omit<DraftSelection, "id">): DraftSelection {
  return { ...given, id: newId() }
}

/**
 * Adds a selection at the end of a route's, unless the route has the same one already. What it encrypts belongs to the data
 * subject of the last selection that encrypts: where a route seals for data subjects, nothing is sealed for none by accident.
 */
export function withSelection(
  draft: Draft,
  routeId: string,
  direction: Direction,
  selection: DraftSelection,
): Draft {
  return draft.map((route) => {
    if (route.id !== routeId || route[direction].some((each) => isSame(each, selection))) return route
    return { ...route, [direction]: [...route[direction], ofSameSubject(selection, route[direction])] }
  })
}

function ofSameSubject(added: DraftSelection, others: readonly DraftSelection[]): DraftSelection {
  const dataSubject = others.findLast(({ action }) => action === "encrypt")?.dataSubject
  const takesIt = added.action === "encrypt" && added.type !== "file" && dataSubject !== undefined
  return takesIt ? { ...added, dataSubject } : added
}

function isSame(one: DraftSelection, other: DraftSelection): boolean {
  return one.action === other.action && one.type === other.type && one.selector === other.selector
}

export function withoutSelection(draft: Draft, selectionId: string): Draft {
  const remaining = (selections: readonly DraftSelection[]) =>
    selections.filter(({ id }) => id !== selectionId)
  return draft.map((route) => ({
    ...route,
    request: remaining(route.request),
    response: remaining(route.response),
  }))
}

/** Changes one route. */
export function withRoute(draft: Draft, changed: DraftRoute): Draft {
  return draft.map((route) => (route.id === changed.id ? changed : route))
}

/** Routes as the API takes them, and which part of the draft each JSON Pointer into them is about. */
export interface Routes {
  readonly routes: NonNullable<RelayChanges["routes"]>
  /** Ids of selections by `/routes/0/request/1/selections/0`, of routes by `/routes/0`. */
  readonly places: ReadonlyMap<string, string>
}

/**
 * Converts a draft. Selections that follow each other with the same action and data subject become one action: their order, which is what
 * counts, stays.
 *
 * @param draft selections without a selector are left out
 */
export function routesOf(draft: Draft): Routes {
  const places = new Map<string, string>()
  const routes = draft.map((route, index) => {
    places.set(`/routes/${index}`, route.id)
    return {
      method: route.method,
      path: route.path,
      request: actionsOf(route.request, `/routes/${index}/request`, places),
      response: actionsOf(route.response, `/routes/${index}/response`, places),
    }
  })
  return { routes, places }
}

type Actions = NonNullable<Routes["routes"][number]["request"]>

function actionsOf(
  selections: readonly DraftSelection[],
  pointer: string,
  places: Map<string, string>,
): Actions {
  const actions: (Pick<DraftSelection, "action" | "dataSubject"> & {
    selections: Actions[number]["selections"][number][]
  })[] = []
  for (const { id, action, dataSubject, ...selection } of selections.filter(
    ({ selector }) => selector !== "",
  )) {
    const before = actions.at(-1)
    if (before?.action !== action || !isSameSubject(before.dataSubject, dataSubject)) {
      actions.push({ action, ...(dataSubject !== undefined && { dataSubject }), selections: [] })
    }
    const last = actions.at(-1)?.selections ?? []
    places.set(`${pointer}/${actions.length - 1}/selections/${last.length}`, id)
    last.push(selection)
  }
  return actions
}

function isSameSubject(one: DraftSelection["dataSubject"], other: DraftSelection["dataSubject"]): boolean {
  return one?.type === other?.type && one?.selector === other?.selector
}

/** A field that the API has found wrong, or warns of. */
interface Finding {
  readonly pointer: string
  readonly reason: string
}

/**
 * Assigns findings to parts of a draft.
 *
 * @returns reasons by the id of the route or selection; under `""` those about neither
 */
export function findingsByPlace(
  findings: readonly Finding[],
  { places }: Pick<Routes, "places">,
): ReadonlyMap<string, string> {
  const byPlace = new Map<string, string>()
  for (const { pointer, reason } of findings) {
    const selection = /^\/routes\/\d+\/(?:request|response)\/\d+\/selections\/\d+/.exec(pointer)?.[0] ?? ""
    const route = /^\/routes\/\d+/.exec(pointer)?.[0] ?? ""
    const id = places.get(selection) ?? places.get(route) ?? ""
    byPlace.set(id, [byPlace.get(id), reason].filter(Boolean).join(" "))
  }
  return byPlace
}

/**
 * Returns the selections that apply to a sample, in the order in which a trial reports them.
 *
 * @param matched whether each route matches, in the order of the draft
 */
export function appliedSelections(
  draft: Draft,
  direction: Direction,
  matched: readonly boolean[],
): readonly DraftSelection[] {
  return draft
    .filter((_, index) => matched[index] === true)
    .flatMap((route) => route[direction].filter(({ selector }) => selector !== ""))
}

/** Says what each route does, one line for each selection: for comparing drafts. */
export function linesOf(draft: Draft): readonly string[] {
  return draft.flatMap(({ method, path, ...directions }) => {
    const place = `${method ?? "every method"} ${path}`
    const lines = DIRECTIONS.flatMap((direction) =>
      directions[direction].map(
        ({ action, type, selector, role }) =>
          `${place}, ${direction}: ${action} ${type} ${selector}${role === null ? "" : ` as ${role}`}`,
      ),
    )
    return lines.length === 0 ? [`${place}: nothing`] : lines
  })
}

/** What saving a draft would change. */
export interface DraftChanges {
  readonly added: readonly string[]
  readonly removed: readonly string[]
  /** Nothing is added or removed, but routes or selections are in another order. */
  readonly isReordered: boolean
}

export function changesBetween(before: Draft, after: Draft): DraftChanges {
  const [old, current] = [linesOf(before), linesOf(after)]
  const added = current.filter((line) => !old.includes(line))
  const removed = old.filter((line) => !current.includes(line))
  const isReordered = added.length + removed.length === 0 && old.join("\n") !== current.join("\n")
  return { added, removed, isReordered }
}

export function isChanged({ added, removed, isReordered }: DraftChanges): boolean {
  return added.length > 0 || removed.length > 0 || isReordered
}

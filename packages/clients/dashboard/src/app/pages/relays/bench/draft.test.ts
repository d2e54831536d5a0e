import { describe, expect, test } from "vitest"
import {
  appliedSelections,
  changesBetween,
  draftOf,
  findingsByPlace,
  isChanged,
  newSelection,
  routesOf,
  withoutSelection,
  withSelection,
} from "./draft.ts"

const select = (action: "encrypt" | "decrypt", ...selectors: string[]) => ({
  action,
  selections: selectors.map((selector) => ({ type: "json" as const, selector })),
})
const ROUTES = [
  {
    method: "POST",
    path: "/orders",
    request: [select("encrypt", "$.a", "$.b"), select("decrypt", "$.c")],
    response: [],
  },
  { path: "/**", request: [], response: [select("encrypt", "$.d")] },
]

describe("a draft of routes", () => {
  test("becomes the routes that it was made of", () => {
    const { routes } = routesOf(draftOf({ routes: ROUTES }))
    const withDefaults = (actions: readonly ReturnType<typeof select>[]) =>
      actions.map(({ action, selections }) => ({
        action,
        selections: selections.map((each) => ({ ...each, role: null })),
      }))
    expect(routes).toEqual(
      ROUTES.map(({ method = null, path, request, response }) => {
        return { method, path, request: withDefaults(request), response: withDefaults(response) }
      }),
    )
  })

  test("gets a selection once, in a new action when the one before differs", () => {
    const draft = draftOf({ routes: ROUTES })
    const added = newSelection({ action: "encrypt", type: "json", selector: "$.new", role: "cards" })
    const routeId = draft[0]?.id ?? ""
    const once = withSelection(draft, routeId, "request", added)
    expect(withSelection(once, routeId, "request", newSelection(added))).toEqual(once)
    expect(routesOf(once).routes[0]?.request?.at(-1)).toEqual({
      action: "encrypt",
      selections: [{ type: "json", selector: "$.new", role: "cards" }],
    })
    expect(withoutSelection(once, added.id)).toEqual(draft)
  })

  test("keeps where data subjects are named, and gives a new selection the same", () => {
    const dataSubject = { type: "json" as const, selector: "$.id" }
    const actions = [{ ...select("encrypt", "$.a"), dataSubject }, select("encrypt", "$.b")]
    const routes = [{ path: "/", request: actions, response: [{ ...select("encrypt", "$.c"), dataSubject }] }]
    const draft = draftOf({ routes })
    expect(routesOf(draft).routes[0]?.request).toMatchObject(actions)
    expect(routesOf(draft).routes[0]?.request?.[1]).not.toHaveProperty("dataSubject")
    const added = (type: "json" | "file") =>
      newSelection({ action: "encrypt", type, selector: "new", role: null })
    const both = [added("json"), added("file")].reduce(
      (so, each) => withSelection(so, draft[0]?.id ?? "", "response", each),
      draft,
    )
    expect(routesOf(both).routes[0]?.response).toMatchObject([
      { dataSubject, selections: [{ selector: "$.c" }, { selector: "new", type: "json" }] },
      { selections: [{ selector: "new", type: "file" }] },
    ])
  })

  test("shows each problem at the selection or route that it is about", () => {
    const draft = draftOf({ routes: ROUTES })
    const [first, second] = draft
    const found = findingsByPlace(
      [
        { pointer: "/routes/0/request/1/selections/0/selector", reason: "One." },
        { pointer: "/routes/1/path", reason: "Two." },
        { pointer: "/routes/1/path", reason: "Three." },
        { pointer: "/leakWatch", reason: "Four." },
      ],
      routesOf(draft),
    )
    expect([...found]).toEqual([
      [first?.request[2]?.id, "One."],
      [second?.id, "Two. Three."],
      ["", "Four."],
    ])
  })

  test("leaves selections without a selector out, and finds those after them", () => {
    const draft = draftOf({ routes: ROUTES }).map((route) => ({
      ...route,
      request: route.request.map((each) => (each.selector === "$.a" ? { ...each, selector: "" } : each)),
    }))
    const { routes, places } = routesOf(draft)
    expect(routes[0]?.request?.[0]?.selections).toHaveLength(1)
    expect(places.get("/routes/0/request/0/selections/0")).toBe(draft[0]?.request[1]?.id)
    expect(appliedSelections(draft, "request", [true, true])).toHaveLength(2)
    expect(appliedSelections(draft, "response", [true, false])).toHaveLength(0)
  })

  test("says what saving adds and removes", () => {
    const before = draftOf({ routes: ROUTES })
    const after = withoutSelection(before, before[0]?.request[2]?.id ?? "")
    expect(changesBetween(before, after)).toEqual({
      added: [],
      removed: ["POST /orders, request: decrypt json $.c"],
      isReordered: false,
    })
    expect(changesBetween(before, before.toReversed()).isReordered).toBe(true)
    expect(isChanged(changesBetween(before, draftOf({ routes: ROUTES })))).toBe(false)
  })
})

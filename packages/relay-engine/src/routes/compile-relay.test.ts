import { describe, expect, test } from "vitest"
import { SelectorError } from "../errors/selector-error.ts"
import type { Action, Route, Selection } from "../operations/selection.ts"
import { compileRelay, MAX_ROUTES, MAX_SELECTIONS } from "./compile-relay.ts"

const ROUTE: Route = { method: null, path: "/", request: [], response: [] }
const compile = (routes: readonly Route[]) =>
  compileRelay({
    routes,
    encryptEmptyStrings: true,
    leakWatch: "off",
    caseSensitiveNames: false,
    unknownContentTypes: "refuse",
    unencryptableErrors: "refuse",
    unmatched: "pass",
    passContentTypes: [],
  })
const withSelection = (selection: Partial<Selection>, action: Action["action"] = "encrypt"): Route => ({
  ...ROUTE,
  response: [
    { action: "decrypt", selections: [] },
    { action, selections: [{ type: "json", selector: "$.a", role: null, ...selection }] },
  ],
})

describe("a relay's routes", () => {
  test.each([
    ["a selector that is no JSONPath", { selector: "$.a[" }, "selector"],
    ["a selector that is no JSONPath for XML", { type: "xml", selector: "a" }, "selector"],
    ["a header that frames the message", { type: "header", selector: "Content-Length" }, "selector"],
    ["a header's name that is none", { type: "header", selector: "a b" }, "selector"],
    ["a field without name", { type: "form", selector: "" }, "selector"],
    ["a field's name that is too long", { type: "file", selector: "a".repeat(513) }, "selector"],
    ["a role that is no slug", { role: "Not A Slug" }, "role"],
    ["a role for files", { type: "file", selector: "a", role: "pii" }, "role"],
  ] as const)("are refused naming %s", (_, selection, member) => {
    const refusal = () => compile([ROUTE, withSelection(selection)])
    expect(refusal).toThrow(SelectorError)
    expect(refusal).toThrow(`routes[1].response[1].selections[0].${member}: `)
  })

  test("are refused with the position of a selector's error", () => {
    expect(() => compile([withSelection({ selector: "$.a[" })])).toThrow(
      expect.objectContaining({ position: expect.any(Number) }),
    )
  })

  test("are limited in number", () => {
    expect(() => compile(Array.from({ length: MAX_ROUTES }, () => ROUTE))).not.toThrow()
    expect(() => compile(Array.from({ length: MAX_ROUTES + 1 }, () => ROUTE))).toThrow(SelectorError)
    const selection: Selection = { type: "header", selector: "x", role: null }
    const routeOf = (count: number): Route => ({
      ...ROUTE,
      request: [{ action: "encrypt", selections: Array.from({ length: count }, () => selection) }],
    })
    expect(() => compile([routeOf(MAX_SELECTIONS - 1), routeOf(1)])).not.toThrow()
    expect(() => compile([routeOf(MAX_SELECTIONS), routeOf(1)])).toThrow(SelectorError)
  })

  test("ignore the role when they decrypt", () => {
    expect(() => compile([withSelection({ role: "Not A Slug" }, "decrypt")])).not.toThrow()
  })
})

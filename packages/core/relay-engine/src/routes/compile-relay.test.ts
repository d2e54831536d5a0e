import { describe, expect, test } from "vitest"
import { SelectorError } from "../errors/selector-error.ts"
import type { Action, Route, Selection } from "../operations/selection.ts"
import { compileXmlSelector } from "../xml/compile-xml-selector.ts"
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

  test("are refused with what is wrong with them, and where", () => {
    const refusal = (route: Partial<Route>) => {
      try {
        compile([{ ...ROUTE, ...route }])
        return null
      } catch (error) {
        return error instanceof SelectorError ? [error.message, error.position] : error
      }
    }
    const encrypting = (action: Partial<Action>) => ({
      request: [{ action: "encrypt" as const, selections: [], ...action }],
    })
    const selecting = (selection: Partial<Selection>) =>
      encrypting({ selections: [{ type: "json", selector: "$.a", role: null, ...selection }] })
    const json = (selector: string) => ({ type: "json" as const, selector })
    const header = (selector: string) => ({ type: "header" as const, selector })
    const file: Selection = { type: "file", selector: "a", role: null }
    const at = "routes[0].request[0]"
    expect([
      refusal(selecting({ type: "header", selector: "host" })),
      refusal(selecting({ type: "form", selector: "a".repeat(513) })),
      refusal(selecting({ type: "file", selector: "a", role: "pii" })),
      refusal(selecting({ role: "Not A Slug" })),
      refusal(encrypting({ dataSubject: header("host") })),
      refusal(encrypting({ dataSubject: header("x-person"), selections: [file] })),
      refusal(encrypting({ dataSubject: json("$.person"), selections: [file] })),
      refusal({ response: [{ action: "encrypt", selections: [{ ...file, type: "query" }] }] }),
    ]).toEqual([
      [`${at}.selections[0].selector: Not the name of a header that can be selected.`, null],
      [`${at}.selections[0].selector: A name must have 1 to 512 characters.`, null],
      [`${at}.selections[0].role: A file cannot carry a data role.`, null],
      [`${at}.selections[0].role: Not a valid slug of a data role.`, null],
      [`${at}.dataSubject.selector: Not the name of a header that can be selected.`, null],
      [`${at}.selections[0]: A file cannot belong to a data subject.`, null],
      [`${at}.selections[0]: A file cannot belong to a data subject.`, null],
      ["routes[0].response[0].selections[0].selector: A response has no query.", null],
    ])
    expect(refusal(encrypting({ dataSubject: json("$.a[") }))).toMatchObject([
      expect.stringMatching(/^routes\[0\]\.request\[0\]\.dataSubject\.selector: /),
      expect.any(Number),
    ])
    for (const accepted of [
      selecting({ type: "query", selector: "a".repeat(512) }),
      selecting({ role: "pii" }),
      encrypting({ dataSubject: header("x-person") }),
    ]) {
      expect(refusal(accepted)).toBeNull()
    }
  })

  test.each([
    ["a", "must begin with `/`", 0],
    [`/${"a".repeat(1_024)}`, "at most 1024 characters", null],
    ["//a", "empty segments", 1],
    ["/a//b", "empty segments", 3],
    ["/a/b*", "`*` must be a whole segment", 3],
    ["/**/a", "`*` must be a whole segment", 1],
    ["/a?b", "a query or a fragment", 1],
    ["/a/b#c", "a query or a fragment", 3],
    ["/a%2", "two hexadecimal digits", 1],
    ["/a%2g", "two hexadecimal digits", 1],
    ["/a/.", "must not be `.`", 3],
    ["/../a", "must not be `.`", 1],
    ["/a%2fb", "contain a slash", 1],
    ["/a;b", "contain a slash", 1],
    ["/a\\b", "contain a slash", 1],
    ["/a%25b", "contain a slash", 1],
    ["/a%3Fb", "contain a slash", 1],
    ["/a\u007fb", "contain a slash", 1],
    ["/a%1fb", "contain a slash", 1],
  ])("are refused for the path %j, with what is wrong and its position", (path, reason, position) => {
    expect(() => compile([{ ...ROUTE, path }])).toThrow(
      expect.objectContaining({ message: expect.stringMatching(/^routes\[0\]\.path: /), position }),
    )
    expect(() => compile([{ ...ROUTE, path }])).toThrow(reason)
  })

  test("may have a path of 1024 characters, with dots and spaces in its segments", () => {
    for (const path of [`/${"a".repeat(1_023)}`, "/a.b/...", "/a b/%20", "/a/"]) compile([{ ...ROUTE, path }])
  })

  test("are told apart by whether paths, and encryption, matter to them", () => {
    const open = { ...ROUTE, path: "/**" }
    const compiled = (...routes: Route[]) => {
      const { distinguishesPaths, encrypts } = compile(routes)
      return { distinguishesPaths, encrypts }
    }
    expect(compiled(open)).toEqual({ distinguishesPaths: false, encrypts: false })
    expect(compiled(open, ROUTE)).toEqual({ distinguishesPaths: true, encrypts: false })
    expect(compiled({ ...open, path: "/a/**" }).distinguishesPaths).toBe(true)
    expect(compiled({ ...withSelection({}), path: "/**" }).encrypts).toBe(true)
    expect(compiled(withSelection({}, "decrypt")).encrypts).toBe(false)
    const { response, ...others } = withSelection({})
    expect(compiled({ ...others, request: response, response: [] }).encrypts).toBe(true)
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

  test("find names of XML by every reader's rules to encrypt, and by their namespaces alone to decrypt", () => {
    const selector = "$['soap:Envelope'].card"
    const namespaces = { soap: "urn:envelope" }
    const pathOf = (action: Action["action"]) =>
      compile([withSelection({ type: "xml", selector, namespaces }, action)]).routes[0]?.response[0]?.path
    expect(pathOf("encrypt")).toEqual(compileXmlSelector(selector, namespaces, "all"))
    expect(pathOf("decrypt")).toEqual(compileXmlSelector(selector, namespaces, "by-namespace"))
    expect(pathOf("decrypt")).not.toEqual(pathOf("encrypt"))
  })

  test("ignore the role when they decrypt", () => {
    expect(() => compile([withSelection({ role: "Not A Slug" }, "decrypt")])).not.toThrow()
  })
})

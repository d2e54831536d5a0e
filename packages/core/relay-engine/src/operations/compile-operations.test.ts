import { describe, expect, test } from "vitest"
import { compileJsonPath } from "../jsonpath/compile-json-path.ts"
import { type CompiledSelection, compileOperations } from "./compile-operations.ts"
import type { SelectionType } from "./selection.ts"

const selectionOf = (
  type: SelectionType,
  selector: string,
  changes: Partial<CompiledSelection> = {},
): CompiledSelection => ({
  direction: "request",
  action: "encrypt",
  selection: { type, selector, role: null },
  path: type === "json" || type === "xml" ? compileJsonPath(selector) : null,
  subject: null,
  ...changes,
})
const DECRYPT = { action: "decrypt" } as const
const HEADER_SUBJECT = { source: { type: "header", selector: "X-Person" }, path: null } as const
const JSON_SUBJECT = {
  source: { type: "json", selector: "$.person" },
  path: compileJsonPath("$.person"),
} as const

describe("the operations on a message", () => {
  test("of no selections touch nothing", () => {
    expect(compileOperations([])).toMatchObject({
      encrypts: false,
      decrypts: false,
      encryptsBody: false,
      touchesBody: false,
      watchesMethod: false,
      watchesFields: false,
      encryptsPatches: false,
      list: [],
      subjects: [],
      encryptedParameters: [],
    })
  })

  test.each<[SelectionType, boolean]>([
    ["json", true],
    ["xml", true],
    ["form", true],
    ["file", true],
    ["header", false],
    ["query", false],
  ])("say what a selection of type %s does with the body", (type, isOfBody) => {
    const selector = type === "json" || type === "xml" ? "$.a" : "a"
    expect(compileOperations([selectionOf(type, selector)])).toMatchObject({
      encrypts: true,
      decrypts: false,
      encryptsBody: isOfBody,
      touchesBody: isOfBody,
      watchesFields: type === "query",
    })
    expect(compileOperations([selectionOf(type, selector, DECRYPT)])).toMatchObject({
      encrypts: false,
      decrypts: true,
      encryptsBody: false,
      touchesBody: isOfBody,
      watchesFields: false,
    })
  })

  test("are grouped by their types, each with its place among all, and those that encrypt", () => {
    const { list, json, header, query, form, encryptedParameters } = compileOperations([
      selectionOf("json", "$.a", DECRYPT),
      selectionOf("query", "card"),
      selectionOf("json", "$.b"),
      selectionOf("query", "shown", DECRYPT),
    ])
    expect(list.map(({ index }) => index)).toEqual([0, 1, 2, 3])
    expect(json.operations.map(({ index }) => index)).toEqual([0, 2])
    expect([json.selectors.length, [...json.encrypting]]).toEqual([2, [1]])
    expect([query.selectors, [...query.encrypting]]).toEqual([["card", "shown"], [0]])
    expect(encryptedParameters).toEqual(["card"])
    expect([header.operations, form.operations]).toEqual([[], []])
  })

  test("watch fields where the method or an encrypted query asks for it", () => {
    expect(compileOperations([], { watchesMethod: true })).toMatchObject({
      watchesMethod: true,
      watchesFields: true,
    })
  })

  test("look for each data subject once, in the body if one is there", () => {
    const of = (subject: CompiledSelection["subject"]) => selectionOf("header", "x-card", { subject })
    const byHeader = compileOperations([of(HEADER_SUBJECT), of(HEADER_SUBJECT), of(null)])
    expect([byHeader.subjects, byHeader.touchesBody]).toEqual([[HEADER_SUBJECT], false])
    const byBody = compileOperations([of(HEADER_SUBJECT), of(JSON_SUBJECT)])
    expect([byBody.subjects, byBody.touchesBody]).toEqual([[HEADER_SUBJECT, JSON_SUBJECT], true])
  })

  test("protect the headers that are encrypted, describe an encrypted body or name a data subject", () => {
    const { protectedHeaders } = compileOperations([
      selectionOf("header", "X-Card"),
      selectionOf("header", "x_card"),
      selectionOf("header", "x-CARD"),
      selectionOf("header", "X-Shown", DECRYPT),
      selectionOf("form", "a", { subject: HEADER_SUBJECT }),
    ])
    expect(Object.fromEntries(protectedHeaders)).toEqual({
      "content-type": ["content-type"],
      "content-encoding": ["content-encoding"],
      "x-card": ["x-card", "x_card"],
      "x-person": ["x-person"],
    })
    expect(compileOperations([selectionOf("form", "a", DECRYPT)]).protectedHeaders.size).toBe(0)
  })

  test.each([
    ["$[*].value", true],
    ["$[?@.op == 'add'].value", true],
    ["$..value", true],
    ["$[*].*", true],
    ["$..*", true],
    ["$[*]['op','value']", true],
    ["$[*]", true],
    ["$[0].value", false],
    ["$.value", false],
    ["$[*].value.card", false],
    ["$[*].path", false],
    ["$.a[*].value", false],
    ["$", true],
  ])("encrypt the values of JSON patches by %s: %s", (selector, does) => {
    expect(compileOperations([selectionOf("json", selector)]).encryptsPatches).toBe(does)
    expect(compileOperations([selectionOf("json", selector, DECRYPT)]).encryptsPatches).toBe(false)
  })
})

import { describe, expect, test } from "vitest"
import { formFields, headerFields, jsonFields, MAX_FIELDS } from "./sample-fields.ts"

const shown = (text: string) =>
  jsonFields(text)?.map(({ path, depth, value, choices }) => [
    path,
    depth,
    value,
    choices.map(({ selector }) => selector),
  ])

describe("the fields of a sample", () => {
  test("have the paths and selectors of RFC 9535", () => {
    expect(shown('{"patients":[{"name":"Ann","it\'s":true}]}')).toEqual([
      ["$['patients']", 0, null, ["$.patients"]],
      ["$['patients'][0]", 1, null, ["$.patients[*]", "$.patients[0]"]],
      ["$['patients'][0]['name']", 2, '"Ann"', ["$.patients[*].name", "$.patients[0].name", "$..name"]],
      [
        "$['patients'][0]['it\\'s']",
        2,
        "true",
        ["$.patients[*]['it\\'s']", "$.patients[0]['it\\'s']", "$..['it\\'s']"],
      ],
    ])
  })

  test("show numbers with all of their digits", () => {
    expect(shown('{"n":12345678901234567890}')?.[0]?.[2]).toBe("12345678901234567890")
  })

  test("are the body itself when it is a single value, and none when it is not JSON", () => {
    expect(shown('"secret"')).toEqual([["$", 0, '"secret"', ["$"]]])
    expect(jsonFields("{")).toBeNull()
  })

  test("are bounded", () => {
    expect(jsonFields(JSON.stringify(Array.from({ length: 2 * MAX_FIELDS }, () => 1)))).toHaveLength(
      MAX_FIELDS,
    )
  })

  test("are those of forms, queries and headers by name", () => {
    expect(formFields("card=4242+4242&a%20b=1", "form").map(({ path, value }) => [path, value])).toEqual([
      ["card", "4242 4242"],
      ["a b", "1"],
    ])
    expect(headerFields({ "X-Card": "1" })[0]?.choices).toEqual([
      { label: "This header", type: "header", selector: "x-card" },
    ])
  })
})

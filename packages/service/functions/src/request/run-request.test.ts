import { readMembers } from "@sealway/kernel"
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { readRunRequest, wrapPayload } from "./run-request.ts"

describe("a run request", () => {
  test.each<[string, string, boolean]>([
    ['{"payload":{}}', "{}", false],
    [' { "payload" :\t{"a": 1.0e2 , "b":[ ] } , "async" : true } ', '{"a": 1.0e2 , "b":[ ] }', true],
    ['{"async":false,"payload":{"payload":{"async":1}}}', '{"payload":{"async":1}}', false],
    ['{"payload":{},"async":null}', "{}", false],
    ['{"\\u0070ayload":{"a":"}\\",{"}}', '{"a":"}\\",{"}', false],
  ])("keeps the payload byte for byte: %s", (text, payload, isAsync) => {
    const body = Buffer.from(text)
    const request = readRunRequest(body)
    expect(body.subarray(request.payload.start, request.payload.end).toString()).toBe(payload)
    expect(request.isAsync).toBe(isAsync)
  })

  test.each([
    "",
    "{",
    "null",
    "[]",
    '"payload"',
    "{}",
    '{"payload":null}',
    '{"payload":[]}',
    '{"payload":"x"}',
    '{"payload":{},"async":1}',
    '{"payload":{},"async":"true"}',
    '{"payload":{},"async":0}',
    '{"payload":{},"more":1}',
    '{"payload":{},"payload":{}}',
    '{"payload":{},"\\u0070ayload":{}}',
    '{"payload":{},"__proto__":{}}',
    `{"payload":${"[".repeat(101)}${"]".repeat(101)}}`,
  ])("is refused with invalid-request: %s", (text) => {
    expect(() => readRunRequest(Buffer.from(text))).toThrow(
      expect.objectContaining({ code: "invalid-request" }),
    )
  })
})

describe("a bare payload", () => {
  test.each([true, false])("becomes an asynchronous run request, byte for byte: %s", (isAsync) => {
    const payload = ' {"a": 1.0e2, "async": 5, "payload": {}}\n'
    const body = wrapPayload(Buffer.from(payload), isAsync)
    const request = readRunRequest(body)
    expect(body.subarray(request.payload.start, request.payload.end).toString()).toBe(payload.trim())
    expect(request.isAsync).toBe(isAsync)
  })

  test.each(["", "[]", "null", '"x"', '{},"async":true', "{}}", '{"a":1,"a":2}', "{} {}"])(
    "is refused with invalid-request, and cannot add to the request: %s",
    (text) => {
      expect(() => readRunRequest(wrapPayload(Buffer.from(text), false))).toThrow(
        expect.objectContaining({ code: "invalid-request" }),
      )
    },
  )
})

test("locates the fields of any object", () =>
  fc.assert(
    fc.property(
      fc.dictionary(fc.string(), fc.jsonValue()),
      fc.constantFrom(undefined, 1, "\t"),
      (object, space) => {
        const bytes = Buffer.from(JSON.stringify(object, null, space))
        const members = readMembers(bytes)
        expect([...(members?.keys() ?? [])].sort()).toEqual(Object.keys(object).sort())
        for (const [name, { start, end }] of members ?? []) {
          expect(bytes.toString("utf8", start, end)).toBe(bytes.toString("utf8", start, end).trim())
          expect(JSON.parse(bytes.toString("utf8", start, end))).toEqual(
            JSON.parse(JSON.stringify(object[name])),
          )
        }
      },
    ),
  ))

import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { failure, keepable, outcomeMembers, outcomeOf, statusOfMembers } from "./outcome.ts"

const answered = (text: string) => outcomeOf({ kind: "answered", answer: Buffer.from(text) }, 256)

describe("an outcome", () => {
  test("has the result byte for byte", () => {
    const outcome = answered('{"result" : {"a": 1.0, "b":[12345678901234567890]} ,"status":"success"}')
    expect(outcome).toEqual({
      status: "success",
      result: Buffer.from('{"a": 1.0, "b":[12345678901234567890]}'),
    })
  })

  test.each([
    "",
    "null",
    "[]",
    "{",
    '"success"',
    '{"status":"success"}',
    '{"status":"other","result":1}',
    '{"status":"failure"}',
    '{"status":"failure","error":{"message":1,"stack":""}}',
    '{"status":"success","status":"success","result":1}',
  ])("is a failure when the wrapper would never write it: %s", (text) => {
    expect(answered(text)).toMatchObject({
      status: "failure",
      error: { message: "The function's result is not readable." },
    })
  })

  test.each([
    ["The function failed to initialise: no settings", "Error: no settings\n    at index.mjs:1:7"],
    ["no settings", "Error: no settings\n    at index.mjs:1:7"],
    ["The function failed to initialise: no settings", ""],
  ])("of code that does not load has a fixed message, and the reason in its stack: %s", (message, stack) => {
    const outcome = answered(
      JSON.stringify({ status: "failure", error: { message, stack }, initialisation: true }),
    )
    expect(outcome).toEqual({
      status: "failure",
      error: {
        message:
          "The function failed to initialize. This error is commonly encountered when there are problems with the function code (e.g. a syntax error) or when a required import is missing.",
        stack: stack === "" ? "no settings" : stack,
      },
    })
  })

  test("of code that fails later keeps its own message", () => {
    const error = { message: "The function failed to initialise: x", stack: "" }
    const outcome = answered(JSON.stringify({ status: "failure", error, initialisation: false }))
    expect(outcome).toEqual({ status: "failure", error })
  })

  test("truncates an error to the size that can be stored", () => {
    const long = "x".repeat(100_000)
    const outcome = answered(JSON.stringify({ status: "failure", error: { message: long, stack: long } }))
    expect(outcome && outcomeMembers(outcome).length).toBeLessThan(21_000)
  })

  test("is a failure when it is one byte larger than can be stored", () => {
    const outcome = { status: "success", result: Buffer.from('"xx"') } as const
    const bytes = outcomeMembers(outcome).length
    expect(keepable(outcome, bytes)).toBe(outcome)
    expect(keepable(outcome, bytes - 1)).toMatchObject({ status: "failure" })
  })

  test("does not exist when the code did not finish", () => {
    expect(outcomeOf({ kind: "timed-out", isStopped: true }, 256)).toBeNull()
    for (const kind of ["not-ready", "busy", "absent", "payload-too-large"] as const) {
      expect(outcomeOf({ kind }, 256)).toBeNull()
    }
  })

  test("shows its status when written as JSON fields, whatever it contains", () =>
    fc.assert(
      fc.property(fc.jsonValue(), fc.string(), (result, message) => {
        const text = JSON.stringify(result)
        const success = outcomeMembers({ status: "success", result: Buffer.from(text) })
        expect(JSON.parse(`{${success}}`)).toEqual({ status: "success", result: JSON.parse(text) })
        expect(statusOfMembers(success)).toBe("success")
        expect(statusOfMembers(outcomeMembers(failure(message)))).toBe("failure")
      }),
    ))
})

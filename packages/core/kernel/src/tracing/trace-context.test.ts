import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { childTraceparent, readTraceContext } from "./trace-context.ts"

const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
const PARENT = "00f067aa0ba902b7"
const VALID = `00-${TRACE}-${PARENT}-01`

describe("a trace context", () => {
  test("is read from the example of the recommendation", () => {
    expect(readTraceContext(VALID, "congo=t61rcWkgMzE")).toEqual({
      traceId: TRACE,
      flags: 1,
      tracestate: "congo=t61rcWkgMzE",
    })
  })

  test.each([
    ["no version", `${TRACE}-${PARENT}-01`],
    ["version ff", `ff-${TRACE}-${PARENT}-01`],
    ["more than version 00 has", `${VALID}-00`],
    ["a trace id of zeros", `00-${"0".repeat(32)}-${PARENT}-01`],
    ["a parent id of zeros", `00-${TRACE}-${"0".repeat(16)}-01`],
    ["upper case", `00-${TRACE.toUpperCase()}-${PARENT}-01`],
    ["a short trace id", `00-${TRACE.slice(1)}-${PARENT}-01`],
    ["no flags", `00-${TRACE}-${PARENT}`],
    ["two headers", `${VALID},${VALID}`],
    ["a space", ` ${VALID}`],
    ["a line break", `${VALID}\n`],
    ["a later version without a separator", `01-${TRACE}-${PARENT}-01.x`],
    ["nothing", ""],
    ["600 characters", `01-${TRACE}-${PARENT}-01-${"x".repeat(545)}`],
  ])("does not exist with %s", (_, traceparent) => {
    expect(readTraceContext(traceparent, "a=1")).toBeNull()
  })

  test("is read as far as it is known from a later version, and passed on in version 00", () => {
    const context = readTraceContext(`cc-${TRACE}-${PARENT}-ff-what-comes-later`, undefined)
    expect(context).toEqual({ traceId: TRACE, flags: 3, tracestate: null })
    expect(context && childTraceparent(context)).toMatch(new RegExp(`^00-${TRACE}-[0-9a-f]{16}-03$`))
  })

  test("has a new parent for each child", () => {
    const children = Array.from({ length: 100 }, () => childTraceparent({ traceId: TRACE, flags: 0 }))
    expect(new Set(children).size).toBe(100)
    for (const child of children) expect(readTraceContext(child, undefined)).toMatchObject({ traceId: TRACE })
  })

  test.each([
    ["a=1,b=2", "a=1,b=2"],
    [" a=1 ,\tb=2,,", "a=1,b=2"],
    ["0tenant@vendor=x y", "0tenant@vendor=x y"],
    ["a=1,a=2", null],
    ["A=1", null],
    ["a=1=2", null],
    ["a=", null],
    ["a", null],
    ["", null],
    ["a=\u0000", null],
    [Array.from({ length: 33 }, (_, index) => `k${index}=v`).join(), null],
    [Array.from({ length: 32 }, (_, index) => `k${index}=v`).join(), expect.any(String)],
    [`a=${"x".repeat(256)},b=${"x".repeat(253)}`, null],
    [`a=${"x".repeat(255)},b=${"x".repeat(252)}`, expect.any(String)],
  ])("keeps the state %j as %j", (given, kept) => {
    expect(readTraceContext(VALID, given)?.tracestate).toEqual(kept)
  })

  test("is read from any text in bounded time, without an error", () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 600 }), fc.string({ maxLength: 600 }), (traceparent, tracestate) => {
        readTraceContext(traceparent, tracestate)
        readTraceContext(VALID, tracestate)
      }),
    )
  })
})

import { describe, expect, it } from "vitest"
import { readRequestHeaders } from "./request-headers.ts"

describe("request headers", () => {
  it("have lower-case names, and duplicates joined with a comma", () => {
    const { fields } = readRequestHeaders(["X-Probe", "first", "Accept", "*/*", "x-probe", "second"])
    expect({ ...fields }).toEqual({ "x-probe": "first,second", accept: "*/*" })
  })

  it("keep empty values", () => {
    expect({ ...readRequestHeaders(["X-Empty", "", "X-Empty", ""]).fields }).toEqual({ "x-empty": "," })
  })

  it("are separate from cookies, whether these came in one header or in several", () => {
    const { fields, cookies } = readRequestHeaders([
      "Cookie",
      "a=1; b=2;c=3",
      "Host",
      "x",
      "cookie",
      "d=4;; ",
    ])
    expect(cookies).toEqual(["a=1", "b=2", "c=3", "d=4"])
    expect(Object.keys(fields)).toEqual(["host"])
  })

  it("have no cookies when none were sent", () => {
    expect(readRequestHeaders(["Host", "x"]).cookies).toBeUndefined()
  })

  it("count Host headers", () => {
    expect(readRequestHeaders([]).hostCount).toBe(0)
    expect(readRequestHeaders(["Host", "a", "host", "b"]).hostCount).toBe(2)
  })

  it("treat names of Object.prototype as ordinary names, and inherit nothing", () => {
    const { fields } = readRequestHeaders(["__proto__", "a", "Constructor", "b", "__proto__", "c"])
    expect(Object.entries(fields)).toEqual([
      ["__proto__", "a,c"],
      ["constructor", "b"],
    ])
    expect(fields.toString).toBeUndefined()
  })
})

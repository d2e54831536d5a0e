import { describe, expect, test } from "vitest"
import { inboundRequestOf, parseFunctionUrlEvent } from "./function-url-event.ts"

const eventWith = (headers: unknown) => ({
  version: "2.0",
  rawPath: "/",
  rawQueryString: "",
  headers,
  requestContext: { domainName: "a.example", http: { method: "GET", sourceIp: "192.0.2.1" } },
})

describe("the headers of a function URL's event", () => {
  test("are all kept, whatever their names", () => {
    const headers: unknown = JSON.parse('{"a":"1","__proto__":"2","constructor":"3"}')
    const { rawHeaders } = inboundRequestOf(parseFunctionUrlEvent(eventWith(headers)), {
      id: "1",
      signal: new AbortController().signal,
    })
    expect(rawHeaders).toEqual(["a", "1", "__proto__", "2", "constructor", "3"])
  })

  test.each([null, "text", { a: 1 }, { a: null }, undefined])("are refused when they are %j", (headers) => {
    expect(() => parseFunctionUrlEvent(eventWith(headers))).toThrow()
  })
})

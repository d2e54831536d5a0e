import { describe, expect, it } from "vitest"
import { InvalidResultError, readProxyResult, readProxyResultInSteps } from "./proxy-result.ts"

const MAX_BYTES = 1000

describe("a result with a statusCode", () => {
  it("is the response that it describes", () => {
    const result = {
      statusCode: 201,
      headers: { "X-Count": 3, "x-flag": true },
      cookies: ["a=1"],
      body: "done",
    }
    expect(readProxyResult(result, MAX_BYTES)).toEqual({
      statusCode: 201,
      headers: new Map([
        ["x-count", "3"],
        ["x-flag", "true"],
        ["content-type", "text/plain; charset=utf-8"],
      ]),
      cookies: ["a=1"],
      body: "done",
    })
  })

  it("is decoded in steps when it is large", () => {
    const bytes = Buffer.alloc(3_000_000, "sealway")
    const result = { statusCode: 200, body: bytes.toString("base64"), isBase64Encoded: true }
    const work = readProxyResultInSteps(result, 10_000_000)
    let steps = 0
    let read = work.next()
    for (; read.done !== true; read = work.next()) steps++
    expect([steps, bytes.equals(Buffer.from(read.value.body))]).toEqual([3, true])
  })

  it("may hold a body in base64", () => {
    const result = { statusCode: 200, body: "AP8=", isBase64Encoded: true }
    expect(readProxyResult(result, MAX_BYTES).body).toEqual(Buffer.from([0, 255]))
  })

  it("may contain nothing else", () => {
    const { body, cookies } = readProxyResult(
      { statusCode: 404, headers: null, cookies: null, body: null },
      MAX_BYTES,
    )
    expect({ body, cookies }).toEqual({ body: "", cookies: [] })
  })

  it("cannot control the connection or the length of the body", () => {
    const headers = {
      Connection: "close",
      "Content-Length": "1",
      "Transfer-Encoding": "chunked",
      "Keep-Alive": "timeout=1",
      Upgrade: "x",
      Trailer: "x",
      TE: "x",
    }
    expect([...readProxyResult({ statusCode: 200, headers }, MAX_BYTES).headers.keys()]).toEqual([
      "content-type",
    ])
  })

  it("sets a cookie from its headers too", () => {
    const result = { statusCode: 200, headers: { "Set-Cookie": "b=2; Path=/" }, cookies: ["a=1"] }
    expect(readProxyResult(result, MAX_BYTES).cookies).toEqual(["a=1", "b=2; Path=/"])
  })

  it("joins the values of names that differ only in case", () => {
    const result = { statusCode: 200, headers: { Vary: "Accept", vary: "Origin", "x-none": undefined } }
    expect(readProxyResult(result, MAX_BYTES).headers.get("vary")).toBe("Accept,Origin")
  })

  it("ignores multiValueHeaders, which format 2.0 does not have", () => {
    const result = { statusCode: 200, multiValueHeaders: { "x-a": ["1", "2"] } }
    expect(readProxyResult(result, MAX_BYTES).headers.has("x-a")).toBe(false)
  })

  it.each([204, 304])("gets no content type with status %i", (statusCode) => {
    expect(readProxyResult({ statusCode }, MAX_BYTES).headers.size).toBe(0)
  })

  it("treats names of Object.prototype as ordinary headers", () => {
    const headers: unknown = JSON.parse('{"__proto__": "a", "constructor": "b"}')
    const fields = readProxyResult({ statusCode: 200, headers }, MAX_BYTES).headers
    expect([fields.get("__proto__"), fields.get("constructor")]).toEqual(["a", "b"])
  })
})

describe("a result without statusCode", () => {
  it.each([
    [{ message: "Hello" }, '{"message":"Hello"}'],
    [[1, 2], "[1,2]"],
    ["Hello from Lambda!", "Hello from Lambda!"],
    ["", ""],
    [42, "42"],
    [true, "true"],
    [null, "null"],
    [undefined, "null"],
    [{ statusCode: undefined, body: "x" }, '{"body":"x"}'],
  ])("is JSON with status 200: %j", (result, body) => {
    expect(readProxyResult(result, MAX_BYTES)).toEqual({
      statusCode: 200,
      headers: new Map([["content-type", "application/json"]]),
      cookies: [],
      body,
    })
  })
})

describe("refuses with InvalidResultError", () => {
  it.each([
    ["a statusCode that is a string", { statusCode: "200" }],
    ["a statusCode that is a fraction", { statusCode: 200.5 }],
    ["a statusCode that is null", { statusCode: null }],
    ["an interim statusCode", { statusCode: 101 }],
    ["a statusCode above 599", { statusCode: 600 }],
    ["a body that is an object", { statusCode: 200, body: { a: 1 } }],
    [
      "a body that is not base64, though it says so",
      { statusCode: 200, body: "a.b=", isBase64Encoded: true },
    ],
    ["isBase64Encoded that is not a boolean", { statusCode: 200, isBase64Encoded: "true" }],
    ["headers that are a list", { statusCode: 200, headers: [] }],
    ["a header that is a list", { statusCode: 200, headers: { a: ["b"] } }],
    ["cookies that are not a list", { statusCode: 200, cookies: "a=1" }],
    ["a cookie that is not a string", { statusCode: 200, cookies: [1] }],
  ])("%s", (_, result) => {
    expect(() => readProxyResult(result, MAX_BYTES)).toThrow(InvalidResultError)
  })

  it.each([
    ["text that JSON makes larger", { statusCode: 200, body: '"'.repeat(MAX_BYTES / 2) }],
    ["headers", { statusCode: 200, headers: { a: "b".repeat(MAX_BYTES) } }],
    ["base64", { statusCode: 200, body: "a".repeat(MAX_BYTES), isBase64Encoded: true }],
    ["an object without statusCode", { a: "b".repeat(MAX_BYTES) }],
  ])("results beyond the limit, in %s", (_, result) => {
    expect(() => readProxyResult(result, MAX_BYTES)).toThrow(InvalidResultError)
  })

  it("nothing that is just within the limit", () => {
    const result = { statusCode: 200, headers: {}, cookies: [], body: "", isBase64Encoded: false }
    const body = "a".repeat(MAX_BYTES - JSON.stringify(result).length)
    expect(readProxyResult({ ...result, body }, MAX_BYTES).body).toBe(body)
    expect(() => readProxyResult({ ...result, body: `${body}a` }, MAX_BYTES)).toThrow(InvalidResultError)
  })
})

it("throws what JSON.stringify throws for a result that JSON cannot represent", () => {
  expect(() => readProxyResult({ amount: 1n }, MAX_BYTES)).toThrow(TypeError)
})

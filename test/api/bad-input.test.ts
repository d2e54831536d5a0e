import { describe, expect, test } from "vitest"
import { expectProblem } from "../support/problem.ts"
import { useService } from "../support/service.ts"

const service = useService()
const DOCUMENT_PATHS = ["/encrypt", "/decrypt", "/rewrap"]
const OBJECT_PATHS = ["/fingerprint", "/inspect"]
const PATHS = [...DOCUMENT_PATHS, ...OBJECT_PATHS]
const MEBIBYTE = 1024 * 1024

describe.each(PATHS)("POST %s", (path) => {
  test.each([
    ["an unclosed object", '{"a":1'],
    ["a trailing comma", "[1,]"],
    ["a bare word", "secret"],
    ["two documents", "{}{}"],
    ["single quotes", "{'a':1}"],
    ["a byte order mark", "\ufeff{}"],
    ["a control character in a string", '"\u0001"'],
    ["a number with a leading zero", "01"],
    ["NaN", "NaN"],
    ["white space alone", " \n "],
  ])("refuses %s with invalid-request", async (_what, body) => {
    const answer = await service.post(path, body)
    expectProblem(answer, "invalid-request")
    expect(answer.text).not.toContain("secret")
  })

  test("refuses an empty body with invalid-request", async () => {
    expectProblem(await service.post(path, ""), "invalid-request")
  })

  test("refuses bytes that are not UTF-8 with invalid-request", async () => {
    expectProblem(await service.post(path, Buffer.from([0x22, 0xff, 0xfe, 0x22])), "invalid-request")
    expectProblem(await service.post(path, Buffer.from([0x22, 0xc0, 0x80, 0x22])), "invalid-request")
  })

  test("refuses nesting of 101 levels with invalid-request", async () => {
    expectProblem(await service.post(path, "[".repeat(101) + "]".repeat(101)), "invalid-request")
    expectProblem(await service.post(path, '{"a":'.repeat(50_000)), "invalid-request")
  })

  test.each([
    null,
    "text/plain",
    "application/xml",
    "application/json; charset=utf-16",
    "nonsense",
    "application/jsonx",
  ])("refuses the content type %j with unsupported-media-type", async (contentType) => {
    expectProblem(await service.post(path, Buffer.from('"x"'), { contentType }), "unsupported-media-type")
  })

  test("refuses a compressed body with unsupported-media-type", async () => {
    const answer = await service.post(path, '"x"', { headers: { "content-encoding": "gzip" } })
    expectProblem(answer, "unsupported-media-type")
  })

  test("refuses JSON of more than 5 MB with payload-too-large", async () => {
    expectProblem(await service.post(path, `"${"a".repeat(5 * MEBIBYTE - 1)}"`), "payload-too-large")
  })
})

describe("documents", () => {
  test.each(DOCUMENT_PATHS)("of exactly 5 MB, and 100 levels, are taken by %s", async (path) => {
    expect((await service.post(path, `[${" ".repeat(5 * MEBIBYTE - 2)}]`)).status).toBe(200)
    expect((await service.post(path, "[".repeat(100) + "]".repeat(100))).status).toBe(200)
  })

  test("with a lone surrogate are refused by /encrypt with its place, and never mangled", async () => {
    const answer = await service.post("/encrypt", '{"a":["fine","\\ud800"]}')
    expectProblem(answer, "invalid-request")
    expect(answer.json).toMatchObject({ fields: [{ pointer: "/a/1" }] })
  })

  test("keep a lone surrogate in a name", async () => {
    const encrypted = await service.post("/encrypt", '{"\\ud800":"x"}')
    expect((await service.post("/decrypt", encrypted.text)).text).toBe('{"\\ud800":"x"}')
  })
})

describe("files", () => {
  const octets = { contentType: "application/octet-stream" }

  test("of 25 MB are taken, and come back", async () => {
    const file = Buffer.alloc(25 * MEBIBYTE, 7)
    const encrypted = await service.post("/encrypt", file, octets)
    expect(encrypted.status).toBe(200)
    expect((await service.post("/decrypt", encrypted.bytes, octets)).bytes.equals(file)).toBe(true)
  })

  test("of more are refused with payload-too-large, and both limits are told", async () => {
    const answer = await service.post("/encrypt", Buffer.alloc(25 * MEBIBYTE + 100), octets)
    expectProblem(answer, "payload-too-large")
    expect(answer.json).toMatchObject({ detail: expect.stringMatching(/4\.5 MB.*25 MB/) })
  })

  test("are refused where only JSON is taken", async () => {
    for (const path of OBJECT_PATHS) {
      expectProblem(await service.post(path, Buffer.from("x"), octets), "unsupported-media-type")
    }
  })

  test("that are empty are refused with invalid-request", async () => {
    expectProblem(await service.post("/encrypt", "", octets), "invalid-request")
  })
})

describe("paths and methods", () => {
  test("that do not exist answer not-found", async () => {
    for (const path of [
      "/",
      "/encrypts",
      "/encrypt/",
      "/Encrypt",
      "/v1/encrypt",
      "/encrypt%2f..",
      "/__proto__",
    ]) {
      expectProblem(await service.get(path), "not-found")
    }
  })

  test("that do not go together answer method-not-allowed with Allow", async () => {
    const answer = await service.get("/encrypt")
    expectProblem(answer, "method-not-allowed")
    expect(answer.headers.get("allow")).toMatch(/POST/)
  })
})

import { parseToken } from "@sealway/tokens"
import fc from "fast-check"
import { beforeAll, describe, expect, test } from "vitest"
import { expectProblem } from "../support/problem.ts"
import { useService } from "../support/service.ts"

const service = useService()
const encrypt = (body: unknown, options = {}) => service.post("/encrypt", body, options)
const decrypt = (body: unknown, options = {}) => service.post("/decrypt", body, options)

beforeAll(() => service.newRole(service.sandbox.app, "pci"))

describe("POST /encrypt", () => {
  test("replaces strings, numbers and booleans by tokens and keeps the shape", async () => {
    const answer = await encrypt('{"b": "x", "a": [1, true, null, {}, []], "10": {"9": "y"}, "2": ""}')
    expect(answer.status).toBe(200)
    expect(answer.headers.get("content-type")).toBe("application/json")
    expect(answer.headers.get("cache-control")).toBe("no-store")
    expect(answer.text.replace(/"ev:[^"]*"/g, "T")).toBe(
      '{"b": T, "a": [T, T, null, {}, []], "10": {"9": T}, "2": T}',
    )
  })

  test.each(['"text"', "1", "true", '[["a"]]', "null", "{}", "[]"])(
    "accepts %s as a whole body",
    async (body) => {
      const encrypted = await encrypt(body)
      expect(encrypted.status).toBe(200)
      expect((await decrypt(encrypted.text)).text).toBe(body)
    },
  )

  test("marks numbers and booleans, and sandbox tokens", async () => {
    const { json } = await encrypt(["a", 1, true])
    expect(json).toEqual([
      expect.stringMatching(/^ev:debug:Tk9D:[A-Za-z0-9+/]{16}:/),
      expect.stringMatching(/^ev:debug:Tk9D:number:/),
      expect.stringMatching(/^ev:debug:Tk9D:boolean:/),
    ])
    const production = await encrypt('"a"', { auth: service.production.auth })
    expect(production.json).toEqual(expect.stringMatching(/^ev:Tk9D:/))
  })

  test.each(["12345678901234567890", "1.0", "-0", "1e400", "0.1000", "9007199254740993", "1E+2"])(
    "keeps the digits of %s in both directions",
    async (literal) => {
      const encrypted = await encrypt(`{"n":${literal}}`)
      expect((await decrypt(encrypted.text)).text).toBe(`{"n":${literal}}`)
    },
  )

  test("round-trips any JSON document, value for value", async () => {
    await fc.assert(
      fc.asyncProperty(fc.jsonValue({ maxDepth: 4 }), async (value) => {
        const encrypted = await encrypt(JSON.stringify(value))
        expect((await decrypt(encrypted.text)).text).toBe(JSON.stringify(value))
      }),
      { numRuns: 50 },
    )
  })

  test("never seals two values to the same token", async () => {
    const { json } = await encrypt(Array(100).fill("same"))
    expect(new Set(json as string[]).size).toBe(100)
  })

  test("keeps existing tokens: alone, among other values, and escaped", async () => {
    const token = String((await encrypt('"secret"')).json)
    expect((await encrypt(JSON.stringify(token))).text).toBe(JSON.stringify(token))
    const escaped = `"${token.replace("ev:", "\\u0065v:")}"`
    const mixed = await encrypt(`{"old":"${token}","escaped":${escaped},"new":"x"}`)
    expect(mixed.text.startsWith(`{"old":"${token}","escaped":${escaped},"new":"ev:`)).toBe(true)
  })

  test.each([
    "ev:",
    "ev:not a token",
    "ev:Tk9D:x:$",
    "ev:debug:Tk9D:AAAA:AAAA:AAAA:",
    "EV:TK9D:AAAA:AAAA:AAAA:$",
  ])("encrypts %j, which only looks like a token", async (text) => {
    const encrypted = await encrypt([text])
    expect(encrypted.text).toMatch(/^\["ev:debug:Tk9D:/)
    expect((await decrypt(encrypted.text)).json).toEqual([text])
  })

  test("treats __proto__, constructor and duplicate names as data like any other", async () => {
    const body = '{"__proto__":{"admin":true},"constructor":{"prototype":1},"a":"x","a":"y"}'
    const encrypted = await encrypt(body)
    expect(encrypted.text.replace(/"ev:[^"]*"/g, "T")).toBe(
      '{"__proto__":{"admin":T},"constructor":{"prototype":T},"a":T,"a":T}',
    )
    expect((await decrypt(encrypted.text)).text).toBe(body)
  })

  test("seals the data role of X-Service-Data-Role into every value", async () => {
    const { json } = await encrypt(["a", 1], { headers: { "X-Service-Data-Role": "pci" } })
    const versions = (json as string[]).map((token) => parseToken(token)?.version)
    expect(versions).toEqual(["QkTC", "QkTC"])
    const inspected = await service.post("/fingerprint", { token: (json as string[])[0] })
    expect(inspected.json).toMatchObject({ role: "pci", type: "string" })
  })

  test.each(["no-such-role", "PCI", "../pci", "", "a".repeat(21), "__proto__"])(
    "refuses the data role %j, which the app does not have, with invalid-request",
    async (slug) => {
      const answer = await encrypt('"a"', { headers: { "x-service-data-role": slug } })
      expectProblem(answer, "invalid-request")
      expect(answer.json).toMatchObject({ fields: [{ pointer: "/headers/x-service-data-role" }] })
    },
  )

  test("refuses another app's data role", async () => {
    const answer = await encrypt('"a"', {
      auth: service.production.auth,
      headers: { "x-service-data-role": "pci" },
    })
    expectProblem(answer, "invalid-request")
  })

  test("encrypts files, which decrypt to the same bytes", async () => {
    for (const size of [1, 15, 16, 17, 65_536, 1_000_003]) {
      const file = Buffer.alloc(size, "sealway\0")
      const encrypted = await encrypt(file, { contentType: "application/octet-stream" })
      expect(encrypted.headers.get("content-type")).toBe("application/octet-stream")
      expect(encrypted.bytes.subarray(0, 7)).toEqual(Buffer.from("%EVENC\x03"))
      expect(encrypted.bytes.length).toBe(size + 75)
      const decrypted = await decrypt(encrypted.bytes, { contentType: "application/octet-stream" })
      expect(decrypted.bytes.equals(file)).toBe(true)
    }
  })

  test("leaves an encrypted file unchanged, and encrypts a file that only begins like one", async () => {
    const octets = { contentType: "application/octet-stream" }
    const once = await encrypt(Buffer.from("file"), octets)
    expect((await encrypt(once.bytes, octets)).bytes.equals(once.bytes)).toBe(true)
    const lookAlike = Buffer.from("%EVENC\x03 but no more than that")
    expect((await encrypt(lookAlike, octets)).bytes.length).toBe(lookAlike.length + 75)
  })

  test("refuses a data role on a file with invalid-request", async () => {
    const answer = await encrypt(Buffer.from("file"), {
      contentType: "application/octet-stream",
      headers: { "x-service-data-role": "pci" },
    })
    expectProblem(answer, "invalid-request")
  })

  test("accepts application/json with a charset, and +json types", async () => {
    for (const contentType of [
      "application/json; charset=utf-8",
      "Application/JSON",
      "application/vnd.api+json",
    ]) {
      expect((await encrypt('"a"', { contentType })).status).toBe(200)
    }
  })
})

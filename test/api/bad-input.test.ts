import { MAX_JSON_BYTES, MAX_SEALED_JSON_BYTES } from "@sealway/http"
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

  test("refuses JSON beyond the size limit with payload-too-large", async () => {
    const most = path === "/encrypt" ? MAX_JSON_BYTES : MAX_SEALED_JSON_BYTES
    expectProblem(await service.post(path, `"${"a".repeat(most - 1)}"`), "payload-too-large")
  })
})

describe("documents", () => {
  test.each(DOCUMENT_PATHS)("of exactly 5 MB and 100 levels are accepted by %s", async (path) => {
    expect((await service.post(path, `[${" ".repeat(5 * MEBIBYTE - 2)}]`)).status).toBe(200)
    expect((await service.post(path, "[".repeat(100) + "]".repeat(100))).status).toBe(200)
  })

  test("of one value of the largest size come back, with and without a role", async () => {
    await service.post("/data-roles", { slug: "a".repeat(20), name: "Longest" })
    await service.post("/data-policies", {
      name: "All",
      effect: "permit",
      roles: ["a".repeat(20)],
      conditions: {},
    })
    for (const [literal, headers] of [
      [`"${"a".repeat(5 * MEBIBYTE - 2)}"`, {}],
      ["7".repeat(5 * MEBIBYTE), { "x-service-data-role": "a".repeat(20) }],
    ] as const) {
      const encrypted = await service.post("/encrypt", literal, { headers })
      expect([encrypted.status, encrypted.text.length > 5 * MEBIBYTE]).toEqual([200, true])
      const token = encrypted.text
      expect((await service.post("/rewrap", token)).status).toBe(200)
      expect((await service.post("/fingerprint", `{"token":${token}}`)).status).toBe(200)
      const decrypted = await service.post("/decrypt", token)
      expect([decrypted.status, decrypted.text === literal]).toEqual([200, true])
      const bound = await service.post(
        "/client-side-tokens",
        `{"action":"api:decrypt","payload":{"v":${token}}}`,
      )
      expect(bound.status).toBe(201)
    }
  })

  test("larger than the token of any value are refused with payload-too-large", async () => {
    const body = (bytes: number) => `"${"a".repeat(bytes - 2)}"`
    for (const path of ["/decrypt", "/rewrap"]) {
      expect((await service.post(path, body(MAX_SEALED_JSON_BYTES))).status).toBe(200)
      expectProblem(await service.post(path, body(MAX_SEALED_JSON_BYTES + 1)), "payload-too-large")
    }
  })

  test("with a lone surrogate are refused by /encrypt with its place, never mangled", async () => {
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

  test("of 25 MB are accepted and come back", async () => {
    const file = Buffer.alloc(25 * MEBIBYTE, 7)
    const encrypted = await service.post("/encrypt", file, octets)
    expect(encrypted.status).toBe(200)
    expect((await service.post("/decrypt", encrypted.bytes, octets)).bytes.equals(file)).toBe(true)
  })

  test.each([1, 75, 76, 100])(
    "of %d bytes more are refused with payload-too-large, and both limits are named",
    async (more) => {
      const answer = await service.post("/encrypt", Buffer.alloc(25 * MEBIBYTE + more), octets)
      expectProblem(answer, "payload-too-large")
      expect(answer.json).toMatchObject({ detail: expect.stringMatching(/25 MB.*4\.5 million bytes/) })
    },
  )

  test("already encrypted stay unchanged, and one of the largest can be sealed again", async () => {
    const encrypted = await service.post("/encrypt", Buffer.alloc(25 * MEBIBYTE), octets)
    const again = await service.post("/encrypt", encrypted.bytes, octets)
    expect(again.bytes.equals(encrypted.bytes)).toBe(true)
    expect((await service.post("/rewrap", encrypted.bytes, octets)).status).toBe(200)
  })

  test("are refused where only JSON is accepted", async () => {
    for (const path of OBJECT_PATHS) {
      expectProblem(await service.post(path, Buffer.from("x"), octets), "unsupported-media-type")
    }
  })

  test("without content are encrypted to 75 bytes and come back empty", async () => {
    const encrypted = await service.post("/encrypt", "", octets)
    expect([encrypted.status, encrypted.bytes.length]).toEqual([200, 75])
    for (const path of ["/rewrap", "/encrypt"]) {
      expect((await service.post(path, encrypted.bytes, octets)).bytes.length).toBe(75)
    }
    const decrypted = await service.post("/decrypt", encrypted.bytes, octets)
    expect([decrypted.status, decrypted.bytes.length]).toEqual([200, 0])
  })

  test("without content are not encrypted files, and what opens those refuses them with invalid-request", async () => {
    for (const path of ["/decrypt", "/rewrap"]) {
      expectProblem(await service.post(path, "", octets), "invalid-request")
    }
  })
})

describe("paths and methods", () => {
  test("that do not exist answer not-found", async () => {
    for (const path of ["/encrypts", "/Encrypt", "/v1/encrypt", "/encrypt%2f..", "/__proto__"]) {
      expectProblem(await service.get(path), "not-found")
    }
  })

  test("that do not fit each other answer method-not-allowed with Allow", async () => {
    const answer = await service.get("/encrypt")
    expectProblem(answer, "method-not-allowed")
    expect(answer.headers.get("allow")).toBe("POST")
    const ofSchema = await service.post("/data-policies/schema", {})
    expectProblem(ofSchema, "method-not-allowed")
    expect(ofSchema.headers.get("allow")).toBe("GET, HEAD")
  })

  test("with a slash too many at the end are not found, and named without it", async () => {
    const answer = await service.post("/encrypt/", '"x"')
    expectProblem(answer, "not-found")
    expect(answer.json).toMatchObject({ detail: expect.stringContaining("Use /encrypt, without") })
  })
})

describe("a refusal", () => {
  test("lists the allowed fields instead of an unknown one, which it does not repeat", async () => {
    const answer = await service.post("/data-roles", { slug: "a", name: "A", "marker-7f3a": 1 })
    expectProblem(answer, "invalid-request")
    expect(answer.json).toMatchObject({
      fields: [
        { pointer: "", reason: expect.stringMatching(/^Unknown field\. Allowed fields: slug, name, /) },
      ],
    })
    expect(answer.text).not.toContain("marker-7f3a")
  })

  test("lists, for unauthorized, the credentials that the endpoint accepts and no others", async () => {
    const ofApp = await service.post("/decrypt", '"x"', { auth: null })
    expectProblem(ofApp, "unauthorized")
    expect(ofApp.json).toMatchObject({
      detail: expect.stringMatching(/an app's API key.*a client-side token/),
    })
    expect(ofApp.text).not.toContain("team key")
    const ofTeam = await service.get("/team", { auth: null })
    expect(ofTeam.json).toMatchObject({ detail: expect.stringContaining("a team key") })
    expect(ofTeam.text).not.toContain("app's API key")
  })
})

describe("HEAD", () => {
  test("answers like GET wherever GET works, without the body", async () => {
    for (const path of [
      "/health",
      "/openapi.json",
      "/keys",
      "/data-roles",
      "/apps/nothing",
      "/data-policies?limit=0",
    ]) {
      const options = path.startsWith("/apps") ? { auth: service.team.auth } : {}
      const [got, asked] = [await service.get(path, options), await service.head(path, options)]
      expect({ path, status: asked.status, text: asked.text }).toEqual({ path, status: got.status, text: "" })
      expect(asked.headers.get("content-type")).toBe(got.headers.get("content-type"))
      expect(asked.headers.get("content-length")).toBe(String(Buffer.byteLength(got.text)))
    }
  })
})

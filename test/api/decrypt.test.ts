import { createSealingKey } from "@sealway/tokens"
import fc from "fast-check"
import { beforeAll, describe, expect, test } from "vitest"
import { newAppWithRole, policyOf } from "../support/policies.ts"
import { expectProblem } from "../support/problem.ts"
import { useService } from "../support/service.ts"

const service = useService()
const encryptOne = async (value: unknown, options = {}) =>
  String((await service.post("/encrypt", JSON.stringify(value), options)).json)
const decrypt = (body: unknown, options = {}) => service.post("/decrypt", body, options)
const octets = { contentType: "application/octet-stream" }

beforeAll(() => service.newRole(service.sandbox.app, "pci"))

describe("POST /decrypt", () => {
  test("returns typed values for tokens, and everything else as it was sent, byte for byte", async () => {
    const [text, number, yes] = [await encryptOne('é\n"✓'), await encryptOne(1.5), await encryptOne(true)]
    const answer = await decrypt(
      `{ "t" : "${text}",\n\t"n":"${number}", "y":"${yes}", "z":[ 1.0, "plain", null, {}] , "z":0}`,
    )
    expect(answer.status).toBe(200)
    expect(answer.text).toBe(
      '{ "t" : "é\\n\\"✓",\n\t"n":1.5, "y":true, "z":[ 1.0, "plain", null, {}] , "z":0}',
    )
  })

  test("passes through text that only begins with ev:, and a lone surrogate escape", async () => {
    const body = '["ev:","ev:hello","ev:Tk9D:AAAA:AAAA:AAAA","\\ud800"]'
    expect((await decrypt(body)).text).toBe(body)
  })

  test("reports how many values it opened, with roles and without, and 1 for a file", async () => {
    const { auth, role, token: held } = await newAppWithRole(service)
    expect((await service.post("/data-policies", policyOf(role), { auth })).status).toBe(201)
    const mixed = `[${held},"${await encryptOne("x", { auth })}",${held}]`
    expect((await decrypt(mixed, { auth })).headers.get("x-service-decrypted-values")).toBe("3")
    const token = await encryptOne("x")
    const countOf = async (body: unknown, options = {}) =>
      (await decrypt(body, options)).headers.get("x-service-decrypted-values")
    expect(await countOf({ a: [token, "plain", token], b: token })).toBe("3")
    expect(await countOf(["ev:hello", 1, null])).toBe("0")
    const file = (await service.post("/encrypt", Buffer.from("bytes"), octets)).bytes
    expect(await countOf(file, octets)).toBe("1")
  })

  test("shows pages of other origins how many values it opened", async () => {
    const answer = await decrypt([await encryptOne("x")], { headers: { origin: "https://shop.example" } })
    expect(answer.headers.get("access-control-expose-headers")).toContain("x-service-decrypted-values")
  })

  describe("with X-Service-Require-Tokens", () => {
    const headers = { "x-service-require-tokens": "true" }

    test("opens a document that holds a token, and passes its other values through", async () => {
      const answer = await decrypt(["plain", await encryptOne("x"), 1, null], { headers })
      expect(answer.json).toEqual(["plain", "x", 1, null])
    })

    test.each(['"plain"', "[]", "{}", "null", '{"a":["plain",1.0]}', '{"ev:debug":1}'])(
      "refuses %s, which holds no token, with invalid-request",
      async (body) => {
        expectProblem(await decrypt(body, { headers }), "invalid-request")
      },
    )

    test("refuses a string that begins with ev: but is not a whole token, and names only its place", async () => {
      const token = await encryptOne("secret")
      const others = ["ev:", "\\u0065v:hello", "ev:\\ud800", "ev:\u00fc"]
      for (const broken of [token.slice(0, -1), token.slice(0, -2), `${token} `, ...others]) {
        const answer = await decrypt(`{"good":"${token}","bad/1":["${broken}"]}`, { headers })
        expectProblem(answer, "invalid-request")
        expect(answer.json).toMatchObject({ fields: [{ pointer: "/bad~11/0" }] })
        if (broken.length > 10) expect(answer.text).not.toContain(broken)
      }
    })

    test("accepts false, and refuses anything but true and false", async () => {
      const answer = await decrypt('"ev:hello"', { headers: { "x-service-require-tokens": "false" } })
      expect(answer).toMatchObject({ status: 200, text: '"ev:hello"' })
      for (const value of ["yes", "TRUE", ""]) {
        const refused = await decrypt('"ev:hello"', { headers: { "x-service-require-tokens": value } })
        expectProblem(refused, "invalid-request")
      }
    })

    test("opens an encrypted file, and refuses one that is not encrypted", async () => {
      const file = (await service.post("/encrypt", Buffer.from("bytes"), octets)).bytes
      expect((await decrypt(file, { ...octets, headers })).status).toBe(200)
      expectProblem(await decrypt(Buffer.from("bytes"), { ...octets, headers }), "invalid-request")
    })
  })

  test("opens a token without a debug segment, as clients make that do not know the environment", async () => {
    const token = await encryptOne("x")
    expect((await decrypt([token.replace("ev:debug:", "ev:")])).json).toEqual(["x"])
  })

  test("denies a value whose role has no policy, names its place and returns nothing", async () => {
    const free = await encryptOne("free")
    const held = await encryptOne("held", { headers: { "x-service-data-role": "pci" } })
    const answer = await decrypt({ a: free, "b/c": [free, held] })
    expectProblem(answer, "decrypt/forbidden")
    expect(answer.json).toMatchObject({ fields: [{ pointer: "/b~1c/1" }] })
    expect(answer.text).not.toContain("free")
    expect(answer.text).not.toContain("held")
  })

  test("refuses another app's token with invalid-request and names its place", async () => {
    const token = await encryptOne("x", { auth: service.production.auth })
    const answer = await decrypt({ a: [0, token] })
    expectProblem(answer, "invalid-request")
    expect(answer.json).toMatchObject({ fields: [{ pointer: "/a/1" }] })
  })

  test("refuses a sandbox token in production and the reverse", async () => {
    const [sandbox, production] = [
      await encryptOne("x"),
      await encryptOne("x", { auth: service.production.auth }),
    ]
    expectProblem(await decrypt([sandbox], { auth: service.production.auth }), "invalid-request")
    expectProblem(await decrypt([production]), "invalid-request")
  })

  test("refuses or passes through a token with one character changed, and never opens it", async () => {
    const token = await encryptOne("marker-plaintext")
    await fc.assert(
      fc.asyncProperty(fc.nat(token.length - 1), fc.constantFrom(..."AZaz09+/:$="), async (at, character) => {
        const changed = token.slice(0, at) + character + token.slice(at + 1)
        fc.pre(changed !== token)
        const answer = await decrypt([changed])
        expect(answer.text).not.toContain("marker-plaintext")
        expect(answer.status === 400 || answer.text === JSON.stringify([changed])).toBe(true)
      }),
      { numRuns: 200 },
    )
  })

  test("gives the same answer whatever is wrong with a token", async () => {
    const token = await encryptOne("x")
    const [, , version, iv = "", key = "", ciphertext = ""] = token.split(":")
    const other = await encryptOne("x", { auth: service.production.auth })
    const broken = [
      other,
      `ev:debug:${version}:${iv}:${key}:${ciphertext.slice(0, -4)}AAAA:$`,
      `ev:debug:XXXX:${iv}:${key}:${ciphertext}:$`,
      `ev:debug:${version}:AAAA:${key}:${ciphertext}:$`,
      `ev:debug:${version}:${iv}:Av//////////////////////////////////////////:${ciphertext}:$`,
      `ev:debug:${version}:${iv}:${key}:AAAA:$`,
    ]
    const answers = await Promise.all(broken.map((each) => decrypt([each])))
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1)
    expectProblem(answers[0] ?? (await decrypt([])), "invalid-request")
  })

  test.each([
    ["an empty one", Buffer.from("%EVENC")],
    ["plain bytes", Buffer.from("plain bytes that nobody encrypted")],
  ])("refuses %s as a file with invalid-request", async (_what, bytes) => {
    expectProblem(await decrypt(bytes, octets), "invalid-request")
  })

  test("refuses a file with any one bit flipped, a truncated one, and another app's", async () => {
    const file = await service.post("/encrypt", Buffer.from("marker-file"), octets)
    for (let at = 0; at < file.bytes.length; at++) {
      const flipped = Buffer.from(file.bytes)
      flipped.writeUInt8(flipped.readUInt8(at) ^ (1 << (at % 8)), at)
      expectProblem(await decrypt(flipped, octets), "invalid-request")
    }
    expectProblem(await decrypt(file.bytes.subarray(0, -1), octets), "invalid-request")
    expectProblem(await decrypt(file.bytes, { ...octets, auth: service.production.auth }), "invalid-request")
  })

  test("serves other requests while it opens a document full of ephemeral keys", async () => {
    const { ecdhP256Key } = (await service.get("/keys")).json as { ecdhP256Key: string }
    const appPublicKey = Buffer.from(ecdhP256Key, "base64")
    const tokens = Array.from({ length: 2000 }, () =>
      createSealingKey({ appPublicKey, debug: true }).seal("string", "x"),
    )
    const finished: string[] = []
    const note = (name: string) => () => finished.push(name)
    await Promise.all([
      decrypt(tokens).then(note("the large document")),
      decrypt('"x"').then(note("a small one")),
    ])
    expect(finished).toEqual(["a small one", "the large document"])
  })

  test("requires the scope api:decrypt", async () => {
    const auth = await service.newKey(service.sandbox.app, ["api:fingerprint"])
    expectProblem(await decrypt('"x"', { auth }), "forbidden")
    expect(
      (await decrypt('"x"', { auth: await service.newKey(service.sandbox.app, ["api:decrypt"]) })).status,
    ).toBe(200)
  })
})

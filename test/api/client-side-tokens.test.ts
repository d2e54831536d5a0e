import { createPrivateKey, generateKeyPairSync } from "node:crypto"
import { MAX_SEALED_JSON_BYTES } from "@sealway/http"
import { base64url, decodeJwt, decodeProtectedHeader, SignJWT, UnsecuredJWT } from "jose"
import { beforeAll, describe, expect, test, vi } from "vitest"
import * as z from "zod"
import { expectProblem } from "../support/problem.ts"
import { type Identity, useService } from "../support/service.ts"

const service = useService()
const issuedSchema = z.object({
  id: z.string(),
  token: z.string(),
  expiry: z.number(),
  createdAt: z.number(),
})
const keySchema = z.object({ id: z.string(), key: z.string() })
const MINUTE_MS = 60_000

/** Creates a document with an encrypted value, and a token for it. */
let payload: { card: string; note: string }
let token: string

beforeAll(async () => {
  const sealed = await service.post("/encrypt", '"4242424242424242"')
  payload = { card: String(sealed.json), note: "plain" }
  token = (await issue({ payload })).token
})

async function issue(body: object, identity: Identity = service.sandbox) {
  const answer = await request({ action: "api:decrypt", ...body }, identity)
  expect(answer.status).toBe(201)
  return issuedSchema.parse(answer.json)
}

const request = (body: unknown, { auth }: Pick<Identity, "auth"> = service.sandbox) =>
  service.post("/client-side-tokens", body, { auth })

const decrypt = (body: unknown, bearer: string, scheme = "Token") =>
  service.post("/decrypt", body, { auth: null, headers: { authorization: `${scheme} ${bearer}` } })

describe("POST /client-side-tokens", () => {
  test("issues a token that expires after five minutes by default", async () => {
    const { id, expiry, createdAt, token: jwt } = await issue({ payload })
    expect(id).toMatch(/^client_side_token_[0-9a-z]{26}$/)
    expect(expiry - createdAt).toBe(5 * MINUTE_MS)
    expect(decodeProtectedHeader(jwt)).toEqual({ alg: "HS256", typ: "JWT", kid: "1" })
    expect(decodeJwt(jwt)).toMatchObject({ aud: service.sandbox.app.id, jti: id, exp: expiry / 1000 })
    const later = Date.now() + 9 * MINUTE_MS
    expect((await issue({ payload, expiry: later })).expiry).toBe(later)
  })

  test("puts nothing of the payload into the token", async () => {
    const { token: jwt } = await issue({ payload: { marker: "value-marker" } })
    const told = Buffer.concat(jwt.split(".").map((part) => base64url.decode(part) as Buffer)).toString()
    expect(told).not.toContain("marker")
  })

  test("enforces the limits of the expiry to the millisecond", async () => {
    vi.useFakeTimers({ toFake: ["Date"] })
    try {
      const now = Date.now()
      for (const expiry of [now + 1, now + 10 * MINUTE_MS - 1]) await issue({ payload, expiry })
      for (const expiry of [now, now - 1, -1, 1, now + 10 * MINUTE_MS, now + 60 * MINUTE_MS]) {
        const answer = await request({ action: "api:decrypt", payload, expiry })
        expectProblem(answer, "invalid-request")
        expect(answer.json).toMatchObject({ fields: [{ pointer: "/expiry" }] })
      }
    } finally {
      vi.useRealTimers()
    }
  })

  test.each([null, 0])("regards the expiry %s, which clients write by default, as none", async (expiry) => {
    const issued = await issue({ payload, expiry })
    expect(issued.expiry - issued.createdAt).toBe(5 * MINUTE_MS)
  })

  test.each([
    ["another action", { action: "api:encrypt", payload: {} }],
    ["no action", { payload: {} }],
    ["no payload", { action: "api:decrypt" }],
    ["a payload that is null", { action: "api:decrypt", payload: null }],
    ["an expiry that is no number", { action: "api:decrypt", payload: {}, expiry: "soon" }],
    ["an expiry between two milliseconds", { action: "api:decrypt", payload: {}, expiry: 0.5 }],
    ["members that nobody knows", { action: "api:decrypt", payload: {}, scope: "*" }],
    ["a payload with a name that stands twice", '{"action":"api:decrypt","payload":{"a":1,"a":2}}'],
    ["a payload with a name that is spelled twice", '{"action":"api:decrypt","payload":{"a":1,"\\u0061":2}}'],
    [
      "a payload with a number that no double holds",
      '{"action":"api:decrypt","payload":{"a":12345678901234567891}}',
    ],
    ["a payload with a lone surrogate", '{"action":"api:decrypt","payload":{"a":"\\ud800"}}'],
  ])("refuses %s", async (_what, body) => {
    expectProblem(await request(body), "invalid-request")
  })

  test("refuses more than the token of a value of 5 MB, and a body other than JSON", async () => {
    const large = { action: "api:decrypt", payload: { a: "x".repeat(MAX_SEALED_JSON_BYTES) } }
    expectProblem(await request(large), "payload-too-large")
    expectProblem(
      await service.post("/client-side-tokens", "{}", { contentType: "text/plain" }),
      "unsupported-media-type",
    )
  })

  test("refuses a caller without credentials, and a key that may not decrypt itself", async () => {
    const body = { action: "api:decrypt", payload }
    expectProblem(await service.post("/client-side-tokens", body, { auth: null }), "unauthorized")
    const auth = await service.newKey(service.sandbox.app, ["api:fingerprint"])
    expectProblem(await request(body, { auth }), "forbidden")
  })

  test("does not accept a client-side token in place of an API key", async () => {
    const headers = { authorization: `Token ${token}` }
    const body = { action: "api:decrypt", payload }
    expectProblem(await service.post("/client-side-tokens", body, { auth: null, headers }), "unauthorized")
    expectProblem(await service.post("/encrypt", '"x"', { auth: null, headers }), "unauthorized")
  })
})

describe("POST /decrypt with a client-side token", () => {
  test.each(["Token", "Bearer", "token", "bearer"])(
    "decrypts the payload any number of times, by %s",
    async (scheme) => {
      for (let use = 0; use < 2; use++) {
        const answer = await decrypt(payload, token, scheme)
        expect([answer.status, answer.json]).toEqual([200, { card: "4242424242424242", note: "plain" }])
      }
    },
  )

  test.each<[string, () => string]>([
    ["another order of members", () => `{"note":"plain","card":"${payload.card}"}`],
    ["white space", () => ` {\n"card" : "${payload.card}",\t"note":"plain"} `],
    ["escapes", () => `{"\\u0063ard":"${payload.card.replaceAll("/", "\\/")}","note":"\\u0070lain"}`],
  ])("accepts the payload in another spelling: %s", async (_what, body) => {
    expect((await decrypt(body(), token)).status).toBe(200)
  })

  test.each<[string, () => unknown, unknown]>([
    ["one token", () => payload.card, "4242424242424242"],
    ["an array", () => [payload.card, "plain"], ["4242424242424242", "plain"]],
    ["a number", () => 7, 7],
    ["a boolean", () => false, false],
  ])("decrypts a payload that is %s, and no other", async (_what, document, opened) => {
    const { token: jwt } = await issue({ payload: document() })
    const answer = await decrypt(JSON.stringify(document()), jwt)
    expect([answer.status, answer.json]).toEqual([200, opened])
    expectProblem(await decrypt(payload, jwt), "forbidden")
  })

  test("accepts a number in another spelling of the same value, and returns it as it was sent", async () => {
    const { token: jwt } = await issue({ payload: { amount: 100, card: payload.card } })
    const answer = await decrypt(`{"amount":1.00e2,"card":"${payload.card}"}`, jwt)
    expect(answer.text).toBe('{"amount":1.00e2,"card":"4242424242424242"}')
  })

  test.each<[string, () => string | Uint8Array]>([
    ["a part of the payload", () => JSON.stringify({ card: payload.card })],
    ["the payload and more", () => JSON.stringify({ ...payload, more: 1 })],
    ["a value of the payload alone", () => JSON.stringify(payload.card)],
    ["the payload in an array", () => JSON.stringify([payload])],
    ["another text", () => JSON.stringify({ ...payload, note: "plain " })],
    ["a text that only looks alike", () => JSON.stringify({ ...payload, note: "pl\u0430in" })],
    ["a text in another normal form", () => JSON.stringify({ ...payload, note: "plai\u0301n" })],
    ["null in the place of a text", () => JSON.stringify({ ...payload, note: null })],
  ])("refuses with forbidden %s", async (_what, body) => {
    expectProblem(await decrypt(body(), token), "forbidden")
  })

  test.each<[string, () => string]>([
    ["stands twice", () => `{"card":"x","card":"${payload.card}","note":"plain"}`],
    ["is spelled in two ways", () => `{"card":"${payload.card}","note":"other","n\\u006fte":"plain"}`],
  ])("refuses a payload in which a name %s, which parsers may read differently", async (_what, body) => {
    expectProblem(await decrypt(body(), token), "invalid-request")
  })

  test("refuses a number that only rounds to the payload's", async () => {
    const { token: jwt } = await issue({ payload: { a: 9007199254740992 } })
    expect((await decrypt('{"a":9007199254740992}', jwt)).status).toBe(200)
    expectProblem(await decrypt('{"a":9007199254740993}', jwt), "invalid-request")
  })

  test("refuses a file", async () => {
    const headers = { authorization: `Token ${token}` }
    const options = { auth: null, contentType: "application/octet-stream", headers }
    expectProblem(await service.post("/decrypt", Buffer.from(JSON.stringify(payload)), options), "forbidden")
  })

  test("refuses it from the millisecond in which it expires", async () => {
    vi.useFakeTimers({ toFake: ["Date"] })
    try {
      vi.setSystemTime(1_900_000_000_123)
      const { token: jwt, expiry } = await issue({ payload, expiry: 1_900_000_060_456 })
      vi.setSystemTime(expiry - 1)
      expect((await decrypt(payload, jwt)).status).toBe(200)
      vi.setSystemTime(expiry)
      expectProblem(await decrypt(payload, jwt), "unauthorized")
    } finally {
      vi.useRealTimers()
    }
  })

  test("refuses it once the API key that issued it is revoked", async () => {
    vi.useFakeTimers({ toFake: ["performance"] })
    vi.advanceTimersByTime(1)
    try {
      const asTeam = { auth: service.team.auth }
      const keys = `/apps/${service.sandbox.app.id}/api-keys`
      const made = await service.post(keys, { name: "Issuer", scopes: ["api:decrypt"] }, asTeam)
      const { id, key } = keySchema.parse(made.json)
      const auth = { user: service.sandbox.app.id, key }
      const { token: jwt } = await issue({ payload }, { ...service.sandbox, auth })
      expect((await decrypt(payload, jwt)).status).toBe(200)
      await service.delete(`${keys}/${id}`, asTeam)
      vi.advanceTimersByTime(10_001)
      expectProblem(await decrypt(payload, jwt), "unauthorized")
    } finally {
      vi.useRealTimers()
    }
  })

  test("does not open another app's values, whoever issued the token", async () => {
    const { token: jwt } = await issue({ payload }, service.production)
    expectProblem(await decrypt(payload, jwt), "invalid-request")
  })

  test("still accepts it after the app's keys were rotated", async () => {
    const { app, auth } = await service.newApp("sandbox")
    const sealed = String((await service.post("/encrypt", '"x"', { auth })).json)
    const { token: jwt } = await issue({ payload: { sealed } }, { app, auth })
    await service.post(`/apps/${app.id}/keys/rotate`, undefined, { auth: service.team.auth })
    expect((await decrypt({ sealed }, jwt)).json).toEqual({ sealed: "x" })
    expect(decodeProtectedHeader((await issue({ payload: { sealed } }, { app, auth })).token).kid).toBe("2")
  })
})

describe("a client-side token that was tampered with is refused with unauthorized", () => {
  const part = (index: number) => token.split(".")[index] ?? ""
  const json = (value: object) => base64url.encode(JSON.stringify(value))
  const signed = (key: Uint8Array, alg: string, changes: object = {}) =>
    new SignJWT({ ...decodeJwt(token), ...changes })
      .setProtectedHeader({ alg, typ: "JWT", kid: "1" })
      .sign(key)

  test.each<[string, () => string | Promise<string>]>([
    ["in its claims", () => `${part(0)}.${json({ ...decodeJwt(token), exp: 9_999_999_999 })}.${part(2)}`],
    ["in its header", () => `${json({ alg: "HS256", typ: "JWT", kid: "1", x: 1 })}.${part(1)}.${part(2)}`],
    ["in its signature", () => `${part(0)}.${part(1)}.${base64url.encode(Buffer.alloc(32))}`],
    ["by leaving the signature out", () => `${part(0)}.${part(1)}.`],
    ["by the algorithm none", () => new UnsecuredJWT({ ...decodeJwt(token) }).encode()],
    [
      "by the algorithm none in other letters",
      () => `${json({ alg: "nOnE", typ: "JWT", kid: "1" })}.${part(1)}.${part(2)}`,
    ],
    ["by an empty key", () => signed(new Uint8Array(32), "HS256")],
    ["by the app id as the key", () => signed(Buffer.from(service.sandbox.app.id.padEnd(32)), "HS256")],
    ["by the algorithm HS512", () => signed(Buffer.alloc(64, 1), "HS512")],
    [
      "by a key of one's own, named in the header",
      async () => {
        const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" })
        return new SignJWT({ ...decodeJwt(token) })
          .setProtectedHeader({
            alg: "ES256",
            typ: "JWT",
            kid: "1",
            jwk: publicKey.export({ format: "jwk" }),
          })
          .sign(createPrivateKey(privateKey.export({ format: "pem", type: "pkcs8" })))
      },
    ],
    [
      "by a key version that does not exist",
      () => `${json({ alg: "HS256", typ: "JWT", kid: "2" })}.${part(1)}.${part(2)}`,
    ],
    [
      "by a key version that is a path",
      () => `${json({ alg: "HS256", typ: "JWT", kid: "../1" })}.${part(1)}.${part(2)}`,
    ],
    [
      "by an extension that must be understood",
      () => `${json({ alg: "HS256", typ: "JWT", kid: "1", crit: ["x"], x: 1 })}.${part(1)}.${part(2)}`,
    ],
    [
      "by another app",
      () => `${part(0)}.${json({ ...decodeJwt(token), aud: service.production.app.id })}.${part(2)}`,
    ],
    [
      "by many apps",
      () => `${part(0)}.${json({ ...decodeJwt(token), aud: [service.sandbox.app.id] })}.${part(2)}`,
    ],
    ["by white space in it", () => token.replace(".", " .")],
    ["by its length", () => token + "A".repeat(2_000)],
    ["by being empty", () => ""],
    ["by not being one", () => "ev:debug:x"],
  ])("%s", async (_how, forge) => {
    expectProblem(await decrypt(payload, await forge()), "unauthorized")
  })
})

test("audits a decryption refused to a client-side token, without the token", async () => {
  const { id, token: jwt } = await issue({ payload })
  expectProblem(await decrypt({ other: 1 }, jwt), "forbidden")
  const query = `/audit-logs?action=decryption.refused&actorId=${id}`
  const { json, text } = await service.get(query, { auth: service.team.auth })
  expect(json).toMatchObject({
    data: [
      {
        action: "decryption.refused",
        actor: { type: "client-side-token", id },
        appId: service.sandbox.app.id,
        ip: "127.0.0.1",
        details: { code: "forbidden" },
      },
    ],
  })
  expect(text).not.toContain(jwt)
})

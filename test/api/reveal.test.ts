import { createECDH } from "node:crypto"
import { compactDecrypt, importJWK } from "jose"
import { beforeAll, describe, expect, test, vi } from "vitest"
import * as z from "zod"
import { expectProblem, pointersOf } from "../support/problem.ts"
import { useService } from "../support/service.ts"

const service = useService()
const tokenSchema = z.object({ token: z.string() })

/** A key pair, as a frame has one. */
function createFrameKey() {
  const pair = createECDH("prime256v1")
  const key = pair.generateKeys("base64url")
  const [x, y] = [pair.getPublicKey().subarray(1, 33), pair.getPublicKey().subarray(33)].map((each) =>
    each.toString("base64url"),
  )
  const jwk = { kty: "EC", crv: "P-256", x: x ?? "", y: y ?? "", d: pair.getPrivateKey("base64url") }
  return {
    key,
    async open(json: unknown): Promise<unknown> {
      const { sealed } = z.object({ sealed: z.string() }).parse(json)
      const { plaintext } = await compactDecrypt(sealed, await importJWK(jwk, "ECDH-ES"))
      return JSON.parse(new TextDecoder().decode(plaintext))
    },
  }
}
let document: { card: string }
beforeAll(async () => {
  const { json } = await service.post("/encrypt", { card: "4242424242424242" })
  document = z.object({ card: z.string() }).parse(json)
})
const issue = (body: object) => service.post("/client-side-tokens", { payload: document, ...body })
const tokenFor = async (key: string) =>
  tokenSchema.parse((await issue({ action: "api:reveal", key })).json).token
const send = (path: string, token: string, body: unknown = document) =>
  service.post(path, body, { auth: null, headers: { authorization: `Token ${token}` } })

describe("POST /reveal", () => {
  test("answers so that only the frame whose key the token names can read it", async () => {
    const frame = createFrameKey()
    const { status, json, text } = await send("/reveal", await tokenFor(frame.key))
    expect(status).toBe(200)
    expect(text).not.toContain("4242424242424242")
    expect(await frame.open(json)).toEqual({ card: "4242424242424242" })
    await expect(createFrameKey().open(json)).rejects.toMatchObject({ code: "ERR_JWE_DECRYPTION_FAILED" })
  })

  test("answers with masks where policies permit no more, and refuses them to a frame that asks for the value", async () => {
    const role = { slug: "masked", name: "Masked", mask: { type: "first-last" } }
    expect((await service.post("/data-roles", role)).status).toBe(201)
    const policy = {
      name: "M",
      effect: "permit",
      reveal: "masked",
      roles: ["masked"],
      conditions: { sources: ["client-token"] },
    }
    expect((await service.post("/data-policies", policy)).status).toBe(201)
    const headers = { "x-service-data-role": "masked" }
    const { json: payload } = await service.post("/encrypt", { card: "4242424242424242" }, { headers })
    const frame = createFrameKey()
    const { token } = tokenSchema.parse((await issue({ action: "api:reveal", key: frame.key, payload })).json)
    const masked = await send("/reveal", token, payload)
    expect(await frame.open(masked.json)).toEqual({ card: "424242•••4242" })
    const authorization = `Token ${token}`
    const full = { auth: null, headers: { authorization, "x-service-reveal": "full" } }
    expectProblem(await service.post("/reveal", payload, full), "decrypt/masked-only")
    const { token: forPage } = tokenSchema.parse((await issue({ action: "api:decrypt", payload })).json)
    expect((await send("/decrypt", forPage, payload)).json).toEqual({ card: "424242•••4242" })
  })

  test("is the only way to use such a token, and accepts no other", async () => {
    const token = await tokenFor(createFrameKey().key)
    expectProblem(await send("/decrypt", token), "unauthorized")
    const { json } = await issue({ action: "api:decrypt" })
    expectProblem(await send("/reveal", tokenSchema.parse(json).token), "unauthorized")
    expectProblem(await service.post("/reveal", document), "unauthorized")
  })

  test("refuses another document, a changed key, and one without tokens", async () => {
    const token = await tokenFor(createFrameKey().key)
    expectProblem(await send("/reveal", token, { card: document.card, more: 1 }), "forbidden")
    const [header = "", claims = "", signature = ""] = token.split(".")
    const changed = { ...JSON.parse(atob(claims)), key: createFrameKey().key }
    const forged = [header, Buffer.from(JSON.stringify(changed)).toString("base64url"), signature].join(".")
    expectProblem(await send("/reveal", forged), "unauthorized")
    const plain = { card: "4242" }
    const { json } = await issue({ action: "api:reveal", key: createFrameKey().key, payload: plain })
    expectProblem(await send("/reveal", tokenSchema.parse(json).token, plain), "invalid-request")
  })

  test.each([
    ["without a key", { action: "api:reveal" }],
    ["with a key that is no point", { action: "api:reveal", key: `BA${"A".repeat(85)}` }],
    [
      "with a compressed key",
      { action: "api:reveal", key: createECDH("prime256v1").generateKeys("base64url", "compressed") },
    ],
    ["with the key of a token for a page", { action: "api:decrypt", key: createFrameKey().key }],
  ])("has no token %s", async (_, body) => {
    const answer = await issue(body)
    expectProblem(answer, "invalid-request")
    expect(pointersOf(answer)).toEqual(["/key"])
  })

  test("asks the policies of the values, as a client-side token", async () => {
    await service.newRole(service.sandbox.app, "shown")
    const sealed = await service.post(
      "/encrypt",
      { card: "4242" },
      { headers: { "x-service-data-role": "shown" } },
    )
    const { key, open } = createFrameKey()
    const { json } = await service.post("/client-side-tokens", {
      action: "api:reveal",
      key,
      payload: sealed.json,
    })
    const { token } = tokenSchema.parse(json)
    expectProblem(await send("/reveal", token, sealed.json), "decrypt/forbidden")
    const permit = {
      name: "Shown",
      effect: "permit",
      roles: ["shown"],
      conditions: { sources: ["client-token"] },
    }
    await service.post("/data-policies", permit)
    const again = await service.post("/client-side-tokens", {
      action: "api:reveal",
      key,
      payload: sealed.json,
    })
    // A process keeps policies for so long.
    await vi.waitFor(
      async () => {
        const allowed = await send("/reveal", tokenSchema.parse(again.json).token, sealed.json)
        expect(await open(allowed.json)).toEqual({ card: "4242" })
      },
      { timeout: 15_000, interval: 200 },
    )
  })
})

import { createECDH } from "node:crypto"
import { createSealingKey } from "@sealway/tokens"
import { describe, expect, test } from "vitest"
import { expectProblem } from "../support/problem.ts"
import { type Identity, useService } from "../support/service.ts"

const service = useService()

const rotate = (appId: string, auth: { user: string; key: string } = service.team.auth) =>
  service.post(`/apps/${appId}/keys/rotate`, undefined, { auth })
const encryptOne = async ({ auth }: Identity, json: string, headers = {}) =>
  String((await service.post("/encrypt", json, { auth, headers })).json)
const publicKey = async ({ auth }: Identity) =>
  (await service.get("/keys", { auth })).json as { ecdhP256Key: string; ecdhKey: string }

describe("GET /keys", () => {
  test("returns the app's public keys, compressed and uncompressed", async () => {
    const { app } = service.sandbox
    const answer = await service.get("/keys")
    expect(answer.status).toBe(200)
    expect(answer.headers.get("x-service-debug-mode")).toBe("true")
    const keys = answer.json as Record<string, string>
    expect(keys).toEqual({
      teamUuid: app.teamId,
      appUuid: app.id,
      ecdhKey: expect.stringMatching(/^A[A-Za-z0-9+/]{43}$/),
      ecdhP256Key: expect.stringMatching(/^A[A-Za-z0-9+/]{43}$/),
      ecdhP256KeyUncompressed: expect.stringMatching(/^B[A-Za-z0-9+/]{86}=$/),
    })
    for (const [curve, key = ""] of [
      ["prime256v1", keys.ecdhP256Key],
      ["prime256v1", keys.ecdhP256KeyUncompressed],
      ["secp256k1", keys.ecdhKey],
    ] as const) {
      const peer = createECDH(curve)
      peer.generateKeys()
      expect(peer.computeSecret(Buffer.from(key, "base64"))).toHaveLength(32)
    }
  })

  test("answers the same at /cages/key, by Api-Key, and publicly under the team", async () => {
    const { app, auth } = service.sandbox
    const keys = (await service.get("/keys")).json
    expect((await service.get("/cages/key")).json).toEqual(keys)
    expect((await service.get("/keys", { auth: null, headers: { "Api-Key": auth.key } })).json).toEqual(keys)
    const open = await service.get(`/${app.teamId}/apps/${app.id}`, { auth: null })
    expect(open.json).toEqual(keys)
    expect(open.headers.get("x-service-debug-mode")).toBe("true")
  })

  test("may be kept for five minutes: by the caller, and under the team by any cache", async () => {
    const { app } = service.sandbox
    const own = await service.get("/keys")
    expect(own.headers.get("cache-control")).toBe("private, max-age=300")
    // Otherwise a browser would return the keys of one app to a page that asks for those of another.
    expect(own.headers.get("vary")).toBe(
      "authorization, api-key, cookie, x-service-app-id, x-evervault-app-id",
    )
    const open = await service.get(`/${app.teamId}/apps/${app.id}`, { auth: null })
    expect(open.headers.get("cache-control")).toBe("public, max-age=300")
    expectProblem(await service.get("/team_missing/apps/app_missing", { auth: null }), "not-found")
    const missing = await service.get("/team_missing/apps/app_missing", { auth: null })
    expect(missing.headers.get("cache-control")).toBe("no-store")
  })

  test("reports that a production app is not in debug mode", async () => {
    const answer = await service.get("/keys", { auth: service.production.auth })
    expect(answer.headers.get("x-service-debug-mode")).toBe("false")
  })

  test("requires credentials", async () => {
    expectProblem(await service.get("/keys", { auth: null }), "unauthorized")
  })

  test("gives the same public answer to a missing app, another team's and a malformed id", async () => {
    const { app } = service.sandbox
    const paths = [
      `/${app.teamId}/apps/app_0000000000000000`,
      `/team_0000000000000000/apps/${app.id}`,
      `/${app.teamId}/apps/nonsense`,
      `/${app.teamId}/apps/__proto__`,
    ]
    const answers = await Promise.all(paths.map((path) => service.get(path, { auth: null })))
    for (const answer of answers) expectProblem(answer, "not-found")
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1)
  })
})

describe("GET /apps/{app_id}/keys", () => {
  const list = (appId: string, auth: { user: string; key: string } | null = service.team.auth) =>
    service.get(`/apps/${appId}/keys`, { auth })

  test("lists the key versions, newest first, with where their private keys are, and no key", async () => {
    const { app } = await service.newApp("production")
    await rotate(app.id)
    await service.patch(`/apps/${app.id}`, { custody: "hsm" }, { auth: service.team.auth })
    const createdAt = expect.any(Number)
    expect((await list(app.id)).json).toEqual({
      data: [
        { version: 3, custody: "hsm", createdAt },
        { version: 2, custody: "envelope", createdAt },
        { version: 1, custody: "envelope", createdAt },
      ],
      hasMore: false,
    })
  })

  test("requires a team key, and an app of that team", async () => {
    const { app, auth } = service.sandbox
    expectProblem(await list(app.id, auth), "forbidden")
    expectProblem(await list(app.id, null), "unauthorized")
    expectProblem(await list("app_0000000000000000"), "not-found")
    expectProblem(await list("nonsense"), "not-found")
  })
})

describe("POST /apps/{app_id}/keys/rotate", () => {
  test("adds a version that new values use at once; old values still open", async () => {
    const identity = await service.newApp("production")
    const before = await publicKey(identity)
    const old = await encryptOne(identity, '"old"')

    const rotated = await rotate(identity.app.id)
    expect(rotated.status).toBe(201)
    expect(rotated.json).toEqual({ app: identity.app.id, version: 2 })
    const after = await publicKey(identity)
    expect(after.ecdhP256Key).not.toBe(before.ecdhP256Key)
    expect(after.ecdhKey).not.toBe(before.ecdhKey)

    const sealed = await encryptOne(identity, '"new"')
    expect((await service.post("/decrypt", [old, sealed], { auth: identity.auth })).json).toEqual([
      "old",
      "new",
    ])
  })

  test("still opens values that a client seals to the old public key after the rotation", async () => {
    const identity = await service.newApp("production")
    const { ecdhP256Key } = await publicKey(identity)
    await rotate(identity.app.id)
    const key = createSealingKey({ appPublicKey: Buffer.from(ecdhP256Key, "base64"), debug: false })
    const answer = await service.post("/decrypt", [key.seal("string", "late")], { auth: identity.auth })
    expect(answer.json).toEqual(["late"])
  })

  test("does not change fingerprints", async () => {
    const identity = await service.newApp("production")
    const fingerprint = async (token: string) =>
      (await service.post("/fingerprint", { token }, { auth: identity.auth })).json
    const before = await fingerprint(await encryptOne(identity, '"x"'))
    await rotate(identity.app.id)
    expect(await fingerprint(await encryptOne(identity, '"x"'))).toEqual(before)
  })

  test("requires a team key, and an app of that team", async () => {
    const { app, auth } = service.sandbox
    expectProblem(await rotate(app.id, auth), "forbidden")
    expectProblem(
      await service.post(`/apps/${app.id}/keys/rotate`, undefined, { auth: null }),
      "unauthorized",
    )
    expectProblem(await rotate("app_0000000000000000"), "not-found")
    expectProblem(await rotate("nonsense"), "not-found")
  })

  test("answers conflict to one of two simultaneous rotations, and adds at least one version", async () => {
    const { app } = await service.newApp("production")
    const answers = await Promise.all(Array.from({ length: 5 }, () => rotate(app.id)))
    const versions = answers.flatMap(({ status, json }) =>
      status === 201 ? [(json as { version: number }).version] : [],
    )
    expect(versions.length).toBeGreaterThanOrEqual(1)
    expect(new Set(versions).size).toBe(versions.length)
    for (const answer of answers.filter(({ status }) => status !== 201)) expectProblem(answer, "conflict")
  })

  test("refuses version 101 with conflict", async () => {
    const { app } = await service.newApp("production")
    for (let version = 2; version <= 100; version++) expect((await rotate(app.id)).status).toBe(201)
    expectProblem(await rotate(app.id), "conflict")
  })
})

describe("POST /rewrap", () => {
  test("seals tokens to the newest version and keeps type, role, time and everything around them", async () => {
    const identity = await service.newApp("sandbox")
    await service.newRole(identity.app, "pci")
    const { auth } = identity
    const plain = await encryptOne(identity, "1.0")
    const held = await encryptOne(identity, '"x"', { "x-service-data-role": "pci" })
    await rotate(identity.app.id)

    const rewrapped = await service.post("/rewrap", `{"a" : "${plain}", "b":["${held}", "plain", 7]}`, {
      auth,
    })
    expect(rewrapped.text.replace(/"ev:[^"]*"/g, "T")).toBe('{"a" : T, "b":[T, "plain", 7]}')
    const { a, b } = rewrapped.json as { a: string; b: string[] }
    expect(a).toMatch(/^ev:debug:Tk9D:number:/)
    expect([a, b[0]]).not.toContain(plain)
    expect((await service.post("/decrypt", [a], { auth })).text).toBe("[1.0]")
    const fingerprint = async (token: unknown) =>
      (await service.post("/fingerprint", { token }, { auth })).json
    expect(await fingerprint(b[0])).toEqual(await fingerprint(held))
    expectProblem(await service.post("/decrypt", [b[0]], { auth }), "decrypt/forbidden")
  })

  test("seals a file again", async () => {
    const octets = { contentType: "application/octet-stream" }
    const file = await service.post("/encrypt", Buffer.from("file"), octets)
    const rewrapped = await service.post("/rewrap", file.bytes, octets)
    expect(rewrapped.bytes.equals(file.bytes)).toBe(false)
    expect((await service.post("/decrypt", rewrapped.bytes, octets)).text).toBe("file")
    expectProblem(await service.post("/rewrap", Buffer.from("file"), octets), "invalid-request")
  })

  test("refuses another app's token with invalid-request, and requires api:rewrap", async () => {
    const other = await encryptOne(service.production, '"x"')
    expectProblem(await service.post("/rewrap", [other]), "invalid-request")
    const auth = await service.newKey(service.sandbox.app, ["api:decrypt"])
    expectProblem(await service.post("/rewrap", "[]", { auth }), "forbidden")
  })
})

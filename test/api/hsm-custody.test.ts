import { randomBytes } from "node:crypto"
import { createSealingKey, parseToken } from "@sealway/tokens"
import { beforeAll, beforeEach, describe, expect, test } from "vitest"
import * as z from "zod"
import vectors from "../../packages/core/tokens/vectors/tokens.json" with { type: "json" }
import { policyOf } from "../support/policies.ts"
import { expectProblem } from "../support/problem.ts"
import { type Identity, useService } from "../support/service.ts"

const service = useService()
const octets = { contentType: "application/octet-stream" }
const DOCUMENT = { name: "héllo ✓", amount: 1.5, flags: [true, false], nothing: null, empty: {} }
const appSchema = z.object({ id: z.string(), custody: z.string() })

let app: Identity

async function newHsmApp(environment: "sandbox" | "production" = "production"): Promise<Identity> {
  const auth = service.team.auth
  const created = await service.post("/apps", { name: "In an HSM", environment, custody: "hsm" }, { auth })
  expect([created.status, created.json]).toMatchObject([201, { custody: "hsm", sealing: "public-key" }])
  const found = await service.service.platform.directory.app(appSchema.parse(created.json).id)
  if (found === null) throw new Error("The app does not exist")
  return { app: found, auth: await service.newKey(found, ["*"]) }
}

const change = ({ app: { id } }: Identity, body: object) =>
  service.patch(`/apps/${id}`, body, { auth: service.team.auth })
const rotate = ({ app: { id } }: Identity) =>
  service.post(`/apps/${id}/keys/rotate`, undefined, { auth: service.team.auth })
const encrypt = async (value: unknown, { auth }: Identity = app, headers = {}) =>
  (await service.post("/encrypt", value, { auth, headers })).json
const decrypt = (body: unknown, { auth }: Identity = app) => service.post("/decrypt", body, { auth })
const rewrap = async (body: unknown, { auth }: Identity = app) =>
  (await service.post("/rewrap", body, { auth })).json

/** Seals values as clients do that each use an ephemeral key of their own. */
async function sealAsClients(values: readonly string[], { app: { environment }, auth }: Identity = app) {
  const keys = z.object({ ecdhP256Key: z.string() }).parse((await service.get("/keys", { auth })).json)
  const appPublicKey = Buffer.from(keys.ecdhP256Key, "base64")
  return values.map((value) =>
    createSealingKey({ appPublicKey, debug: environment === "sandbox" }).seal("string", value, {
      role: null,
      encryptedAt: 1_700_000_000,
    }),
  )
}

const valuesOf = (count: number) => Array.from({ length: count }, (_, index) => `value ${index}`)
const agreements = () => service.awsCalls.filter(({ operation }) => operation === "DeriveSharedSecret").length
const flipped = (token: string) => {
  const segments = token.split(":")
  const ciphertext = segments.at(-2) ?? ""
  return segments.with(-2, (ciphertext.startsWith("A") ? "B" : "A") + ciphertext.slice(1)).join(":")
}

beforeAll(async () => {
  app = await newHsmApp()
  await service.newRole(app.app, "open")
  await service.newRole(app.app, "closed")
  await service.post("/data-policies", policyOf("open"), { auth: app.auth })
})
beforeEach(() => {
  service.awsCalls.length = 0
})

describe("an app whose keys are in an HSM", () => {
  test("gets tokens and files of the usual versions, and gets its values back", async () => {
    for (const [headers, version] of [
      [{}, "Tk9D"],
      [{ "x-service-data-role": "open" }, "QkTC"],
    ] as const) {
      const sealed = await encrypt(DOCUMENT, app, headers)
      const tokens = JSON.stringify(sealed).match(/ev:[^"]*/g) ?? []
      expect(tokens.map((token) => parseToken(token)?.version)).toEqual(Array(4).fill(version))
      expect((await decrypt(sealed)).json).toEqual(DOCUMENT)
    }
    const file = randomBytes(10_000)
    const sealed = await service.post("/encrypt", file, { auth: app.auth, ...octets })
    expect((await service.post("/decrypt", sealed.bytes, { auth: app.auth, ...octets })).bytes).toEqual(file)
  })

  test("has its values' roles decided by policies", async () => {
    const closed = await encrypt(DOCUMENT, app, { "x-service-data-role": "closed" })
    expectProblem(await decrypt(closed), "decrypt/forbidden")
  })

  test("has a public key on P-256 and none on secp256k1, whose values it refuses like any other", async () => {
    const keys = (await service.get("/keys", { auth: app.auth })).json
    expect(keys).toMatchObject({
      ecdhP256Key: expect.any(String),
      ecdhP256KeyUncompressed: expect.any(String),
    })
    expect(keys).not.toHaveProperty("ecdhKey")
    const [token = ""] = await sealAsClients(["x"])
    const refused = await decrypt([flipped(token)])
    expectProblem(refused, "invalid-request")
    for (const other of vectors.tokens.map((each) => each.token)) {
      expect((await decrypt([other])).text).toBe(refused.text)
    }
  })

  test("gives fingerprints that stay the same when its custody changes", async () => {
    const moving = await newHsmApp()
    const fingerprint = async () => {
      const [token] = await sealAsClients(["4242424242424242"], moving)
      const answers = ["/fingerprint", "/inspect"].map((path) =>
        service.post(path, { token }, { auth: moving.auth }),
      )
      return (await Promise.all(answers)).map(({ json }) => json)
    }
    const before = await fingerprint()
    expect(before[0]).toMatchObject({ category: "card-number" })
    expect((await change(moving, { custody: "envelope" })).status).toBe(200)
    expect(await fingerprint()).toEqual(before)
  })

  test("can issue client-side tokens for its values", async () => {
    const [token] = await sealAsClients(["4242"])
    const payload = { card: token }
    const body = { action: "api:decrypt", payload }
    const issued = await service.post("/client-side-tokens", body, { auth: app.auth })
    const headers = { authorization: `Token ${z.object({ token: z.string() }).parse(issued.json).token}` }
    expect((await service.post("/decrypt", payload, { auth: null, headers })).json).toEqual({ card: "4242" })
  })

  test("gets another key in KMS when its keys are rotated; values of both open, and rewrap moves them", async () => {
    const rotating = await newHsmApp("sandbox")
    const old = await sealAsClients(valuesOf(3), rotating)
    service.awsCalls.length = 0
    expect((await rotate(rotating)).json).toMatchObject({ version: 2 })
    expect(service.awsCalls.map(({ operation }) => operation)).toContain("CreateKey")
    const young = await sealAsClients(valuesOf(3), rotating)
    expect(young[0]?.startsWith("ev:debug:")).toBe(true)
    expect((await decrypt([...old, ...young], rotating)).json).toEqual([...valuesOf(3), ...valuesOf(3)])
    const moved = await rewrap(old, rotating)
    service.awsCalls.length = 0
    expect((await decrypt(moved, rotating)).json).toEqual(valuesOf(3))
    // Rewrapped together, they have one ephemeral key, and open with the newest version.
    expect(agreements()).toBe(1)
  })

  test("opens values of several versions with few agreements: the version that opened the one before is first", async () => {
    const rotating = await newHsmApp()
    const old = await sealAsClients(valuesOf(20), rotating)
    await rotate(rotating)
    expect((await decrypt(old, rotating)).json).toEqual(valuesOf(20))
    expect(agreements()).toBe(21)
  })
})

describe("a change of custody", () => {
  test("adds a key version, once, and both kinds of values open and are rewrapped, in either direction", async () => {
    const moving = await service.newApp("production")
    const enveloped = await sealAsClients(["a"], moving)
    for (let times = 0; times < 2; times++) {
      const answer = await change(moving, { custody: "hsm" })
      expect([answer.status, answer.json]).toMatchObject([200, { custody: "hsm" }])
    }
    const kept = await sealAsClients(["b"], moving)
    const versions = () => service.service.platform.keyring.versions(moving.app)
    expect(await versions()).toEqual([2, 1])
    expect((await decrypt([...enveloped, ...kept], moving)).json).toEqual(["a", "b"])
    const inHsm = await rewrap([...enveloped, ...kept], moving)
    service.awsCalls.length = 0
    expect((await decrypt(inHsm, moving)).json).toEqual(["a", "b"])
    expect(agreements()).toBe(1)

    expect((await change(moving, { custody: "envelope" })).json).toMatchObject({ custody: "envelope" })
    expect(await versions()).toEqual([3, 2, 1])
    expect((await decrypt(await sealAsClients(["c"], moving), moving)).json).toEqual(["c"])
    const back = await rewrap(inHsm, moving)
    service.awsCalls.length = 0
    expect((await decrypt(back, moving)).json).toEqual(["a", "b"])
    expect(agreements()).toBe(0)
    expect((await decrypt(inHsm, moving)).json).toEqual(["a", "b"])
  })

  test("is in the audit log", async () => {
    const moving = await service.newApp("sandbox")
    await change(moving, { custody: "hsm" })
    const query = `?appId=${moving.app.id}&action=app.update`
    const { json } = await service.get(`/audit-logs${query}`, { auth: service.team.auth })
    expect(JSON.stringify(json)).toContain('"details":{"custody":"hsm"}')
  })

  test("is refused with conflict to hsm while the app is symmetric, and the reverse", async () => {
    const symmetric = await service.newApp("production")
    await change(symmetric, { sealing: "symmetric" })
    expectProblem(await change(symmetric, { custody: "hsm" }), "conflict")
    expectProblem(await change(app, { sealing: "symmetric" }), "conflict")
    const both = { sealing: "symmetric", custody: "hsm" }
    expectProblem(await change(await service.newApp("production"), both), "conflict")
    const changed = await change(symmetric, { custody: "hsm", sealing: "public-key" })
    expect(changed.json).toMatchObject({ custody: "hsm", sealing: "public-key" })
    const again = await change(symmetric, { custody: "envelope", sealing: "symmetric" })
    expect(again.json).toMatchObject({ custody: "envelope", sealing: "symmetric" })
  })

  test("leaves symmetric values of earlier versions readable, and refuses those that name a version without such a key", async () => {
    const moving = await service.newApp("production")
    await change(moving, { sealing: "symmetric" })
    const sealed = String(await encrypt('"x"', moving))
    expect(sealed).toContain(":c3cx:")
    await change(moving, { custody: "hsm", sealing: "public-key" })
    expect((await decrypt([sealed], moving)).json).toEqual(["x"])
    const segments = sealed.split(":")
    const segment = Buffer.from(segments.at(-3) ?? "", "base64")
    segment[0] = 0x82
    const renamed = segments.with(-3, segment.toString("base64")).join(":")
    expectProblem(await decrypt([renamed], moving), "invalid-request")
  })

  test.each(["", "kms", null, true])("refuses %o with invalid-request", async (custody) => {
    expectProblem(await change(app, { custody }), "invalid-request")
    const body = { name: "App", environment: "sandbox", custody }
    expectProblem(await service.post("/apps", body, { auth: service.team.auth }), "invalid-request")
  })
})

describe("the agreements in KMS", () => {
  test("are one for each ephemeral key, and none once the values were opened", async () => {
    const sealed = await sealAsClients(valuesOf(100))
    expect((await decrypt(sealed)).json).toEqual(valuesOf(100))
    expect(agreements()).toBe(100)
    service.awsCalls.length = 0
    expect((await decrypt(sealed.toReversed())).json).toEqual(valuesOf(100).toReversed())
    expect(agreements()).toBe(0)
  })

  test("are shared by requests for the same ephemeral key that come at the same time", async () => {
    const [sealed] = await sealAsClients(["x"])
    const answers = await Promise.all(Array.from({ length: 10 }, () => decrypt([sealed])))
    expect(answers.map(({ json }) => json)).toEqual(Array(10).fill(["x"]))
    expect(agreements()).toBe(1)
  })

  test("are 200 in one request at most; the refusal says what to do", async () => {
    const sealed = await sealAsClients(valuesOf(201))
    expect((await decrypt(sealed.slice(0, 200))).status).toBe(200)
    const others = await sealAsClients(valuesOf(201))
    const refused = await decrypt(others)
    expectProblem(refused, "payload-too-large")
    expect(refused.text).toContain("200 key agreements in the HSM. Send fewer values at a time.")
    expect((await decrypt(sealed)).status).toBe(200)
    // What counts is agreements, not values.
    const many = (await encrypt(valuesOf(1_000))) as string[]
    expect((await decrypt(many)).json).toEqual(valuesOf(1_000))
  })

  test("are not repeated for a token that does not open, and its refusal is the usual one", async () => {
    const other = await newHsmApp()
    const [theirs = ""] = await sealAsClients(["x"], other)
    const [mine = ""] = await sealAsClients(["x"])
    const elsewhere = await service.newApp("production")
    const usual = await decrypt([mine], elsewhere)
    expectProblem(usual, "invalid-request")
    service.awsCalls.length = 0
    for (let times = 0; times < 3; times++) {
      for (const token of [theirs, flipped(mine)]) expect((await decrypt([token])).text).toBe(usual.text)
    }
    expect(agreements()).toBe(2)
  })

  test("are not asked for with what is not a point of the curve", async () => {
    const [token = ""] = await sealAsClients(["x"])
    const refused = await decrypt([flipped(token)])
    service.awsCalls.length = 0
    const segments = token.split(":")
    for (const first of [0x02, 0x03, 0x04, 0x00]) {
      const point = Buffer.concat([Buffer.of(first), Buffer.alloc(32, 0xff)]).toString("base64")
      const answer = await decrypt([segments.with(-3, point).join(":")])
      expect(answer.text).toBe(refused.text)
    }
    expect(agreements()).toBe(0)
  })
})

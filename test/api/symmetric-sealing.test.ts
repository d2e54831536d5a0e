import { randomBytes } from "node:crypto"
import { createSealingKey, isSymmetric, parseToken } from "@sealway/tokens"
import { beforeAll, describe, expect, test } from "vitest"
import vectors from "../../packages/core/tokens/vectors/symmetric.json" with { type: "json" }
import { policyOf } from "../support/policies.ts"
import { expectProblem } from "../support/problem.ts"
import { type Identity, useService } from "../support/service.ts"

const service = useService()
const octets = { contentType: "application/octet-stream" }
const DOCUMENT = { name: "héllo ✓", amount: 1.5, flags: [true, false], nothing: null, empty: {} }

let app: Identity

/** Creates an app whose values the service seals symmetrically from its first request on. */
async function newSymmetricApp(environment: "sandbox" | "production" = "production"): Promise<Identity> {
  const identity = await service.newApp(environment)
  await setSealing(identity, "symmetric")
  return identity
}

async function setSealing({ app: { id } }: Identity, sealing: "symmetric" | "public-key"): Promise<void> {
  const answer = await service.patch(`/apps/${id}`, { sealing }, { auth: service.team.auth })
  expect(answer.status).toBe(200)
}

const encrypt = async (value: unknown, { auth }: Identity = app, headers = {}) =>
  (await service.post("/encrypt", value, { auth, headers })).json
const encryptOne = async (value: unknown, identity: Identity = app, headers = {}) =>
  String(await encrypt(JSON.stringify(value), identity, headers))
const decrypt = (body: unknown, { auth }: Identity = app) => service.post("/decrypt", body, { auth })
const rewrap = async (body: unknown, { auth }: Identity = app) =>
  (await service.post("/rewrap", body, { auth })).json
const fingerprint = async (token: unknown, { auth }: Identity = app) =>
  (await service.post("/fingerprint", { token }, { auth })).json
const versionOf = (token: unknown) => parseToken(String(token))?.version

/** Seals as a client does, with the public key alone. */
async function sealAsClient(value: string, role: string | null = null, identity: Identity = app) {
  const keys = await service.get("/keys", { auth: identity.auth })
  const { ecdhP256Key } = keys.json as { ecdhP256Key: string }
  const debug = identity.app.environment === "sandbox"
  const key = createSealingKey({ appPublicKey: Buffer.from(ecdhP256Key, "base64"), debug })
  return key.seal("string", value, { role, encryptedAt: 1_700_000_000 })
}

beforeAll(async () => {
  app = await newSymmetricApp()
  await service.newRole(app.app, "open")
  await service.newRole(app.app, "closed")
  await service.post("/data-policies", policyOf("open"), { auth: app.auth })
})

describe("an app whose values are sealed symmetrically", () => {
  test("gets symmetric tokens for all types, with and without role, and gets its values back", async () => {
    for (const headers of [{}, { "x-service-data-role": "open" }]) {
      const sealed = await encrypt(DOCUMENT, app, headers)
      const tokens = JSON.stringify(sealed).match(/ev:[^"]*/g) ?? []
      expect(tokens.map(versionOf)).toEqual(tokens.map(() => "c3cx"))
      expect(tokens).toHaveLength(4)
      expect((await decrypt(sealed)).json).toEqual(DOCUMENT)
    }
  })

  test("keeps digits, and gets tokens that are no longer than any token of the value", async () => {
    const literal = "[12345678901234567890.10,1e400,-0.0]"
    const sealed = (await service.post("/encrypt", literal, { auth: app.auth })).text
    expect((await decrypt(sealed)).text).toBe(literal)
    expect((await encryptOne("4242424242424242")).length).toBe(135)
  })

  test("gets tokens that carry debug exactly when it is a sandbox app", async () => {
    const sandbox = await newSymmetricApp("sandbox")
    const token = await encryptOne("x", sandbox)
    expect([token.startsWith("ev:debug:c3cx:"), (await encryptOne("x")).startsWith("ev:c3cx:")]).toEqual([
      true,
      true,
    ])
    expect((await decrypt([token], sandbox)).json).toEqual(["x"])
  })

  test("can decrypt what clients sealed, beside its own values, in one document", async () => {
    const document = [await sealAsClient("a"), await encryptOne("b"), await sealAsClient("c"), "plain"]
    expect((await decrypt(document)).json).toEqual(["a", "b", "c", "plain"])
  })

  test("can decrypt values that were sealed before the setting changed, and after it changed back", async () => {
    const changing = await service.newApp("production")
    const before = await encryptOne("x", changing)
    const symmetric = await encryptOne("x")
    expect([versionOf(before), versionOf(symmetric)]).toEqual(["Tk9D", "c3cx"])
    await setSealing(changing, "symmetric")
    expect((await decrypt([before], changing)).json).toEqual(["x"])
    const other = await newSymmetricApp()
    const token = await encryptOne("y", other)
    await setSealing(other, "public-key")
    expect((await decrypt([token], other)).json).toEqual(["y"])
  })

  test("has its values' roles decided by policies, for values of either kind", async () => {
    for (const seal of [
      (role: string) => sealAsClient("x", role),
      (role: string) => encryptOne("x", app, { "x-service-data-role": role }),
    ]) {
      expect((await decrypt([await seal("open")])).json).toEqual(["x"])
      expectProblem(await decrypt([await seal("closed")]), "decrypt/forbidden")
    }
  })

  test("gets the same fingerprint for a value of either kind, and the role and time of one with a role", async () => {
    const [own, clients] = [await encryptOne("4242424242424242"), await sealAsClient("4242424242424242")]
    expect(await fingerprint(own)).toEqual(await fingerprint(clients))
    expect(await fingerprint(own)).not.toHaveProperty("encryptedAt")
    const held = await encryptOne("x", app, { "x-service-data-role": "open" })
    expect(await fingerprint(held)).toMatchObject({ role: "open", encryptedAt: expect.any(Number) })
  })

  test("moves clients' values over by rewrap, keeping type, role and time", async () => {
    const sealed = [await sealAsClient("x", "open"), await sealAsClient("y"), "plain", 7]
    const moved = (await rewrap(sealed)) as string[]
    expect(moved.slice(0, 2).map(versionOf)).toEqual(["c3cx", "c3cx"])
    expect(moved.slice(2)).toEqual(["plain", 7])
    expect((await decrypt(moved)).json).toEqual(["x", "y", "plain", 7])
    expect(await fingerprint(moved[0])).toEqual({
      ...((await fingerprint(sealed[0])) as object),
      role: "open",
      encryptedAt: 1_700_000_000_000,
    })
  })

  test("moves its values back to the public key by rewrap, once it is set so", async () => {
    const first = await newSymmetricApp()
    // Not by a request, after which the service would keep the app's setting for ten seconds.
    const { symmetric } = await service.service.platform.keyring.newest(first.app, "value")
    const sealed = ["x", "y"].map((value) => symmetric.sealingKeys.current().seal("string", value))
    expect(sealed.map(versionOf)).toEqual(["c3cx", "c3cx"])
    await setSealing(first, "public-key")

    const moved = (await rewrap(sealed, first)) as string[]

    expect(moved.map(versionOf)).toEqual(["Tk9D", "Tk9D"])
    expect((await decrypt([...moved, ...sealed], first)).json).toEqual(["x", "y", "x", "y"])
  })

  test("gets a symmetric file, of version 4, and the file back; a client's file opens too", async () => {
    for (const size of [0, 1, 100_000]) {
      const file = randomBytes(size)
      const sealed = await service.post("/encrypt", file, { auth: app.auth, ...octets })
      expect([sealed.bytes[6], sealed.bytes.length]).toEqual([4, size + 75])
      expect((await service.post("/decrypt", sealed.bytes, { auth: app.auth, ...octets })).bytes).toEqual(
        file,
      )
      const again = await service.post("/encrypt", sealed.bytes, { auth: app.auth, ...octets })
      expect(again.bytes).toEqual(sealed.bytes)
      const moved = await service.post("/rewrap", sealed.bytes, { auth: app.auth, ...octets })
      expect(moved.bytes[6]).toBe(4)
      expect((await service.post("/decrypt", moved.bytes, { auth: app.auth, ...octets })).bytes).toEqual(file)
    }
  })

  test("can decrypt values of every key version after a rotation, and rewraps them to the newest", async () => {
    const rotating = await newSymmetricApp()
    const first = await encryptOne("1", rotating)
    const path = `/apps/${rotating.app.id}/keys/rotate`
    expect((await service.post(path, undefined, { auth: service.team.auth })).status).toBe(201)
    const second = await encryptOne("2", rotating)
    const keyVersions = (tokens: readonly string[]) =>
      tokens.map((text) => parseToken(text)).map((token) => token && isSymmetric(token) && token.keyVersion)
    expect(keyVersions([first, second])).toEqual([1, 2])
    expect((await decrypt([first, second], rotating)).json).toEqual(["1", "2"])
    const moved = (await rewrap([first, second], rotating)) as string[]
    expect(keyVersions(moved)).toEqual([2, 2])
    expect((await decrypt(moved, rotating)).json).toEqual(["1", "2"])
  })

  test("can issue client-side tokens for its values", async () => {
    const payload = { card: await encryptOne("4242") }
    const issued = await service.post(
      "/client-side-tokens",
      { action: "api:decrypt", payload },
      { auth: app.auth },
    )
    const { token } = issued.json as { token: string }
    const headers = { authorization: `Token ${token}` }
    expect((await service.post("/decrypt", payload, { auth: null, headers })).json).toEqual({ card: "4242" })
  })
})

describe("a symmetric value", () => {
  test("is refused by another app, and by a sandbox app of the same team, like any token that does not open", async () => {
    const token = await encryptOne("x")
    const unknown = await decrypt([vectors.vectors[0]?.token])
    expectProblem(unknown, "invalid-request")
    for (const other of [
      await newSymmetricApp(),
      await newSymmetricApp("sandbox"),
      await service.newApp("production"),
    ]) {
      const answer = await decrypt([token], other)
      expectProblem(answer, "invalid-request")
      expect(answer.text).toBe(unknown.text)
    }
  })

  test("is refused alike whatever is wrong with it: version, salt, IV, tag, markers, another version's form", async () => {
    const token = await encryptOne("42")
    const parsed = parseToken(token)
    if (parsed === null || !isSymmetric(parsed)) throw new Error("Not a symmetric token")
    const [, version = "", iv = "", segment = "", ciphertext = ""] = token.split(":")
    const renamed = (byte: number) => {
      const changed = Buffer.from(parsed.keySegment)
      changed[0] = byte
      return changed.toString("base64")
    }
    const swap = (text: string) => (text.startsWith("A") ? "B" : "A") + text.slice(1)
    const changed = [
      ["ev", version, iv, renamed(0x82), ciphertext, "$"],
      ["ev", version, iv, renamed(0xff), ciphertext, "$"],
      ["ev", version, iv, renamed(0x80), ciphertext, "$"],
      ["ev", version, iv, renamed(0x02), ciphertext, "$"],
      ["ev", version, iv, segment.slice(0, 8) + swap(segment.slice(8)), ciphertext, "$"],
      ["ev", version, swap(iv), segment, ciphertext, "$"],
      ["ev", version, iv, segment, swap(ciphertext), "$"],
      ["ev", version, "number", iv, segment, ciphertext, "$"],
      ["ev", "debug", version, iv, segment, ciphertext, "$"],
      ...["Tk9D", "QkTC", "RFVC", "S0lS"].map((other) => ["ev", other, iv, segment, ciphertext, "$"]),
    ].map((segments) => segments.join(":"))
    const answers = await Promise.all(changed.map((text) => decrypt([text])))
    for (const answer of answers) {
      expectProblem(answer, "invalid-request")
      expect(answer.text).toBe(answers[0]?.text)
    }
  })

  test("does not open with the public key's private key alone, nor does the app's key agree with its salt", async () => {
    const token = parseToken(await encryptOne("x"))
    if (token === null || !isSymmetric(token)) throw new Error("Not a symmetric token")
    const keys = await service.service.platform.keyring.newest(app.app, "private")
    const agree = async () => keys.sharedSecret("prime256v1", token.keySegment)
    await expect(agree).rejects.toMatchObject({ code: "invalid-request" })
  })
})

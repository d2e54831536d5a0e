import { createRequire } from "node:module"
import { parseToken } from "@sealway/tokens"
import { beforeAll, describe, expect, test, vi } from "vitest"
import { useService } from "../support/service.ts"

/** The parts of the client used here: https://www.npmjs.com/package/@evervault/sdk */
interface Client {
  encrypt(data: unknown, role?: string): Promise<unknown>
  decrypt(data: unknown): Promise<unknown>
  createClientSideDecryptToken(payload: unknown, expiry?: number): Promise<{ token: string; expiry: Date }>
}
type ClientClass = new (appId: string, apiKey: string, options?: { curve: string }) => Client

const service = useService()
const CURVES = ["secp256k1", "prime256v1"] as const

/** Loads the client, which reads the address when it is loaded. */
function load(): ClientClass {
  vi.stubEnv("EV_API_URL", service.url)
  return createRequire(import.meta.url)("@evervault/sdk") as ClientClass
}

beforeAll(async () => {
  const { app, auth } = service.production
  for (const slug of ["pci", "open"]) await service.newRole(app, slug)
  const policy = { name: "Everybody", effect: "permit", roles: ["open"], conditions: {} }
  expect((await service.post("/data-policies", policy, { auth })).status).toBe(201)
})

describe.each(CURVES)("@evervault/sdk on %s", (curve) => {
  const client = (identity = service.production): Client =>
    new (load())(identity.auth.user, identity.auth.key, { curve })

  test.each([
    ["a string", "4242424242424242"],
    ["text beyond ASCII", "héllo wörld ✓ 🚀"],
    ["an integer", 42],
    ["a float", -3.14159e-7],
    ["a boolean", false],
    ["an array", ["a", 1, true, null, ["b"]]],
    ["an object", { a: "x", b: { c: [1, { d: true }], e: null }, f: {} }],
  ])("encrypts %s that its decrypt restores through the service", async (_what, data) => {
    const sdk = client()
    const encrypted = await sdk.encrypt(data)
    expect(JSON.stringify(encrypted)).toContain("ev:")
    expect(await sdk.decrypt(encrypted)).toEqual(data)
  })

  test("encrypts a buffer that its decrypt restores through the service", async () => {
    const sdk = client()
    const file = Buffer.alloc(100_001, "file\0")
    const encrypted = await sdk.encrypt(file)
    expect(Buffer.isBuffer(encrypted) && encrypted.subarray(0, 6).toString()).toBe("%EVENC")
    expect(file.equals((await sdk.decrypt(encrypted)) as Buffer)).toBe(true)
  })

  test("encrypts with a role that the service reads, and whose values it denies while the role has no policy", async () => {
    const sdk = client()
    const data = { a: "x", b: [7, true] }
    const encrypted = (await sdk.encrypt(data, "pci")) as { a: string; b: string[] }
    const types = await Promise.all(
      [encrypted.a, ...encrypted.b].map(
        async (token) =>
          (await service.post("/fingerprint", { token }, { auth: service.production.auth })).json,
      ),
    )
    expect(types).toEqual(
      ["string", "integer", "boolean"].map((type) =>
        expect.objectContaining({ type, role: "pci", encryptedAt: expect.any(Number) }),
      ),
    )
    await expect(sdk.decrypt(encrypted)).rejects.toThrow(
      "Decryption of the provided data is restricted by your current policies. Please check and modify your policies, if needed, to enable decryption in this context.",
    )
  })

  test("decrypts symmetric values and files of the service, beside its own", async () => {
    const identity = await service.newApp("production")
    const { auth } = identity
    const changed = await service.patch(
      `/apps/${identity.app.id}`,
      { sealing: "symmetric" },
      { auth: service.team.auth },
    )
    expect(changed.status).toBe(200)
    const data = { card: "4242424242424242", amount: 12.5, valid: true }
    const { json: symmetric } = await service.post("/encrypt", data, { auth })
    expect(JSON.stringify(symmetric).match(/ev:c3cx:/g)).toHaveLength(3)
    const sdk = client(identity)
    const own = await sdk.encrypt(data)
    expect(await sdk.decrypt({ symmetric, own })).toEqual({ symmetric: data, own: data })
    const file = Buffer.alloc(10_001, "file\0")
    const sealed = await service.post("/encrypt", file, { auth, contentType: "application/octet-stream" })
    expect(file.equals((await sdk.decrypt(sealed.bytes)) as Buffer)).toBe(true)
  })

  test("decrypts values with a role that its policies permit", async () => {
    const data = { card: "4242424242424242", amount: 12.5, valid: true }
    expect(await client().decrypt(await client().encrypt(data, "open"))).toEqual(data)
  })

  test.each([
    ["first", "open"],
    ["second", undefined],
  ] as const)(
    "decrypts what one client has sealed with a role and without, the role %s",
    async (_order, first) => {
      const sdk = client()
      const second = first === undefined ? "open" : undefined
      const encrypted = [
        await sdk.encrypt("a", first),
        await sdk.encrypt(7, second),
        await sdk.encrypt("b", first),
      ]
      expect(await sdk.decrypt(encrypted)).toEqual(["a", 7, "b"])
      // Each alone too: in a document, the first value may have shown the key of the next.
      for (const [index, value] of ["a", 7, "b"].entries()) {
        expect(await sdk.decrypt([encrypted[index]])).toEqual([value])
      }
      const file = Buffer.from("file")
      expect(file.equals((await sdk.decrypt(await sdk.encrypt(file))) as Buffer)).toBe(true)
    },
  )

  test("issues client-side tokens that decrypt its payload and no other", async () => {
    const sdk = client()
    const payload = { card: await sdk.encrypt("4242424242424242") }
    const { token, expiry } = await sdk.createClientSideDecryptToken(payload)
    expect(expiry.getTime() - Date.now()).toBeLessThanOrEqual(5 * 60_000)
    const headers = { authorization: `Token ${token}` }
    const opened = await service.post("/decrypt", payload, { auth: null, headers })
    expect(opened.json).toEqual({ card: "4242424242424242" })
    expect((await service.post("/decrypt", [payload], { auth: null, headers })).status).toBe(403)
  })

  test("has its tokens, with role and without, sealed again as tokens of the service's own versions", async () => {
    const sdk = client()
    const { auth } = service.production
    const tokens = [await sdk.encrypt("x"), await client().encrypt("x", "pci")]
    const rewrapped = (await service.post("/rewrap", tokens, { auth })).json as string[]
    expect(rewrapped.map((token) => parseToken(token)?.version)).toEqual(["Tk9D", "QkTC"])
    expect(await sdk.decrypt([rewrapped[0]])).toEqual(["x"])
  })

  test("seals for a sandbox app without the debug segment, and the service opens it", async () => {
    const sdk = client(service.sandbox)
    const token = await sdk.encrypt("x")
    expect(token).not.toContain("debug")
    expect(await sdk.decrypt({ token })).toEqual({ token: "x" })
  })

  test("decrypts what the service encrypted", async () => {
    const data = { name: "Ada", age: 36, active: true }
    const { json } = await service.post("/encrypt", data, { auth: service.production.auth })
    expect(await client().decrypt(json)).toEqual(data)
  })

  test("reports another app's value as an error", async () => {
    const token = await client(service.sandbox).encrypt("x")
    await expect(client().decrypt(token)).rejects.toThrow("cannot be decrypted")
  })
})

describe("@evervault/sdk for an app whose keys are in an HSM", () => {
  test("encrypts and decrypts on P-256, and fails on secp256k1 before it encrypts", async () => {
    const identity = await service.newApp("production")
    const { auth } = service.team
    const changed = await service.patch(`/apps/${identity.app.id}`, { custody: "hsm" }, { auth })
    expect(changed.status).toBe(200)
    const client = (curve: string) => new (load())(identity.auth.user, identity.auth.key, { curve })
    const data = { card: "4242424242424242", amounts: [1, 2.5], ok: true }
    const sealed = await client("prime256v1").encrypt(data)
    expect(JSON.stringify(sealed).match(/ev:/g)).toHaveLength(4)
    expect(await client("prime256v1").decrypt(sealed)).toEqual(data)
    await expect(client("secp256k1").encrypt(data)).rejects.toThrow()
  })
})

import { Sealway } from "@sealway/sdk"
import { createSealer, type Sealer } from "@sealway/sdk/sealing"
import { sealing as nodeSealing } from "@sealway/sdk/sealing/node"
import { sealing as webSealing } from "@sealway/sdk/sealing/web"
import fc from "fast-check"
import { beforeAll, describe, expect, test } from "vitest"
import type { Identity } from "../support/service.ts"
import { useService } from "../support/service.ts"

const service = useService()

beforeAll(async () => {
  for (const { app, auth } of [service.sandbox, service.production]) {
    for (const slug of ["open", "closed"]) await service.newRole(app, slug)
    const policy = { name: "Everybody", effect: "permit", roles: ["open"], conditions: {} }
    expect((await service.post("/data-policies", policy, { auth })).status).toBe(201)
  }
})

function clientOf({ auth }: Identity): Sealway {
  return new Sealway({ appId: auth.user, apiKey: auth.key, baseUrl: service.url, allowHttp: true })
}

/** Any JSON whose strings are text, as its reader has it. */
const documents = fc
  .jsonValue({ maxDepth: 4, stringUnit: "grapheme" })
  .map((value) => JSON.parse(JSON.stringify(value)) as unknown)
  .filter((value) => !JSON.stringify(value).includes("ev:"))
const roles = fc.constantFrom("open", undefined)

describe.each([
  ["node:crypto", nodeSealing],
  ["WebCrypto", webSealing],
])("what the SDK encrypts on %s", (_name, platform) => {
  const sealerOf = ({ auth }: Identity): Sealer =>
    createSealer({
      platform,
      async appKey() {
        const { json, headers } = await service.get("/keys", { auth })
        const { ecdhP256KeyUncompressed } = json as { ecdhP256KeyUncompressed: string }
        return { ecdhP256KeyUncompressed, isSandbox: headers.get("x-service-debug-mode") === "true" }
      },
    })

  test.each(["sandbox", "production"] as const)(
    "the service opens, for any JSON in a %s app",
    async (environment) => {
      const { auth } = service[environment]
      const sealer = sealerOf(service[environment])
      const property = fc.asyncProperty(documents, roles, async (document, role) => {
        const sealed = await sealer.encrypt(document, role)
        const opened = await service.post("/decrypt", JSON.stringify([sealed]), { auth })
        expect(opened.text).toBe(JSON.stringify([document]))
      })
      await fc.assert(property, { numRuns: 30 })
    },
  )

  test("carries its role, and stays shut without a policy for it", async () => {
    const { auth } = service.sandbox
    const token = await sealerOf(service.sandbox).encrypt(7, "closed")
    expect((await service.post("/fingerprint", { token }, { auth })).json).toMatchObject({
      type: "integer",
      role: "closed",
    })
    expect((await service.post("/decrypt", [token], { auth })).json).toMatchObject({
      code: "decrypt/forbidden",
    })
  })

  test("stays shut for another app", async () => {
    const token = await sealerOf(service.sandbox).encrypt("x")
    const { auth } = service.production
    expect((await service.post("/decrypt", [token], { auth })).json).toMatchObject({
      code: "invalid-request",
    })
  })

  test("opens as a file, from bytes and from a stream", async () => {
    const { auth } = service.production
    const sealer = sealerOf(service.production)
    const content = Uint8Array.from({ length: 100_001 }, (_, index) => index % 251)
    const stream = await sealer.encrypt(new Blob([content]).stream())
    const files = [await sealer.encrypt(content), new Uint8Array(await new Response(stream).arrayBuffer())]
    for (const file of files) {
      const opened = await service.post("/decrypt", Buffer.from(file), {
        auth,
        contentType: "application/octet-stream",
      })
      expect(opened.bytes.equals(content)).toBe(true)
    }
  })

  test("is kept as it is by /encrypt, and what /encrypt returns is kept by the SDK", async () => {
    const { auth } = service.production
    const sealer = sealerOf(service.production)
    const own = await sealer.encrypt({ a: "x", b: [1, true] })
    expect((await service.post("/encrypt", own, { auth })).json).toEqual(own)
    const { json } = await service.post("/encrypt", { a: "x", b: [1, true] }, { auth })
    expect(await sealer.encrypt(json)).toEqual(json)
    const options = { auth, contentType: "application/octet-stream" }
    const file = await sealer.encrypt(new Uint8Array(10))
    expect((await service.post("/encrypt", Buffer.from(file), options)).bytes.equals(file)).toBe(true)
    const { bytes } = await service.post("/encrypt", Buffer.alloc(10), options)
    expect(bytes.equals(await sealer.encrypt(bytes))).toBe(true)
  })

  test("opens after the app's keys were rotated, and is then sealed to the new key", async () => {
    const identity = await service.newApp("production")
    const { auth } = identity
    const sealer = sealerOf(identity)
    const before = await sealer.encrypt("before")
    expect(
      (await service.post(`/apps/${identity.app.id}/keys/rotate`, {}, { auth: service.team.auth })).status,
    ).toBe(201)
    const after = await sealer.encrypt("after")
    expect((await service.post("/decrypt", [before, after], { auth })).json).toEqual(["before", "after"])
  })
})

test("a client decrypts what it encrypted, values and files", async () => {
  const sealway = clientOf(service.production)
  const document = { card: "4242424242424242", amounts: [12.5, 1e21], valid: true, note: null }
  expect(await sealway.decrypt(await sealway.encrypt(document, "open"))).toEqual(document)
  const file = await sealway.encrypt(new TextEncoder().encode("file"))
  expect(new TextDecoder().decode((await sealway.decrypt(file)) as Uint8Array)).toBe("file")
})

test("a client decrypts what the service encrypted", async () => {
  const document = { name: "Ada", age: 36, active: true }
  const { json } = await service.post("/encrypt", document, { auth: service.production.auth })
  expect(await clientOf(service.production).decrypt(json)).toEqual(document)
})

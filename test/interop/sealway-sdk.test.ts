import { createRequire } from "node:module"
import { Sealway } from "@sealway/sdk"
import { createSealer, type Sealer } from "@sealway/sdk/sealing"
import { sealing as webSealing } from "@sealway/sdk/sealing/web"
import { beforeAll, describe, expect, test, vi } from "vitest"
import { useService } from "../support/service.ts"

/** The parts of the client used here: https://www.npmjs.com/package/@evervault/sdk */
interface OtherClient {
  encrypt(data: unknown, role?: string): Promise<unknown>
  decrypt(data: unknown): Promise<unknown>
}
type OtherClientClass = new (appId: string, apiKey: string, options?: { curve: string }) => OtherClient

const service = useService()
const DOCUMENT = { card: "4242424242424242", name: "Zoë ✓", amounts: [1, -2.5e-7], valid: true, note: null }

beforeAll(async () => {
  vi.stubEnv("EV_API_URL", service.url)
  const { app, auth } = service.production
  await service.newRole(app, "open")
  const policy = { name: "Everybody", effect: "permit", roles: ["open"], conditions: {} }
  expect((await service.post("/data-policies", policy, { auth })).status).toBe(201)
})

function sealway(): Sealway {
  const { auth } = service.production
  return new Sealway({ appId: auth.user, apiKey: auth.key, baseUrl: service.url, allowHttp: true })
}

function webSealer(): Sealer {
  return createSealer({
    platform: webSealing,
    async appKey() {
      const { json } = await service.get("/keys", { auth: service.production.auth })
      return { ...(json as { ecdhP256KeyUncompressed: string }), isSandbox: false }
    },
  })
}

function otherClient(curve = "prime256v1"): OtherClient {
  const { auth } = service.production
  const Client = createRequire(import.meta.url)("@evervault/sdk") as OtherClientClass
  return new Client(auth.user, auth.key, { curve })
}

describe.each(["open", undefined])("with the role %s", (role) => {
  test.each([
    ["node:crypto", (): Pick<Sealer, "encrypt"> => sealway()],
    ["WebCrypto", webSealer],
  ])("@evervault/sdk decrypts what the SDK encrypts on %s", async (_name, sealer) => {
    expect(await otherClient().decrypt(await sealer().encrypt(DOCUMENT, role))).toEqual(DOCUMENT)
  })

  test.each(["prime256v1", "secp256k1"])(
    "the SDK decrypts what @evervault/sdk encrypts on %s, and keeps it when it encrypts",
    async (curve) => {
      const sealed = await otherClient(curve).encrypt(DOCUMENT, role)
      expect(await sealway().decrypt(sealed)).toEqual(DOCUMENT)
      expect(await sealway().encrypt(sealed)).toEqual(sealed)
    },
  )
})

test("each decrypts the other's files, and keeps them when it encrypts", async () => {
  const content = Buffer.alloc(100_001, "file\0")
  for (const file of [await sealway().encrypt(content), await webSealer().encrypt(content)]) {
    expect(content.equals((await otherClient().decrypt(Buffer.from(file))) as Buffer)).toBe(true)
  }
  const other = (await otherClient().encrypt(content)) as Buffer
  expect(content.equals((await sealway().decrypt(other)) as Uint8Array)).toBe(true)
  expect(other.equals(await sealway().encrypt(other))).toBe(true)
})

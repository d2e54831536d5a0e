import { Sealway, SealwayBrowser } from "@sealway/sdk"
import { createSealer } from "@sealway/sdk/sealing"
import { sealing as nodeSealing } from "@sealway/sdk/sealing/node"
import { sealing as webSealing } from "@sealway/sdk/sealing/web"
import { parseToken } from "@sealway/tokens"
import { describe, expect, test } from "vitest"
import { useService } from "../support/service.ts"

const service = useService()
const DOCUMENT = { name: "Ada", born: 1815, isAlive: false, notes: [null, {}, "✓"] }

const clientOf = ({ auth } = service.sandbox) =>
  new Sealway({ appId: auth.user, apiKey: auth.key, baseUrl: service.url, allowHttp: true })
const pageOf = ({ app } = service.sandbox) =>
  new SealwayBrowser({ teamId: app.teamId, appId: app.id, baseUrl: service.url, allowHttp: true })
const keyOf = (dataSubject: string, identity = service.sandbox) =>
  clientOf(identity).api.getDataSubjectKey({ dataSubject })

describe("the SDK encrypts for a data subject", () => {
  test.each(["sandbox", "production"] as const)(
    "what the service opens, in a %s app",
    async (environment) => {
      const client = clientOf(service[environment])
      const sealed = await client.encrypt(DOCUMENT, { dataSubject: "ada" })
      expect(parseToken(sealed.name)).toMatchObject({ version: "c3cz", debug: environment === "sandbox" })
      expect(await client.decrypt(sealed)).toEqual(DOCUMENT)
      const { id } = await keyOf("ada", service[environment])
      const list = await client.api.listDataSubjects({ dataSubject: "ada" }).page()
      expect(list.data.map((each) => each.id)).toEqual([id])
    },
  )

  test.each([nodeSealing, webSealing])(
    "with a role, and the type and digits of each value, on $name",
    async (platform) => {
      const role = `subject-${platform.name}`
      await service.newRole(service.sandbox.app, role)
      const key = await keyOf("roles")
      const sealer = createSealer({
        platform,
        appKey: () => Promise.reject(new Error("It needs no key of the app")),
      })
      const token = await sealer.encrypt(7, role, () => key)
      expect(await clientOf().fingerprint(token)).toMatchObject({ type: "integer", role })
      const plain = await sealer.encrypt(7.5, undefined, () => key)
      expect(await clientOf().decrypt(plain)).toBe(7.5)
    },
  )

  test("in a page, with the key that its server has got", async () => {
    const key = await keyOf("page")
    const sealed = await pageOf().encrypt({ name: "Ada" }, { dataSubject: key })
    expect(parseToken(sealed.name)?.version).toBe("c3cz")
    expect(await clientOf().decrypt(sealed)).toEqual({ name: "Ada" })
    const another = { ...key, app: service.production.app.id }
    for (const bad of [another, { ...key, id: "data_subject_1" }, { ...key, publicKey: "" }]) {
      await expect(pageOf().encrypt("x", { dataSubject: bad })).rejects.toThrow(TypeError)
    }
  })

  test("nothing where the id or the key of the data subject is undefined", async () => {
    const missing: never = undefined as never
    await expect(clientOf().encrypt("x", { dataSubject: missing })).rejects.toThrow(TypeError)
    await expect(pageOf().encrypt("x", { dataSubject: missing })).rejects.toThrow(TypeError)
  })

  test("no file", async () => {
    await expect(clientOf().encrypt(new Uint8Array(1), { dataSubject: "ada" })).rejects.toThrow(TypeError)
    await expect(clientOf().encrypt(new Blob(["x"]), { dataSubject: "ada" })).rejects.toThrow(TypeError)
  })

  test("nothing for one that is going to be erased, once the key is 5 seconds old; what it seals until then stays shut", async () => {
    const windowed = await service.newApp("sandbox")
    const changed = await service.patch(
      `/apps/${windowed.app.id}`,
      { erasureDays: 1 },
      { auth: service.team.auth },
    )
    expect(changed.status).toBe(200)
    const client = clientOf(windowed)
    const sealed = await client.encrypt("Eve", { dataSubject: "eve" })
    const { id } = await keyOf("eve", windowed)
    await client.api.deleteDataSubject({ dataSubjectId: id })
    const late = await client.encrypt("Eve", { dataSubject: "eve" })
    for (const token of [sealed, late]) {
      await expect(client.decrypt(token)).rejects.toMatchObject({ code: "data-subject/erased" })
    }
    await expect(clientOf(windowed).encrypt("Eve", { dataSubject: "eve" })).rejects.toMatchObject({
      code: "conflict",
    })
  })

  test.each(["", "é"])("not under the id %j, which is no header", async (dataSubject) => {
    await expect(clientOf().encrypt("x", { dataSubject })).rejects.toThrow(TypeError)
  })

  test.each(["a,b", "a b", "x".repeat(129)])(
    "not under the id %j, which the service refuses with invalid-request",
    async (dataSubject) => {
      await expect(clientOf().encrypt("x", { dataSubject })).rejects.toMatchObject({
        code: "invalid-request",
      })
    },
  )
})

import { createService } from "@sealway/api"
import { describe, expect, test } from "vitest"
import { useService } from "../support/service.ts"

const service = useService()
const endpoints = () => createService(service.service.platform).endpoints.map(({ endpoint }) => endpoint)

/** Bodies with a field that schemas drop silently: `JSON.parse` makes it an own property. */
const DROPPED = [
  '{"__proto__":{"admin":true}}',
  '{"\\u005f\\u005fproto__":1}',
  '{"payload":{"a":1,"__proto__":{"b":2}},"action":"api:decrypt"}',
  '{"a":1,"__proto__":{"b":2}}',
  '{"payload":{"deep":[{"__proto__":[]}]}}',
]

describe("a field named __proto__", () => {
  test("is refused with invalid-request by every endpoint that parses its body", async () => {
    let tried = 0
    for (const { id, method, path, auth, request } of endpoints()) {
      if (request.body?.kind !== "object") continue
      const target = path
        .replaceAll("{app_id}", service.sandbox.app.id)
        .replaceAll("{team_id}", service.team.id)
        .replaceAll(/\{[a-z_]+\}/g, "nothing")
      const credentials = auth[0]?.name === "team-key" ? service.team.auth : service.sandbox.auth
      for (const body of DROPPED) {
        const { status, json } = await service.call(method, target, body, { auth: credentials })
        expect({ id, status, json }).toMatchObject({
          id,
          status: 400,
          json: { code: "invalid-request", detail: expect.stringContaining("__proto__") },
        })
        tried++
      }
    }
    expect(tried).toBeGreaterThan(20 * DROPPED.length)
  })

  test("is kept by every endpoint that accepts documents", async () => {
    const documents = endpoints().filter(
      ({ request: { body } }) => body?.kind === "document" && body.formats.includes("json"),
    )
    // Runs of a function are tested with the functions. A connector's event is parsed and refused. What is revealed is
    // decrypted as by `/decrypt`, and so is what an enclave attests.
    const ids = documents
      .map(({ id }) => id)
      .filter((id) => id !== "receive-connector-event" && id !== "decrypt-for-enclave")
      .sort()
    expect(ids).toEqual([
      ...["decrypt", "decrypt-format", "encrypt", "encrypt-format", "reveal", "rewrap", "rewrap-format"],
      ...["run-bare-payload", "run-function"],
    ])
    const body = '{"a":"x","__proto__":{"b":"y"}}'
    const shape = /^\{"a":"ev:[^"]+","__proto__":\{"b":"ev:[^"]+"\}\}$/
    const sealed = (await service.post("/encrypt", body)).text
    expect(sealed).toMatch(shape)
    const rewrapped = (await service.post("/rewrap", sealed)).text
    expect(rewrapped).toMatch(shape)
    expect((await service.post("/decrypt", rewrapped)).text).toBe(body)

    await service.post("/data-roles", { slug: "day", name: "Days" })
    await service.post("/data-policies", { name: "Days", effect: "permit", roles: ["day"], conditions: {} })
    await service.post("/formats", { name: "days", role: "day", preset: "date" })
    const days = '{"a":"1815-12-10","__proto__":{"b":"1852-11-27"}}'
    const tokens = (await service.post("/formats/days/encrypt", days)).text
    expect(tokens).toMatch(/^\{"a":"[-0-9]{10}","__proto__":\{"b":"[-0-9]{10}"\}\}$/)
    expect((await service.post("/formats/days/rewrap?version=1", tokens)).text).toBe(tokens)
    expect((await service.post("/formats/days/decrypt", tokens)).text).toBe(days)
  })

  test("is refused in a document sent with a client-side token: no payload contains it", async () => {
    const payload = { a: (await service.post("/encrypt", '"x"')).json }
    const issued = await service.post("/client-side-tokens", { action: "api:decrypt", payload })
    const { token } = issued.json as { token: string }
    const options = { auth: null, headers: { authorization: `Token ${token}` } }
    const widened = `{"a":${JSON.stringify(payload.a)},"__proto__":{"b":${JSON.stringify(payload.a)}}}`
    const refused = await service.post("/decrypt", widened, options)
    expect([refused.status, refused.json]).toMatchObject([400, { code: "invalid-request" }])
    expect((await service.post("/decrypt", payload, options)).json).toEqual({ a: "x" })
  })
})

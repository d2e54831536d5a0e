import { createService } from "@sealway/api"
import type { AwsCall } from "@sealway/platform"
import { describe, expect, test } from "vitest"
import { type Identity, useService } from "../support/service.ts"

const service = useService()
const octets = { contentType: "application/octet-stream" }

describe("AWS calls", () => {
  test("are none at all once a request is warm", async () => {
    const token = String((await service.post("/encrypt", '"x"')).json)
    const file = (await service.post("/encrypt", Buffer.from("x"), octets)).bytes
    const round = async () => {
      const answers = [
        await service.post("/encrypt", { a: ["x", 1, true] }),
        await service.post("/encrypt", Buffer.from("x"), octets),
        await service.post("/decrypt", { a: token }),
        await service.post("/decrypt", file, octets),
        await service.post("/fingerprint", { token }),
        await service.post("/inspect", { token }),
        await service.post("/rewrap", [token]),
        await service.get("/keys"),
        await service.get(`/${service.team.id}/apps/${service.sandbox.app.id}`, { auth: null }),
      ]
      expect(answers.map(({ status }) => status)).toEqual(Array(answers.length).fill(200))
    }
    await round()
    service.awsCalls.length = 0
    await round()
    expect(service.awsCalls).toEqual([])
  })

  test("are at most four for the first request of an app, and one KMS Decrypt opens all its keys", async () => {
    const { auth } = await service.newApp("production")
    service.awsCalls.length = 0
    await service.post("/encrypt", '"x"', { auth })
    expect(service.awsCalls.map(named)).toEqual([
      "dynamodb:GetItem",
      "dynamodb:GetItem",
      "dynamodb:Query",
      "kms:Decrypt",
    ])
  })

  test("are shared by requests that come at once for a cold app", async () => {
    const { auth } = await service.newApp("production")
    service.awsCalls.length = 0
    await Promise.all(Array.from({ length: 20 }, () => service.post("/encrypt", '"x"', { auth })))
    expect(service.awsCalls).toHaveLength(4)
  })

  test("are not made for keys whose checksum is wrong", async () => {
    service.awsCalls.length = 0
    await service.post("/encrypt", '"x"', {
      auth: { user: "app_x", key: `swk_sandbox_${"a".repeat(43)}_aaaaaa` },
    })
    expect(service.awsCalls).toEqual([])
  })

  test("of a cold request are those that its endpoint declares as grants, neither more nor fewer", async () => {
    const foreign = String((await service.post("/encrypt", '"x"')).json)
    const requests: Record<string, (identity: Identity) => Promise<unknown>> = {
      encrypt: ({ auth }) => service.post("/encrypt", '"x"', { auth }),
      decrypt: ({ auth }) => service.post("/decrypt", [foreign], { auth }),
      fingerprint: ({ auth }) => service.post("/fingerprint", { token: foreign }, { auth }),
      inspect: ({ auth }) => service.post("/inspect", { token: foreign }, { auth }),
      rewrap: ({ auth }) => service.post("/rewrap", [foreign], { auth }),
      "get-keys": ({ auth }) => service.get("/keys", { auth }),
      "get-app-keys": ({ app }) => service.get(`/${app.teamId}/apps/${app.id}`, { auth: null }),
      "rotate-keys": ({ app }) =>
        service.post(`/apps/${app.id}/keys/rotate`, undefined, { auth: service.team.auth }),
      health: () => service.get("/health"),
      "get-openapi": () => service.get("/openapi.json"),
    }
    for (const { endpoint } of createService(service.service.platform)) {
      const request = requests[endpoint.id]
      if (request === undefined) throw new Error(`No request tries ${endpoint.id}`)
      const identity = await service.newApp("sandbox")
      service.awsCalls.length = 0
      await request(identity)
      const made = [...new Set(service.awsCalls.map(named))].sort()
      expect({ [endpoint.id]: made }).toEqual({ [endpoint.id]: [...endpoint.grants].sort() })
    }
  })
})

function named({ service: name, operation }: AwsCall): string {
  return `${name}:${operation}`
}

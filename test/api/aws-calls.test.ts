import type { AwsCall } from "@sealway/platform"
import { describe, expect, test } from "vitest"
import { useService } from "../support/service.ts"

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

  test("are five for the first request of an app, and one KMS Decrypt opens all its keys", async () => {
    const { auth } = await service.newApp("production")
    service.awsCalls.length = 0
    await service.post("/encrypt", '"x"', { auth })
    expect(service.awsCalls.map(named).sort()).toEqual([
      "dynamodb:GetItem/config",
      "dynamodb:GetItem/config",
      "dynamodb:PutItem/events",
      "dynamodb:Query/config",
      "kms:Decrypt",
    ])
  })

  test("are shared by requests that come at once for a cold app", async () => {
    const { auth } = await service.newApp("production")
    service.awsCalls.length = 0
    await Promise.all(Array.from({ length: 20 }, () => service.post("/encrypt", '"x"', { auth })))
    expect(service.awsCalls).toHaveLength(5)
  })

  test("are not made for keys whose checksum is wrong", async () => {
    service.awsCalls.length = 0
    await service.post("/encrypt", '"x"', {
      auth: { user: "app_x", key: `swk_sandbox_${"a".repeat(43)}_aaaaaa` },
    })
    expect(service.awsCalls).toEqual([])
  })
})

function named({ service: name, operation, resource }: AwsCall): string {
  return `${name}:${operation}${resource === null ? "" : `/${resource}`}`
}

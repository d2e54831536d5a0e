import type { AwsCall } from "@sealway/ports"
import { beforeAll, describe, expect, test, vi } from "vitest"
import * as z from "zod"
import { newAppWithRole, policyOf } from "../support/policies.ts"
import { startRelayDestination } from "../support/relay-destination.ts"
import { sendToRelay } from "../support/relay-request.ts"
import { basic, useService } from "../support/service.ts"

const service = useService()
const octets = { contentType: "application/octet-stream" }

/**
 * Access records are written each second on one machine, and take no AWS call in the cloud: see
 * access-log-in-cloud.test.ts. Figures are written each 10 seconds.
 */
beforeAll(async () => {
  const { accessLog, stats } = service.service.platform
  const spies = [
    vi.spyOn(accessLog, "record").mockImplementation(() => undefined),
    vi.spyOn(stats, "count").mockImplementation(() => undefined),
    vi.spyOn(stats, "countGroup").mockImplementation(() => undefined),
  ]
  await stats.flush()
  return () => {
    for (const spy of spies) spy.mockRestore()
  }
})

describe("AWS calls", () => {
  test("are not made once a request is warm", async () => {
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

  test("are one for a warm request of a format, which another process may have rotated", async () => {
    const { auth, role } = await newAppWithRole(service)
    expect((await service.post("/data-policies", policyOf(role), { auth })).status).toBe(201)
    expect((await service.post("/formats", { name: "ssn", role, preset: "us-ssn" }, { auth })).status).toBe(
      201,
    )
    for (const what of ["encrypt", "decrypt", "rewrap?version=1"]) {
      const ask = async () => (await service.post(`/formats/ssn/${what}`, ["078-05-1120"], { auth })).status
      expect(await ask()).toBe(200)
      service.awsCalls.length = 0
      expect(await ask()).toBe(200)
      expect(service.awsCalls.map(named)).toEqual(["dynamodb:GetItem/config"])
    }
  })

  test("are five for the first request of an app, and one KMS Decrypt opens its public keys", async () => {
    const { auth } = await service.newApp("production")
    service.awsCalls.length = 0
    await service.post("/encrypt", '"x"', { auth })
    expect(service.awsCalls.map(named).sort()).toEqual([
      "dynamodb:GetItem/config",
      "dynamodb:GetItem/keys",
      "dynamodb:PutItem/events",
      "dynamodb:Query/keys",
      "kms:Decrypt/public",
    ])
  })

  test("are shared by concurrent requests for a cold app", async () => {
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

describe("AWS calls of relays", () => {
  test("are made by warm requests only to write activity, every few seconds", async () => {
    await using destination = await startRelayDestination()
    const { app, auth, role, token } = await newAppWithRole(service)
    expect((await service.post("/data-policies", policyOf(role), { auth })).status).toBe(201)
    const { destinationDomain } = destination
    const action = (kind: string) => [
      {
        action: kind,
        selections: [{ type: "json", selector: "$.card", role: kind === "encrypt" ? role : null }],
      },
    ]
    const routes = [
      { path: "/encrypt", request: action("encrypt") },
      { path: "/decrypt", request: action("decrypt") },
    ]
    const made = await service.post("/relays", { destinationDomain, routes }, { auth })
    const { relayDomain } = z.object({ relayDomain: z.string() }).parse(made.json)
    const { relayUrl, proxyUrl } = service.service
    const headers = { "content-type": "application/json" }
    const credentials = { "x-service-api-key": auth.key, "x-service-app-id": app.app.id }
    const proxied = { host: new URL(destinationDomain).host, "proxy-authorization": basic(auth) }
    const round = async () => {
      const plain = { relayDomain, headers, body: '{"card":"4242"}' }
      const sealed = { relayDomain, path: "/decrypt", body: `{"card":${token}}` }
      const answers = [
        await sendToRelay(relayUrl, { ...plain, path: "/pass" }),
        await sendToRelay(relayUrl, { ...plain, path: "/encrypt" }),
        await sendToRelay(relayUrl, { ...sealed, headers: { ...headers, ...credentials } }),
        await sendToRelay(proxyUrl, {
          ...sealed,
          path: `${destinationDomain}/decrypt`,
          headers: { ...headers, ...proxied },
        }),
      ]
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200])
      const values = answers.map(
        ({ body }) => z.object({ card: z.string() }).parse(JSON.parse(body.toString())).card,
      )
      expect(values).toEqual(["4242", expect.stringMatching(/^ev:/), "secret-value", "secret-value"])
    }
    await round()
    service.awsCalls.length = 0
    for (let times = 0; times < 5; times++) await round()
    const calls = service.awsCalls.map(named)
    expect(calls.filter((call) => call !== "dynamodb:PutItem/events")).toEqual([])
    expect(calls.length).toBeLessThanOrEqual(1)
  })
})

function named({ service: name, operation, resource }: AwsCall): string {
  return `${name}:${operation}${resource === null ? "" : `/${resource}`}`
}

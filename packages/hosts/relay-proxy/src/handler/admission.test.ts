import { describe, expect, test } from "vitest"
import { actionOn, routeWith } from "./testing/routes.ts"
import { createHandlerWorld, HOST, RELAY_DOMAIN } from "./testing/world.ts"

const ENCRYPTS = routeWith({ request: [actionOn("encrypt", "$.name")] })

describe("the relay of a request", () => {
  test("is subdomain-not-found below the relays' domain, and relay-not-found elsewhere", async () => {
    const world = await createHandlerWorld()
    expect(await world.send({ host: `other.${RELAY_DOMAIN}` })).toMatchObject({
      code: "subdomain-not-found",
      status: 404,
    })
    for (const host of ["example.org", RELAY_DOMAIN, `evil${RELAY_DOMAIN}`]) {
      expect(await world.send({ host })).toMatchObject({ code: "relay-not-found", status: 404 })
    }
    expect(world.activities).toEqual([])
  })

  test("is that of the destination in forward mode, among those of the credentials' app", async () => {
    const world = await createHandlerWorld({
      routes: [ENCRYPTS],
      authentication: "api-key",
      hasCertificate: true,
    })
    world.addKey({ id: "key_9" })
    const credentials = { appId: "app_1", apiKeyId: "key_9", scopes: [] }
    const request = {
      mode: "forward",
      host: "api.example.com",
      port: 443,
      credentials,
      body: '{"name":1}',
    } as const
    expect(await world.send(request)).toMatchObject({ status: 200 })
    expect(world.sent[0]?.bytes?.toString()).toMatch(/^\{"name":"ev:/)
    expect(world.sent[0]?.clientCertificate?.id).toBe("relay_1/aa")
    expect(world.sent[0]?.rawHeaders.join()).not.toMatch(/forwarded/i)
    expect((await world.send({ ...request, port: null })).status).toBe(200)
    expect(await world.send({ ...request, port: 8443 })).toMatchObject({ code: "relay-not-found" })
    expect(await world.send({ ...request, host: "example.org" })).toMatchObject({ code: "relay-not-found" })
    const others = { ...credentials, appId: "app_2" }
    expect(await world.send({ ...request, credentials: others })).toMatchObject({ code: "relay-not-found" })
    const nobody = await world.send({ ...request, credentials: null })
    expect(nobody).toMatchObject({ code: "proxy-authentication-required", status: 407 })
  })
})

describe("an API key", () => {
  test("is required, with the app's id, by a relay with authentication", async () => {
    const world = await createHandlerWorld({ authentication: "api-key" })
    const key = world.addKey()
    const statusOf = async (...headers: string[]) => {
      const { status, code } = await world.send({ rawHeaders: ["Host", HOST, ...headers] })
      return code ?? status
    }
    expect(await statusOf("X-Service-Api-Key", key, "X-Service-App-Id", "app_1")).toBe(200)
    expect(await statusOf()).toBe("proxy-authentication-required")
    expect(await statusOf("X-Service-Api-Key", key)).toBe("proxy-authentication-required")
    expect(await statusOf("X-Service-App-Id", "app_1")).toBe("proxy-authentication-required")
    expect(await statusOf("X-Service-Api-Key", key, "X-Service-App-Id", "app_2")).toBe("proxy-auth-failed")
    expect(await statusOf("X-Service-Api-Key", `${key}x`, "X-Service-App-Id", "app_1")).toBe(
      "proxy-auth-failed",
    )
    for (const bad of [
      world.addKey({ appId: "app_2" }),
      world.addKey({ revokedAt: 1 }),
      world.addKey({ expiresAt: 1 }),
      world.addKey({}, "team"),
      "x".repeat(10_000),
    ]) {
      expect(await statusOf("X-Service-Api-Key", bad, "X-Service-App-Id", "app_1")).toBe("proxy-auth-failed")
    }
    expect(world.sent.length).toBe(1)
    expect(world.noted).toEqual(["key_0"])
  })

  test("is required by a relay with a client certificate, which the relay presents", async () => {
    const world = await createHandlerWorld({ hasCertificate: true })
    expect(await world.send({})).toMatchObject({ code: "proxy-authentication-required", status: 401 })
    const rawHeaders = ["Host", HOST, "X-Service-Api-Key", world.addKey()]
    expect(await world.send({ rawHeaders })).toMatchObject({ status: 200 })
    expect(world.sent[0]?.clientCertificate).toMatchObject({ id: "relay_1/aa" })
  })

  test("is checked even when it is not required", async () => {
    const world = await createHandlerWorld()
    const rawHeaders = ["Host", HOST, "X-Service-Api-Key", "wrong"]
    expect(await world.send({ rawHeaders })).toMatchObject({ code: "proxy-auth-failed", status: 401 })
  })

  test("needs api:decrypt when a matched route decrypts, and nothing otherwise", async () => {
    const responses = routeWith({ path: "/out", response: [actionOn("decrypt", "$.name")] })
    const requests = routeWith({ path: "/in", request: [actionOn("decrypt", "$.name")] })
    const world = await createHandlerWorld({ routes: [requests, responses] })
    const headersWith = (scopes: readonly string[]) => [
      "Host",
      HOST,
      "X-Service-Api-Key",
      world.addKey({ scopes }),
    ]
    for (const target of ["/in", "/out"]) {
      const without = await world.send({ target, rawHeaders: headersWith(["relay:read"]) })
      expect(without).toMatchObject({ code: "forbidden", status: 403 })
      expect((await world.send({ target, rawHeaders: headersWith(["api:decrypt"]) })).status).toBe(200)
    }
    expect((await world.send({ target: "/", rawHeaders: headersWith([]) })).status).toBe(200)
  })
})

import { Readable } from "node:stream"
import { setImmediate } from "node:timers/promises"
import { KeyUnavailableError } from "@sealway/kernel"
import { RelayError } from "@sealway/relay-engine"
import { describe, expect, test } from "vitest"
import { actionOn, routeWith } from "./testing/routes.ts"
import { createHandlerWorld, HOST, headerIn } from "./testing/world.ts"

const ENCRYPTS = routeWith({ request: [actionOn("encrypt", "$.name")] })
const DECRYPTS = routeWith({ request: [actionOn("decrypt", "$.name")] })
const JSON_HEADERS = ["Content-Type", "application/json"]

describe("a refusal", () => {
  test("is a problem document with its code in a header, is reported, and is logged without data", async () => {
    const world = await createHandlerWorld({ routes: [ENCRYPTS] })
    const reply = await world.send({ body: "{" })
    expect(headerIn(reply.rawHeaders, "content-type")).toBe("application/problem+json")
    const problem = JSON.parse(reply.text ?? "")
    expect(problem).toMatchObject({ code: "bad-request", status: 400, title: "Bad Request" })
    expect(world.activities).toMatchObject([
      { status: 400, error: { code: "bad-request", stage: "request", detail: problem.detail } },
    ])
    expect(world.refused).toEqual([
      { requestId: "request_1", endpoint: "relay", code: "bad-request", status: 400 },
    ])
    expect(world.sent).toEqual([])
  })

  test("by the edge is reported as the relay's, once that is known, and is never forwarded", async () => {
    const world = await createHandlerWorld({ routes: [ENCRYPTS], authentication: "api-key" })
    const refusal = new RelayError("payload-too-large", "Too much.")
    const reply = await world.send({ refusal })
    expect(reply).toMatchObject({ code: "payload-too-large", status: 413 })
    expect(world.activities).toMatchObject([
      { status: 413, error: { code: "payload-too-large", stage: "request", detail: "Too much." } },
    ])
    expect(await world.send({ refusal, host: "x.example.org" })).toMatchObject({ code: "relay-not-found" })
    expect(world.activities).toHaveLength(1)
    expect(world.sent).toEqual([])
  })

  test("is decrypt/forbidden for a value whose policies forbid it, with an audit record", async () => {
    const world = await createHandlerWorld({ routes: [DECRYPTS] })
    const seal = await world.cipher().sealer(1, [])
    const body = `{"name":"${seal("string", Buffer.from("Ada"), "forbidden")}"}`
    const key = world.addKey()
    const rawHeaders = ["Host", HOST, ...JSON_HEADERS, "X-Service-Api-Key", key]
    expect(await world.send({ body, rawHeaders })).toMatchObject({ code: "decrypt/forbidden", status: 403 })
    expect(world.audited).toMatchObject([
      {
        action: "decryption.refused",
        actor: { type: "api-key", id: "key_0" },
        ip: "192.0.2.1",
        requestId: "request_1",
      },
    ])
    await world.send({ body })
    expect(world.audited[1]?.actor).toEqual({ type: "system", id: "relay_1" })
  })

  test("is internal-server-error for an unexpected error, logged without data", async () => {
    const world = await createHandlerWorld({}, () => {
      throw new TypeError("secret")
    })
    const reply = await world.send({})
    expect(reply).toMatchObject({ code: "internal-server-error", status: 500 })
    expect(reply.text).not.toContain("secret")
    expect(world.logged).toMatchObject([{ requestId: "request_1", error: { name: "TypeError" } }])
    expect(world.activities).toMatchObject([{ status: 500, error: { code: "internal-server-error" } }])
  })

  test("is service-unavailable with Retry-After when KMS cannot use the app's keys, logged with KMS's error", async () => {
    const world = await createHandlerWorld({}, () => {
      throw new KeyUnavailableError({
        cause: Object.assign(new Error("secret"), { name: "DisabledException" }),
      })
    })
    const reply = await world.send({})
    expect(reply).toMatchObject({ code: "service-unavailable", status: 503 })
    expect(headerIn(reply.rawHeaders, "retry-after")).toBe("1")
    expect(world.logged).toMatchObject([{ requestId: "request_1", error: { name: "DisabledException" } }])
  })

  test("is passed on when the upstream refuses", async () => {
    const world = await createHandlerWorld({}, () => {
      throw new RelayError("service-unavailable", "No.", { stage: "destination" })
    })
    expect(await world.send({})).toMatchObject({ code: "service-unavailable", status: 503 })
    expect(world.activities).toMatchObject([{ error: { stage: "destination" } }])
    expect(world.logged).toEqual([])
  })

  test("is not recognised by a destination's own headers", async () => {
    const world = await createHandlerWorld({}, () => ({ headers: ["X-Service-Error-Code", "forbidden"] }))
    expect((await world.send({})).code).toBeNull()
  })

  test("is reported when an answer breaks off while it is forwarded", async () => {
    const failing = async function* () {
      yield Buffer.from("a")
      throw new RelayError("request-timeout", "Late.", { stage: "response" })
    }
    const world = await createHandlerWorld({}, () => ({ headers: [], body: Readable.from(failing()) }))
    await world.send({})
    await setImmediate()
    expect(world.activities).toMatchObject([{ status: 200, error: { code: "request-timeout" } }])
  })
})

import { Readable } from "node:stream"
import { setImmediate } from "node:timers/promises"
import { RelayError } from "@sealway/relay-engine"
import { describe, expect, test } from "vitest"
import { actionOn, routeWith } from "./testing/routes.ts"
import { createHandlerWorld, HOST, headerIn } from "./testing/world.ts"

const ENCRYPTS = routeWith({ request: [actionOn("encrypt", "$.name")] })
const DECRYPTS = routeWith({ request: [actionOn("decrypt", "$.name")] })
const JSON_HEADERS = ["Content-Type", "application/json"]

describe("refusals", () => {
  test("are problem documents with their code in a header, are told of, and are logged without data", async () => {
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

  test("of the edge are told of as the relay's, once it is known which it is, and reach nobody", async () => {
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

  test("are decrypt/forbidden for a value whose policies forbid it, on record in the audit log", async () => {
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

  test("are internal-server-error for what nobody expected, logged without data", async () => {
    const world = await createHandlerWorld({}, () => {
      throw new TypeError("secret")
    })
    const reply = await world.send({})
    expect(reply).toMatchObject({ code: "internal-server-error", status: 500 })
    expect(reply.text).not.toContain("secret")
    expect(world.logged).toMatchObject([{ requestId: "request_1", error: { name: "TypeError" } }])
    expect(world.activities).toMatchObject([{ status: 500, error: { code: "internal-server-error" } }])
  })

  test("are passed on from the way to the destination", async () => {
    const world = await createHandlerWorld({}, () => {
      throw new RelayError("service-unavailable", "No.", { stage: "destination" })
    })
    expect(await world.send({})).toMatchObject({ code: "service-unavailable", status: 503 })
    expect(world.activities).toMatchObject([{ error: { stage: "destination" } }])
    expect(world.logged).toEqual([])
  })

  test("are not what a destination says they are", async () => {
    const world = await createHandlerWorld({}, () => ({ headers: ["X-Service-Error-Code", "forbidden"] }))
    expect((await world.send({})).code).toBeNull()
  })

  test("are told of when an answer breaks off while it is passed on", async () => {
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

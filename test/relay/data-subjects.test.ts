import { isOfSubject, parseToken, subjectIdOf } from "@sealway/tokens"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import * as z from "zod"
import { startRelayDestination } from "../support/relay-destination.ts"
import { sendToRelay } from "../support/relay-request.ts"
import { type Identity, useService } from "../support/service.ts"

const SUBJECT = "x-service-data-subject"
const service = useService()
/** Returns the headers and the body of the request. */
const destination = await startRelayDestination(({ headers, body }, response) => {
  response
    .writeHead(200, { "content-type": "application/json", "x-told": String(headers[SUBJECT]) })
    .end(body)
})
afterAll(() => destination[Symbol.asyncDispose]())

let app: Identity
let relay: { readonly id: string; readonly relayDomain: string }
const relaySchema = z.object({ id: z.string(), relayDomain: z.string() })
const selections = [{ type: "json", selector: "$.name" }]
const byHeader = {
  action: "encrypt",
  dataSubject: { type: "header", selector: "X-Service-Data-Subject" },
  selections,
}
const byField = { action: "encrypt", dataSubject: { type: "json", selector: "$.id" }, selections }

beforeAll(async () => {
  app = await service.newApp("sandbox")
  const answer = await service.post(
    "/relays",
    {
      destinationDomain: destination.destinationDomain,
      routes: [
        { path: "/header", request: [byHeader] },
        { path: "/field", request: [byField] },
        { path: "/answer", response: [byField] },
        { path: "/open", request: [{ action: "decrypt", selections }] },
      ],
    },
    { auth: app.auth },
  )
  expect(answer.status, answer.text).toBe(201)
  relay = relaySchema.parse(answer.json)
})

async function send(path: string, body: object, headers: Readonly<Record<string, string>> = {}) {
  const answer = await sendToRelay(service.service.relayUrl, {
    relayDomain: relay.relayDomain,
    path,
    body: JSON.stringify(body),
    headers: { "content-type": "application/json", ...headers },
  })
  const { name, code } = z
    .looseObject({ name: z.string().optional(), code: z.string().optional() })
    .parse(JSON.parse(answer.body.toString()))
  return { status: answer.status, name: name ?? "", code, told: answer.headers["x-told"] }
}

function subjectOf(text: string): string {
  const token = parseToken(text)
  if (token === null || !isOfSubject(token)) throw new Error("Not a token of a data subject")
  return subjectIdOf(token)
}

describe("a relay", () => {
  test("encrypts for the data subject that a header or a field of the body names, as POST /encrypt does", async () => {
    const sealed = await service.post("/encrypt", '"Ada"', { auth: app.auth, headers: { [SUBJECT]: "4711" } })
    const id = subjectOf(z.string().parse(sealed.json))
    const byName = await send("/header", { name: "Ada" }, { [SUBJECT]: "4711" })
    expect(byName.told).toBe("undefined")
    for (const { name } of [
      byName,
      await send("/field", { id: 4711, name: "Ada" }),
      await send("/answer", { id: "4711", name: "Ada" }),
    ]) {
      expect(subjectOf(name)).toBe(id)
      expect(await send("/open", { name })).toMatchObject({ status: 200, name: "Ada" })
    }
  })

  test("refuses what names no data subject, and passes nothing of it on", async () => {
    expect(await send("/header", { name: "Ada" })).toMatchObject({
      status: 400,
      code: "bad-request",
      told: undefined,
    })
    expect(await send("/field", { name: "Ada" })).toMatchObject({
      status: 400,
      code: "bad-request",
      told: undefined,
    })
    expect(await send("/answer", { name: "Ada" })).toMatchObject({ status: 502, code: "proxy-error" })
  })

  test("opens nothing of a data subject that is erased, and encrypts for its successor", async () => {
    const { name } = await send("/field", { id: "eve", name: "Eve" })
    const erased = await service.delete(`/data-subjects/${subjectOf(name)}`, { auth: app.auth })
    expect(erased.json).toMatchObject({ status: "erased" })
    expect(await send("/open", { name })).toMatchObject({ status: 400, code: "bad-request" })
    const next = await send("/field", { id: "eve", name: "Eve" })
    expect(subjectOf(next.name)).not.toBe(subjectOf(name))
  })

  test("refuses to encrypt for a data subject whose erasure can still be undone", async () => {
    const changed = await service.patch(
      `/apps/${app.app.id}`,
      { erasureDays: 1 },
      { auth: service.team.auth },
    )
    expect(changed.status).toBe(200)
    const { name } = await send("/field", { id: "bob", name: "Bob" })
    const pending = await service.delete(`/data-subjects/${subjectOf(name)}`, { auth: app.auth })
    expect(pending.json).toMatchObject({ status: "pending" })
    expect(await send("/field", { id: "bob", name: "Bob" })).toMatchObject({
      status: 400,
      code: "bad-request",
    })
    expect(await send("/answer", { id: "bob", name: "Bob" })).toMatchObject({
      status: 502,
      code: "proxy-error",
    })
  })

  test("creates no data subject when it is only tried", async () => {
    const count = async () => {
      const { json } = await service.get("/data-subjects?limit=100", { auth: app.auth })
      return z.object({ data: z.array(z.unknown()) }).parse(json).data.length
    }
    const before = await count()
    const request = {
      path: "/field",
      headers: { "content-type": "application/json" },
      body: '{"id":"never","name":"Ada"}',
    }
    const tried = await service.post(`/relays/${relay.id}/test`, { request }, { auth: app.auth })
    expect(tried.text).toContain("ev:debug:c3cy:")
    expect(await count()).toBe(before)
  })

  test("warns when anybody may name data subjects", async () => {
    const codes = async () => {
      const { json } = await service.get(`/relays/${relay.id}`, { auth: app.auth })
      return JSON.stringify(z.object({ warnings: z.array(z.unknown()) }).parse(json))
    }
    expect(await codes()).toContain(
      '"data-subject-without-authentication","pointer":"/routes/0/request/0/dataSubject"',
    )
    const changed = await service.patch(
      `/relays/${relay.id}`,
      { authentication: "api-key" },
      { auth: app.auth },
    )
    expect(changed.status).toBe(200)
    expect(await codes()).not.toContain("data-subject-without-authentication")
    await service.patch(`/relays/${relay.id}`, { authentication: null }, { auth: app.auth })
  })

  test.each([
    [
      "a selector that does not compile",
      { ...byField, dataSubject: { type: "json", selector: "$." } },
      "/dataSubject/selector",
    ],
    [
      "a header that frames the message",
      { ...byField, dataSubject: { type: "header", selector: "Host" } },
      "/dataSubject/selector",
    ],
    ["another type", { ...byField, dataSubject: { type: "query", selector: "id" } }, "/dataSubject/type"],
    ["an action that decrypts", { ...byField, action: "decrypt" }, "/dataSubject"],
    ["a file", { ...byField, selections: [{ type: "file", selector: "scan" }] }, "/selections/0"],
  ])(
    "is refused with invalid-request and the place when its data subject is of %s",
    async (_what, action, place) => {
      const routes = [{ path: "/", request: [action] }]
      const refused = await service.patch(`/relays/${relay.id}`, { routes }, { auth: app.auth })
      expect(refused.json).toMatchObject({
        code: "invalid-request",
        fields: [{ pointer: `/routes/0/request/0${place}` }],
      })
    },
  )
})

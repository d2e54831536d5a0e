import { afterAll, describe, expect, test } from "vitest"
import * as z from "zod"
import { startDnsServer } from "../support/dns-server.ts"
import { deployFunction } from "../support/functions.ts"
import { CORE_MODEL } from "../support/model-core-schemas.ts"
import { idOf } from "../support/policies.ts"
import { expectProblem } from "../support/problem.ts"
import { type Answer, useService } from "../support/service.ts"

const dns = await startDnsServer()
afterAll(() => dns.close())
const service = useService("container", { dnsServers: [dns.address] })

// Requests as clients of the model write them.
const PHONE = "555-2368"
const VALUES = [
  ["an object", { phoneNumber: PHONE }],
  ["a text", PHONE],
  ["a number", 17185550123],
  ["a boolean", true],
  ["an array", [PHONE, 1138, true, [PHONE], { phoneNumber: PHONE }]],
] as const
const CHECKOUT = {
  method: "POST",
  path: "/checkout",
  request: [{ action: "encrypt", selections: [{ type: "json", selector: "$.cardNumber" }] }],
}
const RELAY = {
  encryptEmptyStrings: true,
  authentication: null,
  routes: [
    { ...CHECKOUT, response: [{ action: "decrypt", selections: [{ type: "json", selector: "$..*" }] }] },
  ],
}
const RELAY_CHANGES = { routes: [{ ...CHECKOUT, response: [] }] }
const WEBHOOK = {
  url: "https://example.com/webhook",
  events: ["payments.merchant.updated", "payments.network-token.updated"],
}

/** The fields of an answer that are not as clients of the model read them. */
const differencesOf = (schema: z.ZodType, { json }: Answer) =>
  schema.safeParse(json).error?.issues.map(({ path }) => path.join("/")) ?? []

/** Checks an answer as a client of the model reads it. @param differences those that the documentation lists */
function expectModel(
  schema: z.ZodType,
  status: number,
  answer: Answer,
  differences: readonly string[] = [],
): void {
  expect(answer.status, answer.text).toBe(status)
  expect(differencesOf(schema, answer), answer.text).toEqual(differences)
}

function leavesOf(value: unknown): readonly unknown[] {
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(leavesOf) : [value]
}

describe("a client of the model", () => {
  test.each(VALUES)("encrypts and decrypts %s", async (_, value) => {
    const sealed = await service.post("/encrypt", JSON.stringify(value))
    expect(sealed.status).toBe(200)
    for (const leaf of leavesOf(sealed.json)) expect(leaf).toEqual(expect.schemaMatching(CORE_MODEL.token))
    const opened = await service.post("/decrypt", sealed.text)
    expect([opened.status, opened.json]).toEqual([200, value])
  })

  test("encrypts and decrypts a file", async () => {
    const contentType = "application/octet-stream"
    const sealed = await service.post("/encrypt", Buffer.from("%PDF"), { contentType })
    const opened = await service.post("/decrypt", sealed.bytes, { contentType })
    expect([sealed.status, opened.status, opened.text]).toEqual([200, 200, "%PDF"])
  })

  test.each([
    [
      "a card number",
      "4242424242424242",
      { type: "string", category: "card-number", metadata: { lastFour: "4242" } },
    ],
    ["a text", PHONE, { type: "string" }],
    ["a boolean", true, { type: "boolean" }],
    ["an integer", 1138, { type: "integer" }],
    ["a float", 11.38, { type: "float" }],
  ])("inspects %s, with and without a role", async (_, value, expected) => {
    await service.post("/data-roles", { slug: "payment-data", name: "Payments" })
    for (const headers of [{}, { "x-service-data-role": "payment-data" }]) {
      const token = (await service.post("/encrypt", JSON.stringify(value), { headers })).json
      const answer = await service.post("/inspect", { token })
      expectModel(CORE_MODEL.inspection, 200, answer)
      const role = "x-service-data-role" in headers
      expect(answer.json).toMatchObject(role ? { ...expected, role: "payment-data" } : expected)
    }
  })

  test("runs a function, which succeeds, fails or is scheduled", async () => {
    const source = `export const handler = async ({ name }) => {
  if (name === undefined) throw new Error("Some error message")
  return { message: \`It seems you have \${name.length} letters in your name\` }
}`
    await deployFunction(service, "hello", "index.mjs", source)
    const name = (await service.post("/encrypt", '"Ada Lovelace"')).json
    const run = (body: object) => service.post("/functions/hello/runs", body)
    const success = await run({ payload: { name } })
    expectModel(CORE_MODEL.functionRun, 200, success)
    expect(success.json).toMatchObject({ result: { message: "It seems you have 12 letters in your name" } })
    const failure = await run({ payload: {}, async: false })
    expectModel(CORE_MODEL.functionRun, 200, failure)
    expect(failure.json).toMatchObject({ status: "failure", error: { message: "Some error message" } })
    const scheduled = await run({ payload: { name }, async: true })
    expectModel(CORE_MODEL.functionRun, 202, scheduled)
    expect(scheduled.json).toEqual({ status: "scheduled" })
  }, 60_000)

  test("issues a client-side token and decrypts with it", async () => {
    const payload = { phoneNumber: (await service.post("/encrypt", JSON.stringify(PHONE))).json }
    const answer = await service.post("/client-side-tokens", { action: "api:decrypt", payload })
    expectModel(CORE_MODEL.clientSideToken, 201, answer)
    const { token } = z.object({ token: z.string() }).parse(answer.json)
    const headers = { authorization: `Token ${token}` }
    const opened = await service.post("/decrypt", payload, { auth: null, headers })
    expect([opened.status, opened.json]).toEqual([200, { phoneNumber: PHONE }])
  })

  test("creates, lists, reads, changes and deletes a relay; the name of its domain is ours", async () => {
    await service.post("/data-roles", { slug: "pci", name: "Cards" })
    const created = await service.post("/relays", { ...RELAY, destinationDomain: "example.com" })
    expectModel(CORE_MODEL.relay, 201, created, ["evervaultDomain"])
    expect(created.json).toMatchObject({ ...RELAY, relayDomain: expect.stringMatching(/^example-com\./) })
    const path = `/relays/${idOf(created.json)}`
    expectModel(CORE_MODEL.relays, 200, await service.get("/relays"), ["data/0/evervaultDomain"])
    expectModel(CORE_MODEL.relay, 200, await service.get(path), ["evervaultDomain"])
    const changed = await service.patch(path, RELAY_CHANGES)
    expectModel(CORE_MODEL.relay, 200, changed, ["evervaultDomain"])
    expect(changed.json).toMatchObject({ ...RELAY_CHANGES, authentication: null, encryptEmptyStrings: true })
    expect((await service.delete(path)).status).toBe(202)
  })

  test("adds, lists, reads and deletes a custom domain, whose record is no UUID, and which is pending where the model has inactive", async () => {
    const relay = await service.post("/relays", { ...RELAY, destinationDomain: "domains.example.com" })
    const path = `/relays/${idOf(relay.json)}/custom-domains`
    const created = await service.post(path, { customDomain: "subdomain.example.com" })
    expectModel(CORE_MODEL.customDomain, 201, created, ["status", "validationRecord"])
    expect(created.json).toMatchObject({ status: "pending", relay: idOf(relay.json) })
    const own = `${path}/${idOf(created.json)}`
    const { validationRecord } = z.object({ validationRecord: z.string() }).parse(created.json)
    dns.zone.set("subdomain.example.com", { CNAME: "relay.localhost" })
    dns.zone.set("_ev-custom-domain.subdomain.example.com", { TXT: [validationRecord] })
    await service.post(`${own}/verify`, undefined)
    expectModel(CORE_MODEL.customDomain, 200, await service.get(own), ["validationRecord"])
    expectModel(CORE_MODEL.customDomains, 200, await service.get(path), ["data/0/validationRecord"])
    expect((await service.delete(own)).status).toBe(202)
  })

  test("creates, lists, reads, changes and deletes a webhook endpoint", async () => {
    const created = await service.post("/webhook-endpoints", WEBHOOK)
    expectModel(CORE_MODEL.webhookEndpoint, 201, created)
    const path = `/webhook-endpoints/${idOf(created.json)}`
    const listed = await service.get(`/webhook-endpoints?limit=10&startingAfter=${idOf(created.json)}`)
    expectModel(CORE_MODEL.webhookEndpoints, 200, listed)
    expectModel(CORE_MODEL.webhookEndpoints, 200, await service.get("/webhook-endpoints"))
    expectModel(CORE_MODEL.webhookEndpoint, 200, await service.get(path))
    const changed = await service.patch(path, { events: ["payments.merchant.updated"] })
    expectModel(CORE_MODEL.webhookEndpoint, 200, changed)
    expect((await service.delete(path)).status).toBe(204)
  })

  test("is refused an event that no list of the model has, and a client-side token for any payload", async () => {
    const { json } = await service.post("/webhook-endpoints", WEBHOOK)
    const answer = await service.patch(`/webhook-endpoints/${idOf(json)}`, { events: ["merchant.updated"] })
    expectProblem(answer, "invalid-request")
    expectProblem(await service.post("/client-side-tokens", { action: "api:decrypt" }), "invalid-request")
  })
})

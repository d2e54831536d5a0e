import { describe, expect, test } from "vitest"
import * as z from "zod"
import { expectProblem } from "../support/problem.ts"
import { type CallOptions, useService } from "../support/service.ts"

const service = useService()

/** Nothing listens there. */
const URL_A = "http://127.0.0.1:9/hooks"
const UNKNOWN_ENDPOINT = "webhook_endpoint_00000000000000000000000000"
const UNKNOWN_EVENT = "webhook_event_00000000000000000000000000"

const withIdSchema = z.object({ id: z.string() })
const withSecretSchema = z.object({ id: z.string(), secret: z.string() })

async function create(settings: object = {}, options: CallOptions = {}) {
  const answer = await service.post("/webhook-endpoints", { url: URL_A, events: ["*"], ...settings }, options)
  return withSecretSchema.parse(answer.json)
}

describe("every request about webhooks", () => {
  const calls = (endpoint: string, event: string) =>
    [
      ["webhook:read", () => "GET", "/webhook-endpoints", undefined],
      ["webhook:read", () => "GET", `/webhook-endpoints/${endpoint}`, undefined],
      ["webhook:read", () => "GET", "/webhook-events", undefined],
      ["webhook:read", () => "GET", `/webhook-events/${event}`, undefined],
      ["webhook:write", () => "POST", "/webhook-endpoints", { url: URL_A, events: ["*"] }],
      ["webhook:write", () => "PATCH", `/webhook-endpoints/${endpoint}`, { description: "a" }],
      ["webhook:write", () => "POST", `/webhook-endpoints/${endpoint}/rotate-secret`, {}],
      ["webhook:write", () => "POST", `/webhook-endpoints/${endpoint}/test`, undefined],
      ["webhook:write", () => "POST", `/webhook-events/${event}/replay`, {}],
      ["webhook:write", () => "DELETE", `/webhook-endpoints/${endpoint}`, undefined],
    ] as const
  const call = (method: string, path: string, body: unknown, options: CallOptions) => {
    if (method === "GET") return service.get(path, options)
    if (method === "DELETE") return service.delete(path, options)
    return method === "PATCH" ? service.patch(path, body, options) : service.post(path, body, options)
  }

  test("requires an app's credentials, with its scope and no other", async () => {
    const identity = await service.newApp("sandbox")
    const { id } = await create({}, identity)
    const readOnly = await service.newKey(identity.app, ["webhook:read"])
    const writeOnly = await service.newKey(identity.app, ["webhook:write"])
    for (const [scope, method, path, body] of calls(id, UNKNOWN_EVENT)) {
      expectProblem(await call(method(), path, body, { auth: null }), "unauthorized")
      expectProblem(await call(method(), path, body, { auth: service.team.auth }), "forbidden")
      const [with_, without] = scope === "webhook:read" ? [readOnly, writeOnly] : [writeOnly, readOnly]
      expectProblem(await call(method(), path, body, { auth: without }), "forbidden")
      expect([200, 201, 202, 204, 404]).toContain((await call(method(), path, body, { auth: with_ })).status)
    }
  })

  test("gives the same answer for another app's, a missing and a malformed endpoint or event", async () => {
    const owner = await service.newApp("sandbox")
    const { id } = await create({}, owner)
    const tested = await service.post(`/webhook-endpoints/${id}/test`, undefined, owner)
    const event = withIdSchema.parse(tested.json).id
    const byPlace = calls(id, event).filter(([, , path]) => path.includes(id) || path.includes(event))
    for (const [, method, path, body] of byPlace) {
      const paths = [path, path.replace(id, UNKNOWN_ENDPOINT).replace(event, UNKNOWN_EVENT)]
      paths.push(path.replace(id, "__proto__").replace(event, "nonsense"))
      const answers = await Promise.all(paths.map((each) => call(method(), each, body, {})))
      for (const answer of answers) expectProblem(answer, "not-found")
      expect(new Set(answers.map(({ text }) => text)).size).toBe(1)
    }
    expect((await service.get(`/webhook-endpoints/${id}`, owner)).json).toMatchObject({ description: null })
    const endpoint = { endpoint: (await create()).id }
    expectProblem(await service.post(`/webhook-events/${event}/replay`, endpoint, owner), "not-found")
  })

  test("is audited before it is executed, without secrets and with only the host of URLs", async () => {
    const { app, auth } = await service.newApp("sandbox")
    const { id, secret } = await create({ url: "https://127.0.0.1:9/marker-7f3a" }, { auth })
    await service.patch(`/webhook-endpoints/${id}`, { status: "disabled" }, { auth })
    const rotated = await service.post(`/webhook-endpoints/${id}/rotate-secret`, {}, { auth })
    await service.delete(`/webhook-endpoints/${id}`, { auth })
    const log = await service.get(`/audit-logs?limit=10&appId=${app.id}&action=webhook-endpoint.*`, {
      auth: service.team.auth,
    })
    const actions = z
      .object({ data: z.array(z.object({ action: z.string(), target: z.unknown() })) })
      .parse(log.json)
    expect(actions.data).toEqual(
      ["delete", "rotate-secret", "update", "create"].map((verb) => ({
        action: `webhook-endpoint.${verb}`,
        target: { type: "webhook-endpoint", id },
      })),
    )
    expect(log.text).toContain("127.0.0.1:9")
    const secrets = ["marker-7f3a", secret, withSecretSchema.parse(rotated.json).secret]
    expect(secrets.filter((each) => log.text.includes(each))).toEqual([])
  })
})

import { inflateRawSync } from "node:zlib"
import { startReceiver } from "@sealway/http/testing"
import { createId } from "@sealway/kernel"
import { describe, expect, test, vi } from "vitest"
import * as z from "zod"
import { expectProblem } from "../support/problem.ts"
import { sendToRelay } from "../support/relay-request.ts"
import { useService } from "../support/service.ts"

const service = useService()

const MARKER = "marker-7f3a"
const JSON_TYPE = { "content-type": "application/json" }
const ROUTES = [
  {
    method: "POST",
    path: "/orders/*",
    request: [
      {
        action: "encrypt",
        selections: [
          { type: "json", selector: "$.card.*" },
          { type: "header", selector: "X-Secret" },
        ],
      },
    ],
    response: [{ action: "encrypt", selections: [{ type: "json", selector: "$.nothing" }] }],
  },
]

const relaySchema = z.object({ id: z.string(), relayDomain: z.string() })
const selectionSchema = z.strictObject({
  direction: z.enum(["request", "response"]),
  action: z.enum(["encrypt", "decrypt"]),
  type: z.string(),
  selector: z.string(),
  matched: z.int(),
  changed: z.int(),
})
const activitySchema = z.strictObject({
  id: z.string().regex(/^relay_activity_[0-9a-hjkmnp-tv-z]{26}$/),
  mode: z.enum(["reverse", "forward"]),
  method: z.string(),
  routes: z.array(z.string()),
  status: z.int(),
  error: z.strictObject({ code: z.string(), stage: z.string(), detail: z.string() }).nullable(),
  selections: z.array(selectionSchema),
  tolerated: z.array(z.string()),
  leaks: z.array(z.strictObject({ direction: z.string(), path: z.string() })),
  timing: z.strictObject({
    totalMs: z.number().min(0),
    destinationMs: z.number().min(0),
    engineMs: z.number().min(0),
  }),
  createdAt: z.int(),
})
const listSchema = z.strictObject({
  data: z.array(activitySchema),
  hasMore: z.boolean(),
  continueAfter: z.string().nullable(),
  dropped: z.int(),
})

async function createRelay(settings: object) {
  const answer = await service.post("/relays", { routes: ROUTES, ...settings })
  expect(answer.status, answer.text).toBe(201)
  return relaySchema.parse(answer.json)
}

/** Waits until the relay's activity has as many entries. */
const listed = (relayId: string, count: number) =>
  vi.waitFor(
    async () => {
      const answer = await service.get(`/relays/${relayId}/activity?limit=100`)
      const page = listSchema.parse(answer.json)
      expect(page.data).toHaveLength(count)
      return { ...page, text: answer.text }
    },
    { timeout: 15_000, interval: 100 },
  )

// Each test waits some seconds for the next write: they run concurrently.
describe.concurrent("activity of a relay", () => {
  test("lists what was selected, changed and answered, newest first, without values", async () => {
    await using destination = await startReceiver((_, response) =>
      response.writeHead(200, JSON_TYPE).end(JSON.stringify({ answer: `${MARKER}-answer` })),
    )
    const relay = await createRelay({ destinationDomain: destination.url.slice(0, -1) })
    const send = (path: string, body: string, method = "POST") =>
      sendToRelay(service.service.relayUrl, {
        ...relay,
        method,
        path,
        headers: { ...JSON_TYPE, "x-secret": `${MARKER}-header`, "x-other": MARKER },
        body,
      })
    const card = { number: `${MARKER}-number`, name: `${MARKER}-name`, none: null }
    expect(
      (await send(`/orders/${MARKER}?q=${MARKER}`, JSON.stringify({ card, other: MARKER }))).status,
    ).toBe(200)
    expect((await send(`/other/${MARKER}`, MARKER)).status).toBe(200)
    expect((await send(`/orders/${MARKER}`, `{"card":${MARKER}`)).status).toBe(400)

    const { data, text, dropped, hasMore } = await listed(relay.id, 3)
    expect(text).not.toContain(MARKER)
    expect({ dropped, hasMore }).toEqual({ dropped: 0, hasMore: false })
    const [malformed, unmatched, encrypted] = data
    const response = {
      direction: "response",
      action: "encrypt",
      type: "json",
      selector: "$.nothing",
      matched: 0,
      changed: 0,
    }
    const request = { direction: "request", action: "encrypt" }
    expect(encrypted).toMatchObject({
      mode: "reverse",
      method: "POST",
      routes: ["/orders/*"],
      status: 200,
      error: null,
    })
    expect(encrypted?.selections).toEqual([
      { ...request, type: "json", selector: "$.card.*", matched: 2, changed: 2 },
      { ...request, type: "header", selector: "X-Secret", matched: 1, changed: 1 },
      response,
    ])
    expect(unmatched).toMatchObject({ routes: [], status: 200, error: null, selections: [] })
    expect(malformed).toMatchObject({
      routes: ["/orders/*"],
      status: 400,
      error: { code: "bad-request", stage: "request" },
    })
    for (const each of data) {
      const shown = await service.get(`/relays/${relay.id}/activity/${each.id}`)
      expect(shown.json).toEqual(each)
    }
    const stored = await service.service.platform.eventsTable.list(
      `app#${service.sandbox.app.id}#activity#${relay.id}`,
      "activity#",
    )
    const texts = stored.map(({ entries }) =>
      inflateRawSync(z.instanceof(Uint8Array).parse(entries)).toString(),
    )
    expect(texts.join()).toContain("/orders/*")
    expect(texts.join()).not.toContain(MARKER)
  })

  test("is paged, and filtered by status and error", async () => {
    await using destination = await startReceiver(({ path }, response) =>
      response.writeHead(Number(path.slice(1))).end(),
    )
    const relay = await createRelay({ destinationDomain: destination.url.slice(0, -1), authentication: null })
    const statuses = [200, 404, 200, 503, 201]
    for (const status of statuses)
      await sendToRelay(service.service.relayUrl, { ...relay, path: `/${status}` })
    await sendToRelay(service.service.relayUrl, {
      ...relay,
      path: "/orders/1",
      headers: JSON_TYPE,
      body: "{",
    })
    const { data } = await listed(relay.id, 6)
    const path = `/relays/${relay.id}/activity`
    const pages: string[] = []
    for (let after = ""; ; ) {
      const page = listSchema.parse((await service.get(`${path}?limit=2${after}`)).json)
      pages.push(...page.data.map(({ id }) => id))
      if (page.continueAfter === null) break
      after = `&startingAfter=${page.continueAfter}`
    }
    expect(pages).toEqual(data.map(({ id }) => id))
    const chosen = async (query: string) => {
      const answer = await service.get(`${path}?${query}`)
      return listSchema.parse(answer.json).data.map(({ status }) => status)
    }
    expect(await chosen("statusClass=2XX&limit=2")).toEqual([201, 200])
    expect(await chosen("statusClass=5XX")).toEqual([503])
    expect(await chosen("statusClass=4XX")).toEqual([400, 404])
    expect(await chosen("errorCode=bad-request")).toEqual([400])
    expect(await chosen("errorCode=decrypt/forbidden")).toEqual([])
    for (const query of [
      "statusClass=6XX",
      "errorCode=marker-7f3a",
      "startingAfter=relay_1",
      "limit=101",
      "other=1",
    ]) {
      expectProblem(await service.get(`${path}?${query}`), "invalid-request")
    }
  })

  test("is not found for another app or relay, and requires the scope relay:read", async () => {
    await using destination = await startReceiver((_, response) => response.writeHead(204).end())
    const relay = await createRelay({ destinationDomain: destination.url.slice(0, -1) })
    await sendToRelay(service.service.relayUrl, relay)
    const { data } = await listed(relay.id, 1)
    const id = data[0]?.id ?? ""
    const other = await createRelay({ destinationDomain: "activity.destination.example" })
    const { auth } = await service.newApp("sandbox")
    expectProblem(await service.get(`/relays/${other.id}/activity/${id}`), "not-found")
    expectProblem(await service.get(`/relays/${relay.id}/activity/${id}`, { auth }), "not-found")
    expectProblem(await service.get(`/relays/${relay.id}/activity`, { auth }), "not-found")
    expectProblem(
      await service.get(`/relays/${relay.id}/activity/${createId("relay_activity", 1)}`),
      "not-found",
    )
    expectProblem(await service.get(`/relays/${relay.id}/activity/x`), "not-found")
    const writer = { auth: await service.newKey(service.sandbox.app, ["relay:write"]) }
    expectProblem(await service.get(`/relays/${relay.id}/activity`, writer), "forbidden")
    expectProblem(await service.get(`/relays/${relay.id}/activity/${id}`, writer), "forbidden")
  })
})

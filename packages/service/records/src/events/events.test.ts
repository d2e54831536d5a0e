import { appPartition } from "@sealway/ports"
import { createMemoryTable } from "@sealway/ports/testing"
import { beforeEach, expect, test } from "vitest"
import { createEvents, eventKey, type NewEvent } from "./events.ts"

const NOW_MS = 1_700_000_000_000
const APP_ID = "app_1"
const HOUR_SECONDS = 60 * 60
const MONTH_SECONDS = 30 * 24 * HOUR_SECONDS
const ID = "webhook_event_01hf7yat00000000000000000"
const EVENT: NewEvent = { id: ID, teamId: "team_1", appId: APP_ID, type: "relay.error", data: {} }

let configTable: ReturnType<typeof createMemoryTable>
let eventsTable: ReturnType<typeof createMemoryTable>
beforeEach(() => {
  configTable = createMemoryTable()
  eventsTable = createMemoryTable()
})

const subscribe = (sk: string, subscription: object) =>
  configTable.put({ pk: appPartition(APP_ID), sk }, { ...subscription, revision: 1 })

/** Returns how long a published event is kept, in seconds; null when it is not kept. */
async function keptSeconds(event: NewEvent = EVENT): Promise<number | null> {
  const queues = { send: async () => undefined }
  const clocks = { now: () => 0, wallClock: () => NOW_MS }
  await createEvents({ configTable, eventsTable, queues, ...clocks }).publish(event)
  const item = await eventsTable.get(eventKey(APP_ID, ID))
  return item && Number(item.expiresAt) - NOW_MS / 1000
}

const endpoint = { events: ["relay.error"] }
const listener = { events: ["*"], listensUntil: NOW_MS + 1 }

test("keeps an event for a month when an endpoint subscribes to it, whatever else does", async () => {
  await subscribe("webhook-listener#a", listener)
  await subscribe("webhook-endpoint#a", endpoint)
  expect(await keptSeconds()).toBe(MONTH_SECONDS)
})

test("keeps an event for an hour when only a listener subscribes to it", async () => {
  await subscribe("webhook-listener#a", listener)
  await subscribe("webhook-endpoint#a", { events: ["audit-log.event"] })
  expect(await keptSeconds()).toBe(HOUR_SECONDS)
})

test("keeps no event for an expired listener, or for one of other types", async () => {
  await subscribe("webhook-listener#a", { ...listener, listensUntil: NOW_MS })
  await subscribe("webhook-listener#b", { ...listener, events: ["audit-log.event"] })
  expect(await keptSeconds()).toBeNull()
})

test("keeps an event for a month for its own recipient, and not for other recipients", async () => {
  await subscribe("webhook-listener#a", listener)
  expect(await keptSeconds({ ...EVENT, toEndpoints: false })).toBeNull()
  expect(await keptSeconds({ ...EVENT, callbackUrl: "https://a.example/" })).toBe(MONTH_SECONDS)
})

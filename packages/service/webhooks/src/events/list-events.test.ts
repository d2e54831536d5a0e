import { createId } from "@sealway/kernel"
import { appPartition } from "@sealway/ports"
import { createMemoryTable } from "@sealway/ports/testing"
import { beforeAll, describe, expect, test } from "vitest"
import { eventRecords, putFailedName, type WebhookEvent } from "../records/webhook-event-table.ts"
import { type EventFilter, listEvents } from "./list-events.ts"

const eventsTable = createMemoryTable()
const APP_ID = "app_1"
const EVENTS = 2_050
/** One in this many events is of the rare kind. */
const RARE = 1_025

function eventOf(number: number): WebhookEvent {
  return {
    id: createId("webhook_event", number),
    teamId: "team_1",
    appId: APP_ID,
    type: number % RARE === 0 ? "relay.error" : "audit-log.event",
    data: "{}",
    callbackUrl: null,
    recipients: [],
    toEndpoints: true,
    createdAt: number,
    status: number % 3 === 0 ? "failed" : "delivered",
    fannedOut: true,
    hasFailed: number % 3 === 0,
    expiresAt: 1,
    revision: 1,
  }
}

const events = Array.from({ length: EVENTS }, (_, index) => eventOf(index))
const newestFirst = events.toReversed()

beforeAll(async () => {
  for (const event of events) {
    await eventRecords.create(eventsTable, event.appId, event)
    if (event.hasFailed) await putFailedName(eventsTable, event)
  }
  // Entries of events that were delivered after a failure, and of one that no longer exists.
  for (const event of events.filter((_, index) => index % 3 === 1)) await putFailedName(eventsTable, event)
  await putFailedName(eventsTable, eventOf(EVENTS))
})

const list = (limit: number, filter: EventFilter = {}, startingAfter?: string) =>
  listEvents({ eventsTable }, APP_ID, { limit, startingAfter }, filter)

async function listAll(limit: number, filter: EventFilter): Promise<string[]> {
  const ids: string[] = []
  let after: string | undefined
  do {
    const page = await list(limit, filter, after)
    expect(page.data.length).toBeLessThanOrEqual(limit)
    expect(page.hasMore).toBe(page.continueAfter !== null)
    ids.push(...page.data.map(({ id }) => id))
    after = page.continueAfter ?? undefined
  } while (after !== undefined)
  return ids
}

describe("listing events", () => {
  test.each<[string, EventFilter]>([
    ["all", {}],
    ["those that have failed", { status: "failed" }],
    ["those that were delivered", { status: "delivered" }],
    ["those of a type that is rare", { type: "relay.error" }],
    ["those of a type that have failed", { type: "relay.error", status: "failed" }],
    ["none", { status: "pending" }],
  ])("finds %s, newest first, page by page", async (_, { status, type }) => {
    const wanted = newestFirst.filter(
      (event) =>
        (status === undefined || event.status === status) && (type === undefined || event.type === type),
    )
    const filter = { status, type }
    expect(await listAll(7, filter)).toEqual(wanted.map(({ id }) => id))
    expect(await listAll(100, filter)).toEqual(wanted.map(({ id }) => id))
  })

  test("reports that there is no more when a page ends with the last event", async () => {
    const startingAfter = newestFirst.at(-11)?.id
    expect(await list(10, {}, startingAfter)).toMatchObject({ hasMore: false, continueAfter: null })
    expect(await list(9, {}, startingAfter)).toMatchObject({
      hasMore: true,
      continueAfter: newestFirst.at(-2)?.id,
    })
  })

  test("examines at most 1,000 events, and returns where to continue", async () => {
    expect(await list(10, { status: "pending" })).toEqual({
      data: [],
      hasMore: true,
      continueAfter: newestFirst[999]?.id,
    })
  })

  test("finds none of another app", async () => {
    const page = await listEvents({ eventsTable }, "app_2", { limit: 10 }, {})
    expect(page).toEqual({ data: [], hasMore: false, continueAfter: null })
    expect(appPartition("app_2")).not.toBe(appPartition(APP_ID))
  })
})

import { TEST_APP as APP } from "@sealway/accounts/testing"
import { createId } from "@sealway/kernel"
import { exploreHistories } from "@sealway/ports/testing"
import { type NewEvent, SYSTEM } from "@sealway/records"
import { describe, expect, test } from "vitest"
import { eventRecords } from "../records/webhook-event-table.ts"
import { createWorld, type WorldOptions } from "../testing/world.ts"
import { addListener, fetchEvents, LISTEN_MS, MAX_LISTENERS, removeListener } from "./webhook-listeners.ts"

const SECOND_MS = 1_000
const HOUR_MS = 60 * 60 * SECOND_MS

async function createListenedWorld(options?: WorldOptions) {
  const world = await createWorld(options)
  const published: NewEvent[] = []
  const dependencies = {
    ...world.dependencies,
    events: { forget: () => undefined, publish: async (event: NewEvent) => void published.push(event) },
    allowPrivateDestinations: false,
  }
  return {
    ...world,
    listen: async (...events: string[]) =>
      (await addListener(dependencies, APP, events.length === 0 ? ["*"] : events, SYSTEM)).id,
    fetch: (id: string, handled: readonly string[] = []) => fetchEvents(dependencies, APP, id, handled),
    async fetchIds(id: string, handled: readonly string[] = []) {
      return (await fetchEvents(dependencies, APP, id, handled)).events.map((event) => event.id)
    },
    remove: (id: string) => removeListener(dependencies, APP, id, SYSTEM),
    /** Publishes events one second apart, and has them distributed. */
    async publishMany(count: number) {
      const ids: string[] = []
      for (let index = 0; index < count; index++) {
        ids.push(await world.publish({ index }))
        await world.run(SECOND_MS)
      }
      return ids
    },
  }
}

describe("a listener", () => {
  test("receives each subscribed event, in the order of publishing, whatever others have fetched", async () => {
    const world = await createListenedWorld()
    const [a, b, other] = [
      await world.listen("*"),
      await world.listen("relay.error"),
      await world.listen("payments.*"),
    ]
    const ids = await world.publishMany(3)
    expect(await world.fetchIds(a)).toEqual(ids)
    expect(await world.fetchIds(a, ids)).toEqual([])
    expect(await world.fetchIds(b)).toEqual(ids)
    expect(await world.fetchIds(other)).toEqual([])
  })

  test("receives an event again until it reports it as handled", async () => {
    const world = await createListenedWorld()
    const listener = await world.listen()
    const ids = await world.publishMany(3)
    expect(await world.fetchIds(listener)).toEqual(ids)
    expect(await world.fetchIds(listener, ids.slice(0, 2))).toEqual(ids.slice(2))
    expect(await world.fetchIds(listener, ["webhook_event_unknown", ...ids.slice(0, 1)])).toEqual(
      ids.slice(2),
    )
    expect(await world.fetchIds(listener, ids)).toEqual([])
  })

  test("receives an event in its turn even if its id contains an earlier time", async () => {
    const world = await createListenedWorld()
    const listener = await world.listen()
    const [first] = await world.publishMany(1)
    const createdAt = world.now()
    const late = {
      ...(await world.event(first ?? "")),
      id: createId("webhook_event", createdAt - HOUR_MS),
      createdAt,
      fannedOut: false,
      status: "pending",
    } as const
    await eventRecords.create(world.eventsTable, APP.id, late as Parameters<typeof eventRecords.create>[2])
    await world.dependencies.queues.send("events", { appId: APP.id, eventId: late.id })
    await world.run(SECOND_MS)
    expect(await world.fetchIds(listener)).toEqual([first, late.id])
  })

  test("receives the data as it was published, and the event ends as delivered", async () => {
    const world = await createListenedWorld()
    const listener = await world.listen()
    const id = await world.publish({ text: "é\u2028" })
    await world.run(SECOND_MS)
    expect((await world.fetch(listener)).events).toMatchObject([
      { id, type: "relay.error", data: '{"text":"é\u2028"}' },
    ])
    expect(await world.event(id)).toMatchObject({ status: "delivered" })
    expect(world.isNamedPending(id)).toBe(false)
  })

  test.each([
    [20, 20, false],
    [21, 20, true],
  ])(
    "receives at most 20 events: of %i, it gets %i and is told whether there are more: %s",
    async (count, given, hasMore) => {
      const world = await createListenedWorld()
      const listener = await world.listen()
      const ids = await world.publishMany(count)
      const page = await world.fetch(listener)
      expect(page.events.map(({ id }) => id)).toEqual(ids.slice(0, given))
      expect(page.hasMore).toBe(hasMore)
      expect(await world.fetchIds(listener, ids.slice(0, given))).toEqual(ids.slice(given))
    },
  )

  test("has at most 500 waiting events, and is told once that others were dropped", async () => {
    const world = await createListenedWorld()
    const listener = await world.listen()
    const ids: string[] = []
    const publish = async (count: number) => {
      for (let index = 0; index < count; index++) ids.push(await world.publish({}))
      await world.run(SECOND_MS)
    }
    await publish(250)
    await publish(250)
    expect(await world.fetch(listener)).toMatchObject({ hasDropped: false })
    await publish(2)
    expect(await world.fetch(listener)).toMatchObject({ hasDropped: true })
    const given: string[] = []
    for (let page = await world.fetch(listener); page.events.length > 0; ) {
      expect(page.hasDropped).toBe(false)
      const handled = page.events.map(({ id }) => id)
      given.push(...handled)
      page = await world.fetch(listener, handled)
    }
    expect(given.toSorted()).toEqual(ids.slice(0, 500).toSorted())
    await publish(1)
    expect(await world.fetchIds(listener)).toEqual(ids.slice(-1))
  })

  test("expires when it has fetched nothing for 15 minutes, and continues when it has", async () => {
    const world = await createListenedWorld()
    const [left, kept] = [await world.listen(), await world.listen()]
    await world.run(LISTEN_MS - SECOND_MS)
    expect(await world.fetchIds(kept)).toEqual([])
    await world.run(SECOND_MS)
    const [id] = await world.publishMany(1)
    await expect(world.fetch(left)).rejects.toMatchObject({ code: "not-found" })
    expect(await world.fetchIds(kept)).toEqual([id])
    await expect(world.remove(left)).rejects.toMatchObject({ code: "not-found" })
  })

  test("leaves nothing behind that counts towards a limit when it was not removed", async () => {
    const world = await createListenedWorld()
    for (let count = 0; count < MAX_LISTENERS; count++) await world.listen()
    await expect(world.listen()).rejects.toMatchObject({ code: "conflict" })
    await world.run(LISTEN_MS)
    await world.listen()
    const records = [...world.configTable.items.keys()].filter((key) => key.includes("webhook-listener#"))
    expect(records).toHaveLength(1)
  })

  test("receives nothing once it is removed", async () => {
    const world = await createListenedWorld()
    const listener = await world.listen()
    await world.remove(listener)
    await world.publishMany(1)
    await expect(world.fetch(listener)).rejects.toMatchObject({ code: "not-found" })
    expect([...world.eventsTable.items.keys()].filter((key) => key.includes("webhook-inbox#"))).toEqual([])
  })

  test("receives an event once when the message that distributes it comes twice", async () => {
    const world = await createListenedWorld()
    const listener = await world.listen()
    const id = await world.publish()
    await world.dependencies.queues.send("events", { appId: APP.id, eventId: id })
    await world.run(SECOND_MS)
    expect(await world.fetchIds(listener)).toEqual([id])
    expect(await world.fetchIds(listener, [id])).toEqual([])
  })

  test("receives an event however often the worker dies while distributing it", async () => {
    await exploreHistories(async (explored) => {
      const world = await createListenedWorld({ explored })
      const listener = await world.listen()
      const id = await world.publish()
      explored.begin()
      await world.run(HOUR_MS / 12)
      expect(await world.fetchIds(listener)).toEqual([id])
      expect(await world.fetchIds(listener, [id])).toEqual([])
    })
  })
})

import { TEST_APP as APP } from "@sealway/accounts/testing"
import { dyingWhen } from "@sealway/ports/testing"
import { eventKey, pendingKey } from "@sealway/records"
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { MAX_INTERRUPTIONS } from "../records/delivery.ts"
import { RETRY_SCHEDULE } from "../schedule/retry-schedule.ts"
import { createWorld, type Reply } from "../testing/world.ts"
import { requeuePending } from "./requeue-pending.ts"

const A = "https://a.example/"
const SECOND_MS = 1_000
const HOUR_MS = 60 * 60 * SECOND_MS

describe("after a restart that lost all messages", () => {
  test("all pending work continues where it was", async () => {
    const world = await createWorld()
    await world.addEndpoint(A)
    world.setReplies(A, 500, 500, 500, 500)
    const waiting = await world.publish()
    await world.run(SECOND_MS)
    const fresh = await world.publish()
    await world.restart()
    await world.run()
    expect(world.posts.filter(({ headers }) => headers["webhook-id"] === fresh).length).toBeGreaterThan(0)
    expect(await world.event(waiting)).toMatchObject({ status: "delivered" })
    expect(await world.event(fresh)).toMatchObject({ status: "delivered" })
    expect(world.posts).toHaveLength(6)
    await world.restart()
    expect(world.messages).toEqual([])
  })

  test("everything else continues when one event, or its entry, is unreadable", async () => {
    const world = await createWorld()
    await world.addEndpoint(A)
    world.setReplies(A, 500, 500, 500)
    const ids = [await world.publish(), await world.publish(), await world.publish()]
    await world.run(SECOND_MS)
    const { eventsTable } = world.dependencies
    const [unreadable = "", unnamed = "", last = ""] = ids
    await eventsTable.put(eventKey(APP.id, unreadable), { id: unreadable, revision: 1 })
    const name = pendingKey(unnamed)
    expect(await eventsTable.get(name)).not.toBeNull()
    await eventsTable.put(name, { revision: 1 })
    await world.restart()
    await world.run()
    expect(await world.event(last)).toMatchObject({ status: "delivered" })
    expect(world.logged).toHaveLength(2)
  })

  test("a sweeper only queues overdue work", async () => {
    const world = await createWorld()
    await world.addEndpoint(A)
    world.setReplies(A, 500)
    await world.publish()
    await world.run(SECOND_MS)
    await world.publish()
    world.loseMessages()
    const sweep = () => requeuePending(world.dependencies, { overdueMs: HOUR_MS })
    await sweep()
    expect(world.messages).toEqual([])
    await world.run(HOUR_MS + 10 * SECOND_MS)
    await sweep()
    expect(world.messages).toHaveLength(2)
  })
})

describe("a delivery whose worker dies during attempts", () => {
  /** Kills the process at each of its first requests, and restarts it every minute until then. */
  async function worldOfDeaths(deaths: number) {
    const world = await createWorld()
    const { endpoint } = await world.addEndpoint(A)
    const { egress } = world.dependencies
    const { post } = egress
    let left = deaths
    egress.post = (request) => {
      if (left === 0) return post(request)
      left -= 1
      // As when the process dies: nothing is recorded, and no message is settled.
      throw new Error("The process dies")
    }
    const id = await world.publish()
    const begunAt = world.now()
    while (left > 0) {
      await world.run(60 * SECOND_MS)
      await world.restart()
    }
    const diedForMs = world.now() - begunAt
    return { world, id, diedForMs, delivery: () => world.delivery(id, endpoint.id) }
  }

  test("is made as often as any other, since no request of it may have reached the receiver", async () => {
    const { world, id, delivery } = await worldOfDeaths(12)
    expect(await delivery()).toMatchObject({ status: "pending", attempts: 0, interruptions: 12 })
    world.setReplies(A, ...Array.from({ length: 7 }, () => 500))
    await world.run()
    expect(world.posts).toHaveLength(8)
    expect(await delivery()).toMatchObject({ status: "delivered", attempts: 8 })
    expect(await world.event(id)).toMatchObject({ status: "delivered" })
  })

  test("is made again at once after two deaths", async () => {
    const { world, diedForMs, delivery } = await worldOfDeaths(2)
    expect(diedForMs).toBeLessThan(3 * 60 * SECOND_MS)
    await world.run(SECOND_MS)
    expect(await delivery()).toMatchObject({ status: "delivered", attempts: 1, interruptions: 2 })
  })

  test("ends after 16 deaths as failed, with a dead letter, and not before all attempts could have been made", async () => {
    const { world, id, diedForMs, delivery } = await worldOfDeaths(MAX_INTERRUPTIONS)
    const attemptsMs = RETRY_SCHEDULE.waitsMs.reduce((sum, waitMs) => sum + waitMs, 0)
    expect(diedForMs).toBeGreaterThan(attemptsMs)
    await world.run()
    expect(await delivery()).toMatchObject({ status: "failed", attempts: 0 })
    expect(await world.event(id)).toMatchObject({ status: "failed" })
    expect([world.posts.length, world.deadLetters.length]).toEqual([0, 1])
  })
})

test("loses no accepted event, and calls each endpoint 8 times before it fails, and once more for each crash", () =>
  fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(fc.constantFrom<Reply>(200, 500, "timeout", 410), { maxLength: 9 }), {
        minLength: 1,
        maxLength: 3,
      }),
      fc.uniqueArray(fc.integer({ min: 0, max: 150 }), { maxLength: 4 }),
      async (scripts, crashes) => {
        let calls = 0
        let isStarted = false
        const world = await createWorld({ explored: dyingWhen(() => isStarted && crashes.includes(++calls)) })
        const urls = scripts.map((_, index) => `https://${index}.example/`)
        const endpoints = []
        for (const [index, url] of urls.entries()) {
          world.setReplies(url, ...(scripts[index] ?? []))
          endpoints.push(await world.addEndpoint(url))
        }
        const id = await world.publish()
        isStarted = true
        await world.run()
        isStarted = false

        const posts = (url: string) => world.posts.filter((post) => post.url === url)
        for (const [index, url] of urls.entries()) {
          const delivery = await world.delivery(id, endpoints[index]?.endpoint.id ?? "")
          const isTaken = posts(url).some((_, nth) => (scripts[index]?.[nth] ?? 200) === 200)
          expect(["delivered", "failed", "cancelled"]).toContain(delivery?.status)
          if (delivery?.status === "delivered") expect(isTaken).toBe(true)
          const isGone = posts(url).some((_, nth) => scripts[index]?.[nth] === 410)
          if (delivery?.status === "failed") {
            expect(isGone || posts(url).length >= 8).toBe(true)
            expect(world.deadLetters).toContainEqual(
              expect.objectContaining({ endpointId: delivery.endpointId }),
            )
          }
          expect(posts(url).length).toBeGreaterThan(0)
          expect(posts(url).length).toBeLessThanOrEqual(8 + crashes.length)
        }
        const statuses = (await world.deliveries(id)).map(({ status }) => status)
        expect(await world.event(id)).toMatchObject({
          status: statuses.includes("failed") ? "failed" : "delivered",
        })
        expect(world.isNamedPending(id)).toBe(false)
        expect(world.messages).toEqual([])
      },
    ),
    { numRuns: 150 },
  ))

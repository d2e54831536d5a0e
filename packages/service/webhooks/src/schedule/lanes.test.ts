import { exploreHistories } from "@sealway/ports/testing"
import { expect, test } from "vitest"
import { createWorld } from "../testing/world.ts"

const SLOW = "https://slow.example/"
const QUICK = "https://quick.example/"
const MINUTE_MS = 60_000

const queuesOf = ({ messages }: Awaited<ReturnType<typeof createWorld>>) => messages.map(({ queue }) => queue)

test("makes a delivery that the quick lane cuts off in the slow one, with the same webhook-id and one counted attempt", async () => {
  const world = await createWorld({ hasLanes: true })
  const { endpoint } = await world.addEndpoint(SLOW)
  world.setReplies(SLOW, "timeout", 200)
  const id = await world.publish()
  await world.run()

  expect(world.posts.map(({ headers }) => headers["webhook-id"])).toEqual([id, id])
  expect(await world.delivery(id, endpoint.id)).toMatchObject({ status: "delivered", attempts: 1 })
  expect(await world.event(id)).toMatchObject({ status: "delivered" })
})

test("moves a slow destination's deliveries out of the quick lane without a request, and no others", async () => {
  const world = await createWorld({ hasLanes: true })
  for (const url of [SLOW, QUICK]) await world.addEndpoint(url)
  world.setReplies(SLOW, "timeout", "timeout", "timeout")
  await world.publish()
  await world.run(3_000)
  world.posts.length = 0
  const id = await world.publish()
  await world.run(0)

  expect(world.posts.map(({ url }) => url).sort()).toEqual([QUICK, SLOW])
  const [slow] = (await world.deliveries(id)).filter(({ status }) => status === "pending")
  // The attempt in the quick lane would not count.
  expect(slow).toMatchObject({ attempts: 1, lastFailure: "timeout" })
})

test("treats a destination as quick again after one quick answer", async () => {
  const world = await createWorld({ hasLanes: true })
  await world.addEndpoint(SLOW)
  world.setReplies(SLOW, "timeout", 200, "timeout", 200)
  await world.publish()
  await world.run(MINUTE_MS)
  world.posts.length = 0
  await world.publish()
  await world.run(MINUTE_MS)

  // Tried in the quick lane first, where it times out, and then in the slow one.
  expect(world.posts).toHaveLength(2)
})

test("tries a destination in the quick lane again some minutes after it was slow, without an answer in between", async () => {
  const world = await createWorld({ hasLanes: true })
  const { endpoint } = await world.addEndpoint(SLOW)
  world.setReplies(SLOW, "timeout", "timeout")
  // The slow lane's worker is behind.
  await world.publish()
  await world.run(0)
  expect(queuesOf(world)).toEqual(["slow-events"])
  world.loseMessages()
  await world.run(6 * MINUTE_MS)
  const id = await world.publish()
  await world.run(0)

  expect(queuesOf(world)).toEqual(["slow-events"])
  expect(await world.delivery(id, endpoint.id)).toMatchObject({ status: "pending", attempts: 0 })
  expect(world.posts).toHaveLength(2)
})

test("delivers each event wherever the worker dies, and never loses a cut-off one", async () => {
  await exploreHistories(async (explored) => {
    const world = await createWorld({ hasLanes: true, explored })
    const { endpoint } = await world.addEndpoint(SLOW)
    world.setReplies(SLOW, "timeout", 200)
    const id = await world.publish()
    explored.begin()
    await world.run(10 * MINUTE_MS)

    expect(await world.delivery(id, endpoint.id)).toMatchObject({ status: "delivered" })
    expect(await world.event(id)).toMatchObject({ status: "delivered" })
  })
})

test("gives up on a receiver that never answers after 8 attempts", async () => {
  const world = await createWorld({ hasLanes: true })
  const { endpoint } = await world.addEndpoint(SLOW)
  world.setReplies(SLOW, ...Array.from({ length: 40 }, () => "timeout" as const))
  const id = await world.publish()
  await world.run()

  expect(await world.delivery(id, endpoint.id)).toMatchObject({ status: "failed", attempts: 8 })
  expect(world.deadLetters).toHaveLength(1)
})

import { dyingWhen, type ExploredFrom, exploreHistories } from "@sealway/ports/testing"
import fc from "fast-check"
import { expect, test } from "vitest"
import { answered } from "../testing/memory-host.ts"
import { createDeployedWorld } from "../testing/world.ts"

const HOUR_MS = 60 * 60_000

test("ends and reports runs once, without later changes, wherever workers die", () =>
  fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(fc.integer({ min: 1, max: 60 }), { maxLength: 4 }),
      fc.integer({ min: 1, max: 3 }),
      async (deaths, runs) => {
        let [calls, isStarted] = [0, false]
        const explored = dyingWhen(() => isStarted && deaths.includes(++calls))
        const begin = () => {
          isStarted = true
        }
        await endsOnce({ ...explored, begin }, runs, 1 + deaths.length)
      },
    ),
    { numRuns: 100 },
  ))

test("loses nothing and duplicates nothing when the worker dies, a call fails or a message comes twice", async () => {
  const { histories } = await exploreHistories((explored) => endsOnce(explored, 1, 2))
  // This covers all steps of a run.
  expect(histories).toBeGreaterThan(20)
})

test("works for ever on nothing that a request has left which died while it scheduled a run, or deployed", async () => {
  await exploreHistories(async (explored) => {
    const world = await createDeployedWorld({ explored })
    explored.begin()
    await world.mortal(() => world.schedule())
    await world.mortal(() => world.deploy({}, "other"))
    for (let days = 0; days < 2; days++) {
      await world.sweep(HOUR_MS)
      await world.work(24 * HOUR_MS)
    }
    await world.sweep(HOUR_MS)
    expect(world.messages).toEqual([])
  })
})

async function endsOnce(explored: ExploredFrom, runs: number, mostCalls: number): Promise<void> {
  const world = await createDeployedWorld({ explored })
  // Each call answers differently, so two recorded completions would differ.
  let answers = 0
  world.settings.behaviour = () => answered({ status: "success", result: ++answers })
  const scheduled = []
  for (let index = 0; index < runs; index++) scheduled.push(await world.schedule())
  explored.begin()
  await world.work(12 * HOUR_MS)
  const first = await Promise.all(scheduled.map((run) => world.outcome(run)))
  await world.work(20 * HOUR_MS)

  expect(await Promise.all(scheduled.map((run) => world.outcome(run)))).toEqual(first)
  for (const [index, run] of scheduled.entries()) {
    expect(first[index]).toMatchObject({ status: "success" })
    expect(await world.run(run)).toMatchObject({ status: "success", claimedUntil: null })
    const told = world.events.filter(({ data }) => "run" in data && data.run === run.id)
    expect(told.length).toBeGreaterThan(0)
    expect(new Set(told.map(({ id }) => id)).size).toBe(1)
  }
  expect(world.calls.length).toBeLessThanOrEqual(runs * mostCalls)
  expect([world.pending(), world.messages, world.deadLetters]).toEqual([[], [], []])
}

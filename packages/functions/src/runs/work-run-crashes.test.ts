import fc from "fast-check"
import { expect, test } from "vitest"
import { answered } from "../testing/memory-host.ts"
import { createDeployedWorld } from "../testing/world.ts"

const HOUR_MS = 60 * 60_000

test("ends and reports a run once, without later changes, wherever the worker dies and whatever comes twice", () =>
  fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(fc.integer({ min: 1, max: 60 }), { maxLength: 4 }),
      fc.infiniteStream(fc.integer({ min: 0, max: 5 })),
      fc.integer({ min: 1, max: 3 }),
      async (crashes, dice, runs) => {
        await endsOnce(crashes, () => dice.next().value === 0, runs)
      },
    ),
    { numRuns: 200 },
  ))

test("loses nothing and duplicates nothing when the worker dies at any one step", async () => {
  let steps = 0
  for (let crash = 1; crash <= 60; crash++) {
    steps = Math.max(steps, await endsOnce([crash], () => false, 1))
  }
  // This covers all steps of a run.
  expect(steps).toBeGreaterThan(20)
  expect(steps).toBeLessThan(60)
})

/** @returns the steps that the worker took */
async function endsOnce(
  crashes: readonly number[],
  isDuplicated: () => boolean,
  runs: number,
): Promise<number> {
  let calls = 0
  let isStarted = false
  const world = await createDeployedWorld({
    crash() {
      if (!isStarted) return
      calls += 1
      if (crashes.includes(calls)) throw new Error("crash")
    },
    isDuplicated: () => isStarted && isDuplicated(),
  })
  // Each call answers differently, so two recorded completions would differ.
  let answers = 0
  world.settings.behaviour = () => answered({ status: "success", result: ++answers })
  const scheduled = []
  for (let index = 0; index < runs; index++) scheduled.push(await world.schedule())
  isStarted = true
  await world.work(12 * HOUR_MS)
  isStarted = false
  const first = await Promise.all(scheduled.map((run) => world.outcome(run)))
  isStarted = true
  await world.work(20 * HOUR_MS)
  isStarted = false

  expect(await Promise.all(scheduled.map((run) => world.outcome(run)))).toEqual(first)
  for (const [index, run] of scheduled.entries()) {
    expect(first[index]).toMatchObject({ status: "success" })
    expect(await world.run(run)).toMatchObject({ status: "success", claimedUntil: null })
    const told = world.events.filter(({ data }) => "run" in data && data.run === run.id)
    expect(told.length).toBeGreaterThan(0)
    expect(new Set(told.map(({ id }) => id)).size).toBe(1)
  }
  // At most one more call per crash.
  expect(world.calls.length).toBeLessThanOrEqual(runs * (1 + crashes.length))
  expect([world.pending(), world.messages, world.deadLetters]).toEqual([[], [], []])
  return calls
}

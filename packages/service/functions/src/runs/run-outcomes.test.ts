import { TEST_APP as APP } from "@sealway/accounts/testing"
import { dyingWhen } from "@sealway/ports/testing"
import { describe, expect, test } from "vitest"
import { createRunData } from "../records/run-data.ts"
import { failure, outcomeMembers } from "../request/outcome.ts"
import { answered } from "../testing/memory-host.ts"
import { createDeployedWorld } from "../testing/world.ts"
import { completeRun } from "./complete-run.ts"
import { workRun } from "./work-run.ts"

const OVERTAKEN = failure("Another outcome.")
const SUCCESS = { status: "success", result: Buffer.from('"the first"') } as const

type World = Awaited<ReturnType<typeof createDeployedWorld>>

/** Schedules a run and returns its stored record. */
async function scheduledIn(world: World) {
  const run = await world.run(await world.schedule())
  if (run === null) throw new Error("The run is not stored")
  return run
}

describe("a run whose worker dies", () => {
  test("is not called again after its outcome was written, and ends with that outcome", async () => {
    let armed = false
    const world: World = await createDeployedWorld({
      explored: dyingWhen(() => {
        const dies = armed && [...world.runsTable.items.keys()].some((key) => key.endsWith("\noutcome-1"))
        armed &&= !dies
        return dies
      }),
    })
    let answers = 0
    world.settings.behaviour = () => answered({ status: "success", result: ++answers })
    const run = await world.schedule()
    armed = true
    await world.work()
    expect(armed).toBe(false)
    expect(world.calls).toHaveLength(1)
    expect(await world.run(run)).toMatchObject({ status: "success", attempts: 1 })
    expect(await world.outcome(run)).toEqual({ status: "success", result: 1 })
    expect(world.events).toHaveLength(1)
  })
})

describe("a run of a deleted function", () => {
  test("fails without calling a newer function with the same name", async () => {
    const world = await createDeployedWorld()
    const run = await world.schedule()
    world.loseMessages()
    await world.remove()
    await world.work()
    await world.deploy()
    await world.work(60_000)
    expect((await world.record())?.id).not.toBe(run.functionId)

    await world.restart()
    await world.work()
    expect(world.calls).toEqual([])
    expect(await world.outcome(run)).toMatchObject({
      status: "failure",
      error: { message: "The function was deleted before the run began." },
    })
  })
})

describe("completing a run", () => {
  test("records the status of an outcome that was already written, and does not change it", async () => {
    const world = await createDeployedWorld()
    const { dependencies, runsTable, keyring } = world
    const run = await scheduledIn(world)
    await createRunData(runsTable, keyring, APP, run, "outcome-0", outcomeMembers(SUCCESS))
    expect(await completeRun({ run, outcome: OVERTAKEN, lock: null }, null, APP, dependencies)).toBe(true)
    expect(await world.run(run)).toMatchObject({ status: "success" })
    expect(await world.outcome(run)).toEqual({ status: "success", result: "the first" })
    expect(world.events).toMatchObject([{ data: { run: run.id, status: "success" } }])
  })

  test("records the given outcome when none was written", async () => {
    const world = await createDeployedWorld()
    const run = await scheduledIn(world)
    expect(await completeRun({ run, outcome: OVERTAKEN, lock: null }, null, APP, world.dependencies)).toBe(
      true,
    )
    expect(await world.run(run)).toMatchObject({ status: "failure" })
    expect(await world.outcome(run)).toMatchObject({ error: { message: "Another outcome." } })
    expect(world.events).toMatchObject([{ data: { run: run.id, status: "failure" } }])
  })

  test("throws and ends nothing when there is no outcome at all", async () => {
    const world = await createDeployedWorld()
    const run = await scheduledIn(world)
    await expect(
      completeRun({ run, outcome: null, lock: null }, null, APP, world.dependencies),
    ).rejects.toThrow("outcome of a run")
    expect(await world.run(run)).toMatchObject({ status: "scheduled", completedAt: null })
    expect(world.events).toEqual([])
  })

  test("publishes nothing when the run was changed first, and leaves its record unchanged", async () => {
    const world = await createDeployedWorld()
    const run = await scheduledIn(world)
    await workRun(run, world.dependencies)
    const ended = await world.run(run)
    world.events.length = 0
    expect(await completeRun({ run, outcome: OVERTAKEN, lock: null }, null, APP, world.dependencies)).toBe(
      false,
    )
    expect(await world.run(run)).toEqual(ended)
    expect(world.events).toEqual([])
  })
})

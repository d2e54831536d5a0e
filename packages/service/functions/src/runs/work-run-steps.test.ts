import { TEST_APP as APP } from "@sealway/accounts/testing"
import { createSealingKey } from "@sealway/tokens"
import { describe, expect, test } from "vitest"
import type { FunctionDependencies } from "../dependencies.ts"
import { PENDING_WORK_PARTITIONS } from "../queue/pending-work.ts"
import { beginRun } from "../records/run.ts"
import { removeRunData } from "../records/run-data.ts"
import { runRecords } from "../records/run-table.ts"
import { answered } from "../testing/memory-host.ts"
import { createDeployedWorld, createWorld } from "../testing/world.ts"
import { workRun } from "./work-run.ts"

const LIMIT_MS = 45_000
const CLAIM_MS = LIMIT_MS + 60_000
const FAULT = new Error("ECONNRESET")

/** Schedules a run whose message is not delivered automatically. */
async function setUp() {
  const world = await createDeployedWorld()
  const run = await world.schedule()
  world.loseMessages()
  /** Delivers one message about the run, with some of the worker's dependencies replaced. */
  const deliver = (changes: Partial<FunctionDependencies> = {}) =>
    workRun(run, { ...world.dependencies, ...changes })
  const delays = () => world.messages.map(({ visibleAtMs }) => visibleAtMs - world.now())
  const claim = async () => {
    const stored = await world.run(run)
    if (stored !== null)
      await runRecords.replace(world.runsTable, stored.appId, beginRun(stored, LIMIT_MS, world.now()))
  }
  return { world, run, deliver, delays, claim }
}

describe("a message about a run", () => {
  test("does nothing when there is no such run", async () => {
    const { world, run } = await setUp()
    await workRun({ ...run, id: "func_run_other" }, world.dependencies)
    expect([world.calls, world.messages, world.events]).toEqual([[], [], []])
  })

  test("does not call the code while an attempt is in progress, and is sent again for the end of its claim", async () => {
    const { world, run, deliver, delays, claim } = await setUp()
    await claim()
    await deliver()
    expect(world.calls).toEqual([])
    expect(delays()).toEqual([CLAIM_MS])
    expect(await world.run(run)).toMatchObject({ status: "scheduled", attempts: 1 })
  })

  test("changes nothing about a finished run", async () => {
    const { world, run, deliver } = await setUp()
    await deliver()
    const ended = await world.run(run)
    await deliver()
    expect(await world.run(run)).toEqual(ended)
    expect(world.calls).toHaveLength(1)
    expect(world.events).toHaveLength(1)
  })

  test("fails when the run's app does not exist, and leaves the run unchanged", async () => {
    const { world, run, deliver } = await setUp()
    const before = await world.run(run)
    await expect(deliver({ directory: { app: async () => null } })).rejects.toThrow("app of a run")
    expect(await world.run(run)).toEqual(before)
  })
})

describe("a run", () => {
  test("is decided by policies as its function, with the original sender and address", async () => {
    const { world } = await setUp()
    const { publicKeys } = await world.keyring.newest(APP, "public")
    const key = createSealingKey({ appPublicKey: publicKeys.prime256v1, debug: true })
    const token = key.seal("string", "x", { role: "pci", encryptedAt: 1 })
    const sealed = await world.schedule({ payload: { token } })
    const contexts: unknown[] = []
    const dataRoles: FunctionDependencies["dataRoles"] = {
      decide: (app, roles, context) => {
        contexts.push(context)
        return world.dependencies.dataRoles.decide(app, roles, context)
      },
    }
    await workRun(sealed, { ...world.dependencies, dataRoles })
    expect(contexts).toEqual([
      { source: "function", functionName: "charge", ip: "1.1.1.1", apiKeyId: "key_1" },
    ])
  })

  test("gets masks of values where policies permit its function no more, and says so in the access record", async () => {
    const { world } = await setUp()
    const { publicKeys } = await world.keyring.newest(APP, "public")
    const key = createSealingKey({ appPublicKey: publicKeys.prime256v1, debug: true })
    const name = key.seal("string", "Ada Lovelace", { role: "masked", encryptedAt: 1 })
    await workRun(await world.schedule({ payload: { name } }), world.dependencies)
    expect(world.calls.at(-1)?.event).toContain('"name":"A. L."')
    expect(world.accessed.at(-1)?.masked).toEqual({ roles: { masked: 1 }, withoutRole: 0, total: 1 })
  })

  test("fails without another attempt when its payload is too large for a function", async () => {
    const { world, run, deliver } = await setUp()
    world.settings.behaviour = () => ({ kind: "payload-too-large" })
    await deliver()
    expect(await world.outcome(run)).toMatchObject({ error: { message: expect.stringContaining("6 MB") } })
    expect(world.messages).toEqual([])
  })

  test("fails without a call when its function never served", async () => {
    const world = await createWorld()
    await world.deploy()
    const run = await world.schedule()
    await workRun(run, world.dependencies)
    expect(world.calls).toEqual([])
    expect(await world.outcome(run)).toMatchObject({ status: "failure" })
  })

  test("fails without a call when its payload is gone", async () => {
    const { world, run, deliver } = await setUp()
    await removeRunData(world.runsTable, run, "payload")
    await deliver()
    expect(world.calls).toEqual([])
    expect(await world.outcome(run)).toMatchObject({
      error: { message: expect.stringContaining("no longer stored") },
    })
  })

  test("fails when a token does not open, without blaming a policy", async () => {
    const { world } = await setUp()
    const refused = await world.schedule({
      payload:
        "ev:debug:Tk9D:1sfU+3Xel3OLnQXM:A2JJim2nKSbHK+7gL5Ydow6UPGprFBT8XrVNkSL7+YKF:U9juPHngC2oIBmKvBfqRf8K2KZiovtcwde7a1B+RPfE:$",
    })
    world.audited.length = 0
    await workRun(refused, world.dependencies)
    expect(await world.outcome(refused)).toMatchObject({ status: "failure" })
    expect(world.audited).toEqual([])
  })
})

describe("a service fault", () => {
  test("before the code is called costs no attempt, and does not fail the run", async () => {
    const { world, run, deliver, delays } = await setUp()
    const keyring = { ...world.keyring, open: () => Promise.reject(FAULT) }
    await deliver({ keyring })
    expect(await world.run(run)).toMatchObject({
      status: "scheduled",
      attempts: 0,
      setbacks: 1,
      claimedUntil: null,
    })
    expect(delays()).toEqual([5_000])
  })

  test("during the call costs an attempt", async () => {
    const { world, run, deliver } = await setUp()
    world.settings.behaviour = () => FAULT
    await deliver()
    expect(await world.run(run)).toMatchObject({ attempts: 1, setbacks: 1, claimedUntil: null })
    expect(world.logged).toMatchObject([[expect.any(String), { requestId: run.id, error: FAULT }]])
  })

  test("delays the run four times as long each time", async () => {
    const { world, deliver, delays } = await setUp()
    world.settings.behaviour = () => FAULT
    for (let count = 0; count < 4; count++) await deliver()
    expect(delays()).toEqual([5_000, 20_000, 80_000, 320_000])
  })

  test("from an hour ago does not fail a run for having waited", async () => {
    const { world, run, deliver } = await setUp()
    await world.work(2 * 60 * 60_000)
    world.settings.behaviour = () => FAULT
    await deliver()
    expect(await world.run(run)).toMatchObject({ status: "scheduled", setbacks: 1 })
  })
})

describe("a busy function", () => {
  test("delays the run by five seconds each time, without costing an attempt", async () => {
    const { world, run, deliver, delays } = await setUp()
    world.settings.behaviour = () => ({ kind: "busy" })
    for (let count = 0; count < 3; count++) await deliver()
    expect(delays()).toEqual([5_000, 5_000, 5_000])
    expect(await world.run(run)).toMatchObject({ status: "scheduled", attempts: 0, setbacks: 0 })
  })
})

describe("pending work", () => {
  const HALF_HOUR_MS = 30 * 60_000

  test("is queued again even when other work is unreadable", async () => {
    const { world } = await setUp()
    const { runsTable } = world.dependencies
    for (const partition of PENDING_WORK_PARTITIONS) {
      await runsTable.put({ pk: partition, sk: "func_0" }, { id: "func_0", revision: 1 })
    }
    await world.restart()
    expect(world.messages).toHaveLength(1)
    expect(world.logged).toHaveLength(PENDING_WORK_PARTITIONS.length)
  })

  test("is queued again by a sweeper only when its claim is overdue too", async () => {
    const { world, claim } = await setUp()
    await world.work(HALF_HOUR_MS)
    await claim()
    await world.sweep(HALF_HOUR_MS)
    expect(world.messages).toEqual([])
    await world.work(HALF_HOUR_MS + CLAIM_MS - 1)
    await world.sweep(HALF_HOUR_MS)
    expect(world.messages).toEqual([])
    await world.work(1)
    await world.sweep(HALF_HOUR_MS)
    expect(world.messages).toHaveLength(1)
  })

  test("is freed from the claims of dead processes at a start, and continues immediately", async () => {
    const { world, run, claim } = await setUp()
    await claim()
    world.settings.behaviour = () => answered({ status: "success", result: 1 })
    await world.restart()
    expect(await world.run(run)).toMatchObject({ claimedUntil: null, attempts: 1 })
    await world.work(0)
    expect(await world.run(run)).toMatchObject({ status: "success", attempts: 2 })
  })

  test("keeps its claim during a sweep", async () => {
    const { world, run, claim } = await setUp()
    await claim()
    const claimed = await world.run(run)
    await world.sweep(1)
    expect(await world.run(run)).toEqual(claimed)
  })

  test("is not queued when its run was never written", async () => {
    const { world, run } = await setUp()
    for (const [key, item] of world.runsTable.items) {
      if (key.endsWith(`#${run.id}`)) {
        await world.runsTable.remove({ pk: String(item.pk), sk: String(item.sk) }, run.revision)
      }
    }
    expect(await world.run(run)).toBeNull()
    await world.restart()
    expect(world.messages).toEqual([])
  })

  test("is queued when it is an overdue deployment", async () => {
    const world = await createDeployedWorld()
    await world.deploy({}, "other")
    world.loseMessages()
    await world.sweep(HALF_HOUR_MS)
    expect(world.messages).toEqual([])
    await world.work(HALF_HOUR_MS)
    await world.sweep(HALF_HOUR_MS)
    expect(world.messages.map(({ body }) => JSON.parse(body))).toMatchObject([
      { kind: "function", functionName: "other" },
    ])
  })
})

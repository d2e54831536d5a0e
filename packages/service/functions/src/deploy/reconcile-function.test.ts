import { TEST_APP as APP } from "@sealway/accounts/testing"
import { exploreHistories } from "@sealway/ports/testing"
import { unzipSync } from "fflate"
import { describe, expect, test } from "vitest"
import { createWorld } from "../testing/world.ts"

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

type World = Awaited<ReturnType<typeof createWorld>>

const told = ({ events }: World) =>
  events.map(({ type, data }) => ({ type: type.slice("function.deployment.".length), ...data }))

describe("a deployment", () => {
  test("becomes a program of the customer's files and the wrapper, and serves", async () => {
    const world = await createWorld()
    const record = await world.deploy({ timeoutSeconds: 7, memoryMb: 512 })
    expect(record).toMatchObject({ name: "charge", status: "deploying", active: null })
    await world.work(MINUTE_MS)
    const after = await world.record()
    expect(after).toMatchObject({ id: record.id, status: "ready", lastError: null, active: { number: 1 } })
    const program = world.programs.get(`${record.id}-1`)
    expect(program).toMatchObject({ language: "node@24", timeoutSeconds: 7, memoryMb: 512 })
    const files = Object.keys(unzipSync(program?.zip ?? new Uint8Array()))
    expect(files).toContain("index.mjs")
    expect(files.some((name) => name.startsWith("__sealway__/"))).toBe(true)
    expect(world.pending()).toEqual([])
    const common = { function: "charge", functionId: record.id, deployment: 1, error: null }
    expect(told(world)).toEqual([
      { type: "started", ...common, status: "deploying" },
      { type: "updated", ...common, status: "deploying" },
      { type: "finished", ...common, status: "ready" },
    ])
    expect(world.audited).toMatchObject([
      { action: "function.deploy", target: { type: "function", id: record.id }, details: { deployment: 1 } },
    ])
  })

  test("replaces the previous one, which is removed once no run of it can be in progress", async () => {
    const world = await createWorld()
    const { id } = await world.deploy({ timeoutSeconds: 900 })
    await world.work(MINUTE_MS)
    await world.deploy()
    await world.work(15 * MINUTE_MS)
    expect(await world.record()).toMatchObject({ id, status: "ready", active: { number: 2 } })
    expect([...world.programs.keys()]).toEqual([`${id}-1`, `${id}-2`])
    await world.work(2 * MINUTE_MS)
    expect([...world.programs.keys()]).toEqual([`${id}-2`])
    expect([...world.stored.keys()]).toHaveLength(1)
    expect([world.pending(), world.messages]).toEqual([[], []])
  })

  test.each<[string, (world: World) => void, string]>([
    [
      "the host refuses it",
      ({ settings }) => (settings.refusal = "CodeVerificationFailed"),
      "CodeVerificationFailed",
    ],
    [
      "it cannot be started",
      ({ settings }) => (settings.state = { failed: "InvalidRuntime" }),
      "InvalidRuntime",
    ],
    ["it does not become ready", ({ settings }) => (settings.state = "pending"), "within 10 minutes"],
    ["its code is gone", ({ stored }) => stored.clear(), "no longer stored"],
  ])(
    "that fails because %s leaves the previous one serving",
    async (_what, spoil, error) => {
      const world = await createWorld()
      const { id } = await world.deploy()
      await world.work(MINUTE_MS)
      await world.deploy()
      spoil(world)
      await world.work(HOUR_MS)
      expect(await world.record()).toMatchObject({
        status: "failed",
        active: { number: 1 },
        latest: { number: 2 },
        lastError: expect.stringContaining(error),
      })
      expect([...world.programs.keys()]).toEqual([`${id}-1`])
      expect(told(world).at(-1)).toMatchObject({ type: "finished", deployment: 2, status: "failed" })
      expect([world.pending(), world.messages]).toEqual([[], []])
      const run = await world.schedule()
      await world.work(MINUTE_MS)
      expect(await world.run(run)).toMatchObject({ status: "success" })
    },
    30_000,
  )

  test("that is overtaken by the next one never serves, and leaves nothing behind", async () => {
    const world = await createWorld()
    const { id } = await world.deploy()
    await world.deploy()
    await world.work()
    expect(await world.record()).toMatchObject({ status: "ready", active: { number: 2 }, retired: [] })
    expect([...world.programs.keys()]).toEqual([`${id}-2`])
    expect(world.stored.size).toBe(1)
  })

  test("without a valid zip, or without the handler, is refused with invalid-request and stores nothing", async () => {
    const world = await createWorld()
    const refused = { code: "invalid-request" }
    await expect(world.deploy({}, "charge", new Uint8Array([1, 2, 3]))).rejects.toMatchObject(refused)
    await expect(world.deploy({ handler: "other.mjs" })).rejects.toMatchObject(refused)
    expect([world.stored.size, world.messages, world.audited]).toEqual([0, [], []])
    expect(await world.record()).toBeNull()
  })

  test("with a callback to a non-public address is refused with invalid-request", async () => {
    const world = await createWorld()
    await expect(world.deploy({ callbackUrl: "https://127.0.0.1/" })).rejects.toMatchObject({
      code: "invalid-request",
      fields: [{ pointer: "/callbackUrl" }],
    })
  })

  test("beyond the maximum number of functions is refused with conflict", async () => {
    const world = await createWorld()
    for (let index = 0; index < 100; index++) await world.deploy({}, `f-${index}`)
    await expect(world.deploy({}, "one-more")).rejects.toMatchObject({ code: "conflict" })
    expect((await world.deploy({}, "f-0")).latest.number).toBe(2)
  })
})

describe("a deleted function", () => {
  test("is gone immediately, and its programs and code soon after", async () => {
    const world = await createWorld()
    const { id } = await world.deploy()
    await world.work(MINUTE_MS)
    await world.remove()
    expect(await world.dependencies.functions.find(APP.id, "charge")).toBeNull()
    await expect(world.schedule()).rejects.toMatchObject({ code: "not-found" })
    await expect(world.deploy()).rejects.toMatchObject({ code: "conflict" })
    await world.work(MINUTE_MS)
    expect([world.programs.size, world.stored.size, world.pending()]).toEqual([0, 0, []])
    expect(await world.record()).toBeNull()
    expect((await world.deploy()).id).not.toBe(id)
  })

  test("leaves nothing behind either when it was being deployed", async () => {
    const world = await createWorld()
    await world.deploy()
    await world.remove()
    await world.work(HOUR_MS)
    expect([world.programs.size, world.stored.size, world.pending()]).toEqual([0, 0, []])
    expect(await world.record()).toBeNull()
  })
})

test("completes two deployments and a deletion even when the worker dies at any one step", async () => {
  const { histories } = await exploreHistories(async (explored) => {
    const world = await createWorld({ explored })
    explored.begin()
    const work = async (act: () => Promise<unknown>) => {
      await act()
      await world.work(6 * HOUR_MS)
    }
    await work(() => world.deploy())
    await work(() => world.deploy())
    const id = (await world.record())?.id
    await world.deploy({}, "other")
    expect(await world.record()).toMatchObject({ status: "ready", active: { number: 2 }, retired: [] })
    expect([...world.programs.keys()]).toEqual([`${id}-2`])
    await work(() => world.remove())
    await work(() => world.remove("other"))
    expect([world.programs.size, world.stored.size, world.pending(), world.messages]).toEqual([0, 0, [], []])
    const finished = world.events.filter(({ type }) => type.endsWith("finished"))
    expect(new Set(finished.map(({ id: eventId }) => eventId)).size).toBe(3)
  })
  expect(histories).toBeGreaterThan(60)
}, 60_000)

test("completes an accepted deployment after a restart, whatever call its request died at or that failed", async () => {
  await exploreHistories(async (explored) => {
    const world = await createWorld({ explored })
    explored.begin()
    const isAccepted = await world.mortal(() => world.deploy())
    await world.restart()
    await world.work(6 * HOUR_MS)
    const record = await world.record()
    // Without an answer it may have been written or not; what was written must be deployed too.
    if (isAccepted) expect(record).not.toBeNull()
    if (record !== null) {
      expect(record).toMatchObject({ status: "ready", active: { number: 1 }, lastError: null })
    }
  })
})

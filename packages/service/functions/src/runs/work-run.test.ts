import { TEST_APP as APP } from "@sealway/accounts/testing"
import { dyingWhen } from "@sealway/ports/testing"
import { createSealingKey } from "@sealway/tokens"
import { describe, expect, test } from "vitest"
import { MAX_ATTEMPTS } from "../records/run.ts"
import { answered } from "../testing/memory-host.ts"
import { createDeployedWorld } from "../testing/world.ts"

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const MARKER = "value-marker-4242"

type World = Awaited<ReturnType<typeof createDeployedWorld>>

async function seal(world: World, role?: string): Promise<string> {
  const { publicKeys } = await world.keyring.newest(APP, "public")
  const key = createSealingKey({ appPublicKey: publicKeys.prime256v1, debug: true })
  return key.seal("string", Buffer.from(MARKER), role === undefined ? undefined : { role, encryptedAt: 1 })
}

describe("a scheduled run", () => {
  test("runs with tokens opened and digits kept, and is reported once", async () => {
    const world = await createDeployedWorld()
    const token = await seal(world)
    const run = await world.schedule(
      `{"payload": {"card":"${token}","amount":1.50e+3 , "big":12345678901234567890}}`,
    )
    await world.work()

    expect(world.calls).toHaveLength(1)
    expect(world.calls[0]?.event).toContain(
      `{"payload":{"card":"${MARKER}","amount":1.50e+3 , "big":12345678901234567890},"context":{"functionName":"charge","runId":"${run.id}"`,
    )
    expect(await world.run(run)).toMatchObject({
      status: "success",
      attempts: 1,
      claimedUntil: null,
      completedAt: expect.any(Number),
    })
    expect(world.events).toEqual([
      {
        id: `webhook_event_${run.id.slice("func_run_".length)}`,
        teamId: APP.teamId,
        appId: APP.id,
        type: "function.run.completed",
        data: expect.objectContaining({ run: run.id, function: "charge", status: "success" }),
        callbackUrl: "https://a.example/done",
      },
    ])
    expect([world.pending(), world.messages, world.deadLetters]).toEqual([[], [], []])
  })

  test("leaves nothing readable of its payload and result in the tables, and in the end no payload at all", async () => {
    const world = await createDeployedWorld()
    world.settings.behaviour = () => answered({ status: "success", result: { echo: MARKER } })
    const run = await world.schedule({ payload: { plain: MARKER } })
    const texts = () => Buffer.concat([...world.runsTable.items.values()].flatMap(bytesOf)).toString("latin1")
    expect(texts()).not.toContain(MARKER)
    await world.work()
    expect(texts()).not.toContain(MARKER)
    expect(await world.outcome(run)).toEqual({ status: "success", result: { echo: MARKER } })
    expect([...world.runsTable.items.keys()].filter((key) => key.endsWith("\npayload"))).toEqual([])
  })

  test.each([
    ["what the code threw", answered({ status: "failure", error: { message: "No", stack: "at x" } }), "No"],
    ["its time limit", { kind: "timed-out", isStopped: true } as const, "did not end within"],
    ["its memory", { kind: "out-of-memory" } as const, "256 MB"],
    ["an exit", { kind: "exited" } as const, "ended before it answered"],
    ["what is no answer", answered({ status: "success" }), "not readable"],
    [
      "a result that is too large to keep",
      answered({ status: "success", result: "x".repeat(256 * 1024) }),
      "256 KB",
    ],
  ])("fails on %s, with the reason", async (_what, invocation, message) => {
    const world = await createDeployedWorld()
    world.settings.behaviour = () => invocation
    const run = await world.schedule()
    await world.work()
    expect(await world.outcome(run)).toEqual({
      status: "failure",
      error: { message: expect.stringContaining(message), stack: expect.any(String) },
    })
    expect(world.calls).toHaveLength(1)
    expect(world.events).toHaveLength(1)
  })

  test("fails without being called when its values may not be decrypted, with an audit record", async () => {
    const world = await createDeployedWorld()
    world.decisions.permits = false
    const run = await world.schedule({ payload: { a: [await seal(world, "pci")] } })
    await world.work()
    expect(world.calls).toEqual([])
    expect(await world.outcome(run)).toMatchObject({
      status: "failure",
      error: { message: expect.stringContaining("/payload/a/0: ") },
    })
    expect(world.audited.at(-1)).toMatchObject({
      action: "decryption.refused",
      actor: { type: "api-key", id: "key_1" },
      ip: "1.1.1.1",
      details: { function: "charge", run: run.id, role: "pci", code: "decrypt/forbidden" },
    })
  })

  test("fails at once, and is not tried again, when its payload takes too many key agreements in the HSM", async () => {
    const world = await createDeployedWorld()
    await world.keyring.addVersion({ ...APP, custody: "hsm" })
    const tokens = await Promise.all(Array.from({ length: 201 }, () => seal(world)))
    const run = await world.schedule({ payload: tokens })
    await world.work(MINUTE_MS)
    expect(world.calls).toEqual([])
    expect(await world.run(run)).toMatchObject({ status: "failure", attempts: 1 })
    expect(await world.outcome(run)).toMatchObject({
      error: { message: expect.stringContaining("more than 200 key agreements in the HSM") },
    })
  })

  test("fails without being called when a token does not open, the function is deleted or the app is disabled", async () => {
    const world = await createDeployedWorld()
    const broken = await world.schedule({ payload: { a: (await seal(world)).replace(/.{4}:\$$/, "AAAA:$") } })
    await world.work(MINUTE_MS)
    expect(await world.outcome(broken)).toMatchObject({
      error: { message: "/payload/a: The value cannot be decrypted." },
    })
    const disabled = await world.schedule()
    world.setApp({ ...APP, status: "disabled" })
    await world.work(MINUTE_MS)
    expect(await world.outcome(disabled)).toMatchObject({ error: { message: "The app is disabled." } })
    world.setApp(APP)
    const orphan = await world.schedule()
    await world.remove()
    await world.work()
    expect(await world.outcome(orphan)).toMatchObject({
      error: { message: expect.stringContaining("was deleted") },
    })
    expect(world.calls).toEqual([])
  })

  test("runs once when its message comes twice at the same time", async () => {
    const world = await createDeployedWorld()
    const run = await world.schedule()
    await world.dependencies.queues.send("function-runs", JSON.parse(world.messages.at(-1)?.body ?? ""))
    await world.work()
    expect(world.calls).toHaveLength(1)
    expect(world.events).toHaveLength(1)
    expect(await world.run(run)).toMatchObject({ status: "success", attempts: 1 })
  })

  test("stays queued while too many runs are in progress, and starts once there is a slot", async () => {
    const world = await createDeployedWorld({ runLimits: { perApp: 1, perStage: 1 } })
    const other = await world.dependencies.runSlots.take(APP.id, 900)
    const run = await world.schedule()
    await world.work(10 * MINUTE_MS)
    expect(await world.run(run)).toMatchObject({ status: "scheduled", attempts: 0, revision: 1 })
    expect([world.calls, world.messages.length]).toEqual([[], 1])
    await other?.release()
    await world.work(MINUTE_MS)
    expect(await world.run(run)).toMatchObject({ status: "success", attempts: 1, setbacks: 0 })
    expect(await world.dependencies.runSlots.take(APP.id, 900)).not.toBeNull()
  })

  test("fails after waiting an hour for other runs to end", async () => {
    const world = await createDeployedWorld({ runLimits: { perApp: 1, perStage: 1 } })
    const run = await world.schedule()
    for (let minutes = 0; minutes < 70; minutes += 10) {
      const other = await world.dependencies.runSlots.take(APP.id, 900)
      await world.work(10 * MINUTE_MS)
      await other?.release()
    }
    expect(await world.outcome(run)).toMatchObject({ error: { message: expect.stringContaining("an hour") } })
    expect(world.calls).toEqual([])
  })

  test("waits while its function is busy, and fails after an hour of that", async () => {
    const world = await createDeployedWorld()
    world.settings.behaviour = () => ({ kind: "busy" })
    const run = await world.schedule()
    await world.work(30 * MINUTE_MS)
    expect(await world.run(run)).toMatchObject({ status: "scheduled", attempts: 0, setbacks: 0 })
    world.settings.behaviour = () => answered({ status: "success", result: null })
    await world.work(MINUTE_MS)
    expect(await world.run(run)).toMatchObject({ status: "success" })

    world.settings.behaviour = () => ({ kind: "not-ready" })
    const late = await world.schedule()
    await world.work(2 * HOUR_MS)
    expect(await world.outcome(late)).toMatchObject({
      error: { message: expect.stringContaining("an hour") },
    })
  })

  test("is retried after five service faults, at growing intervals, and then fails as a dead letter", async () => {
    const world = await createDeployedWorld()
    world.settings.behaviour = () => new Error("ECONNRESET")
    const run = await world.schedule()
    await world.work()
    expect(world.calls).toHaveLength(5)
    expect(world.deadLetters).toEqual([
      { kind: "run", id: run.id, appId: APP.id, functionId: run.functionId },
    ])
    expect(await world.outcome(run)).toMatchObject({
      status: "failure",
      error: { message: expect.stringContaining("fault in the service") },
    })
    expect(world.events).toHaveLength(1)
  })

  test("is given up when every process that ran it has died", async () => {
    let dies = false
    const world = await createDeployedWorld({
      explored: dyingWhen(() => {
        const diesNow = dies
        dies = false
        return diesNow
      }),
    })
    world.settings.behaviour = () => {
      dies = true
      return answered({ status: "success", result: 1 })
    }
    const run = await world.schedule()
    for (let death = 0; death < MAX_ATTEMPTS + 2; death++) {
      await world.work(2 * HOUR_MS)
      await world.restart()
    }
    await world.work()
    expect(world.calls).toHaveLength(MAX_ATTEMPTS)
    expect(await world.outcome(run)).toMatchObject({
      status: "failure",
      error: { message: expect.stringContaining("never finished") },
    })
    expect(world.deadLetters).toHaveLength(1)
  })
})

describe("lost messages", () => {
  test("are sent again at the next start, for unfinished work", async () => {
    const world = await createDeployedWorld()
    const done = await world.schedule()
    await world.work(MINUTE_MS)
    const waiting = await world.schedule()
    await world.restart()
    expect(world.messages).toHaveLength(1)
    await world.work()
    expect(await world.run(waiting)).toMatchObject({ status: "success" })
    expect(world.calls.filter(({ event }) => event.includes(done.id))).toHaveLength(1)
    await world.restart()
    expect(world.messages).toEqual([])
  })

  test("are sent again by a sweeper once they are overdue", async () => {
    const world = await createDeployedWorld()
    await world.work(HOUR_MS)
    await world.schedule()
    world.loseMessages()
    await world.sweep(HOUR_MS)
    expect(world.messages).toEqual([])
    await world.work(HOUR_MS)
    await world.sweep(HOUR_MS)
    expect(world.messages).toHaveLength(1)
  })
})

function bytesOf(item: object): Buffer[] {
  return Object.values(item).map((value) =>
    value instanceof Uint8Array ? Buffer.from(value) : Buffer.from(JSON.stringify(value) ?? ""),
  )
}

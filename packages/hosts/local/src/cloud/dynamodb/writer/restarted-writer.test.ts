import type { Worker } from "node:worker_threads"
import { expect, onTestFinished, test, vi } from "vitest"
import { DEFINITION, databasePath, keyOf, openTable, TABLE_NAME } from "../testing/tables-file.ts"
import { type MortalWriter, type RestartOptions, startRestartedWriter } from "./restarted-writer.ts"
import { startThread, startWriterThread } from "./start-writer-thread.ts"
import { FAILED, type WriteReply } from "./writer.ts"

const WRITTEN: WriteReply = { kind: "written", written: { isMade: true, item: null } }
const putOf = (sk: string) =>
  JSON.stringify({ kind: "put", table: TABLE_NAME, item: { ...keyOf(sk), value: { S: sk } } })

test("keeps what was acknowledged before the thread died, and continues writing in the next one", async () => {
  const path = await databasePath()
  const threads: Worker[] = []
  const start = () => {
    const thread = startThread(path, [DEFINITION])
    threads.push(thread)
    return startWriterThread(thread, () => undefined)
  }
  const writer = await startRestartedWriter(start, { report: () => undefined, wait: async () => undefined })
  const acknowledged: string[] = []
  const put = async (sk: string) => {
    const { kind } = await writer.write(putOf(sk))
    if (kind === "written") acknowledged.push(sk)
    return kind
  }

  for (let round = 0; round < 5; round++) {
    const writes = Array.from({ length: 50 }, (_, n) => put(`${round}-${n}`))
    await writes[0]
    await threads.at(-1)?.terminate()
    for (const kind of await Promise.all(writes)) expect(["written", "unavailable"]).toContain(kind)
    await vi.waitFor(async () => expect(await put(`after-${round}`)).toBe("written"), {
      timeout: 20_000,
      interval: 5,
    })
  }
  await writer.close()

  expect(threads).toHaveLength(6)
  const { get, close } = await openTable(path)
  const found = await Promise.all(acknowledged.map(get))
  await close()
  expect(acknowledged.filter((sk, index) => found[index] !== sk)).toEqual([])
})

test("retries a thread that cannot start after growing pauses, and refuses writes meanwhile", async () => {
  const world = worldOf(["live", "refuse", "refuse", "refuse", "live"])
  const writer = await world.start()
  onTestFinished(() => writer.close())
  const pauses = world.die()
  await vi.waitFor(() => expect(pauses).toEqual([100, 200, 400, 800]))

  await vi.waitFor(async () => expect(await writer.write("{}")).toEqual(WRITTEN))
  expect(world.reports).toContain(
    "The thread that writes to the tables cannot be started. Writes are refused.",
  )
})

test("does not start again once it was told to close, even during a restart", async () => {
  const world = worldOf(["live", "slow", "live"])
  const writer = await world.start()
  world.die()
  await vi.waitFor(() => expect(world.started).toBe(2))
  const closing = writer.close()
  world.opened.resolve()
  await closing

  expect(world.started).toBe(2)
  expect(world.closed).toBe(1)
})

test("fails like the first start", async () => {
  await expect(worldOf(["refuse"]).start()).rejects.toThrow("refused")
})

/** Creates writers that live, are refused, or wait for `opened`, one per start. */
function worldOf(starts: readonly ("live" | "refuse" | "slow")[]) {
  const reports: string[] = []
  const pauses: number[] = []
  const opened = Promise.withResolvers<void>()
  let die = (): void => undefined
  const world = { started: 0, closed: 0 }
  const begin = async (): Promise<MortalWriter> => {
    const how = starts[world.started++]
    if (how === "refuse") throw new Error("refused")
    if (how === "slow") await opened.promise
    const ended = Promise.withResolvers<void>()
    let isDead = false
    die = () => {
      isDead = true
      ended.resolve()
    }
    return {
      ended: ended.promise,
      write: async () => (isDead ? FAILED : WRITTEN),
      async close() {
        world.closed++
        ended.resolve()
      },
    }
  }
  const options: RestartOptions = {
    report: (message) => void reports.push(message),
    now: () => 0,
    wait: async (ms) => void pauses.push(ms),
  }
  return {
    get started() {
      return world.started
    },
    get closed() {
      return world.closed
    },
    reports,
    opened,
    start: () => startRestartedWriter(begin, options),
    die() {
      die()
      return pauses
    },
  }
}

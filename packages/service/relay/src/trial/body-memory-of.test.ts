import { createHold, MemoryBudget } from "@sealway/http/ingress"
import { MB, processTurns, RequestTask, type TaskMemory } from "@sealway/kernel"
import { expect, test } from "vitest"
import { bodyMemoryOf } from "./body-memory-of.ts"

const GZIP = { rawHeaders: ["Content-Encoding", "gzip"] }

test("compressed samples wait for each other before they are decoded, and none is refused", async () => {
  const budget = new MemoryBudget({ receivedBytes: 0, workingBytes: 112 * MB })
  const decoded: string[] = []
  async function decode(name: string) {
    const { task, end } = taskOf(budget)
    const memory = await bodyMemoryOf(task, GZIP)
    await memory.reserve(100_000)
    memory.receive(5 * MB)
    await memory.reserve(40 * MB)
    memory.take(50 * MB)
    decoded.push(name)
    end()
  }
  await Promise.all([decode("first"), decode("second"), decode("third")])
  expect(decoded).toEqual(["first", "second", "third"])
})

test("a sample that is not compressed waits for what its own bytes take", async () => {
  const budget = new MemoryBudget({ receivedBytes: 0, workingBytes: 112 * MB })
  const { task } = taskOf(budget)
  const memory = await bodyMemoryOf(task, { rawHeaders: [] })
  await memory.reserve(3 * MB)
  memory.take(2 * MB)
  expect(budget.bytes).toBe(3 * MB)
  memory.take(2 * MB)
  expect(budget.bytes).toBe(4 * MB)
})

test("a sample that takes more than a process ever has is refused as too large, not as sent at a bad time", async () => {
  const { task } = taskOf(new MemoryBudget({ receivedBytes: 0, workingBytes: 112 * MB }))
  const memory = await bodyMemoryOf(task, GZIP)
  memory.receive(MB)
  expect(() => memory.take(99 * MB)).toThrow(expect.objectContaining({ code: "payload-too-large" }))
})

function taskOf(budget: MemoryBudget) {
  const hold = createHold({ appId: "app_1", teamId: "team_1" })
  const memory: TaskMemory = {
    mostForOne: budget.mostForOne,
    reserve: (bytes, { signal }) => budget.reserve(hold, bytes, { signal }),
    take: (bytes) => budget.takeOrRefuse(hold, bytes),
    add: (bytes) => budget.add(hold, bytes),
  }
  return { task: new RequestTask({ turns: processTurns, memory }), end: () => budget.release(hold) }
}

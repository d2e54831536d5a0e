import { expect, test } from "vitest"
import { createTurns } from "./turns.ts"

const nextTurn = () => new Promise((resolve) => setImmediate(resolve))

test("yields between chained work", async () => {
  const inTurn = createTurns(() => performance.now())
  let timers = 0
  const timer = setInterval(() => timers++, 0)

  while (timers < 3) await inTurn(() => undefined)

  clearInterval(timer)
  expect(timers).toBe(3)
})

test("does all quick work in one turn, in order, and leaves the rest of slow work to the next", async () => {
  let now = 0
  const inTurn = createTurns(() => now)
  const done: string[] = []
  const take = (name: string, ms: number) =>
    inTurn(() => {
      done.push(name)
      now += ms
    })

  const all = [take("a", 1), take("b", 3), take("c", 1), take("d", 9), take("e", 0), take("f", 0)]
  expect(done).toEqual([])
  await nextTurn()
  expect(done).toEqual(["a", "b", "c"])
  await nextTurn()
  expect(done).toEqual(["a", "b", "c", "d"])
  await Promise.all(all)
  expect(done).toEqual(["a", "b", "c", "d", "e", "f"])
})

test("resolves or rejects like the work, and continues", async () => {
  const inTurn = createTurns(() => 0)
  const thrown = inTurn(() => {
    throw new Error("refused")
  })
  const given = inTurn(() => 1)

  await expect(thrown).rejects.toThrow("refused")
  expect(await given).toBe(1)
})

import fc from "fast-check"
import { expect, test } from "vitest"
import { mapInOrder } from "./map-in-order.ts"

async function* items(count: number, failsAt?: number): AsyncGenerator<number> {
  for (let item = 0; item < count; item++) {
    if (item === failsAt) throw new Error("source")
    yield item
  }
}

const ticks = async (count: number) => {
  for (let tick = 0; tick < count; tick++) await Promise.resolve()
}

async function collect(results: AsyncIterable<number>) {
  const seen: number[] = []
  try {
    for await (const result of results) seen.push(result)
    return { seen, error: null }
  } catch (error) {
    return { seen, error: error instanceof Error ? error.message : "none" }
  }
}

test("yields results in the order of the items, however long each takes, within both limits", () =>
  fc.assert(
    fc.asyncProperty(
      fc.array(fc.nat(30), { maxLength: 40 }),
      fc.integer({ min: 1, max: 5 }),
      fc.integer({ min: 0, max: 5 }),
      async (delays, concurrency, more) => {
        const window = concurrency + more
        let running = 0
        let begun = 0
        let yielded = 0
        const seen: number[] = []
        const results = mapInOrder(items(delays.length), { concurrency, window }, async (item) => {
          begun++
          expect(++running).toBeLessThanOrEqual(concurrency)
          expect(begun - yielded).toBeLessThanOrEqual(window)
          await ticks(delays[item] ?? 0)
          running--
          return item * 2
        })
        for await (const result of results) {
          seen.push(result)
          await ticks(3)
          yielded++
        }
        expect(seen).toEqual(delays.map((_, index) => index * 2))
      },
    ),
  ))

test("processes as many items concurrently as allowed", async () => {
  let running = 0
  let most = 0
  const results = mapInOrder(items(20), { concurrency: 4, window: 8 }, async (item) => {
    most = Math.max(most, ++running)
    await ticks(20)
    running--
    return item
  })
  expect((await collect(results)).seen).toHaveLength(20)
  expect(most).toBe(4)
})

test("yields the results before a failing item, and starts nothing after it", async () => {
  const begun: number[] = []
  const results = mapInOrder(items(1_000), { concurrency: 3, window: 6 }, async (item) => {
    begun.push(item)
    await ticks(item === 0 ? 200 : 1)
    if (item === 2) throw new Error("item")
    return item
  })
  expect(await collect(results)).toEqual({ seen: [0, 1], error: "item" })
  await ticks(500)
  expect(begun.length).toBeLessThanOrEqual(8)
})

test("yields the results before the point where the source fails", async () => {
  const results = mapInOrder(items(9, 5), { concurrency: 2, window: 4 }, async (item) => {
    await ticks(10 - item)
    return item
  })
  expect(await collect(results)).toEqual({ seen: [0, 1, 2, 3, 4], error: "source" })
})

test("stops reading when its consumer stops", async () => {
  let read = 0
  async function* endless(): AsyncGenerator<number> {
    for (;;) yield read++
  }
  for await (const result of mapInOrder(endless(), { concurrency: 2, window: 4 }, async (item) => item)) {
    if (result === 3) break
  }
  await ticks(100)
  const before = read
  await ticks(100)
  expect(read).toBe(before)
})

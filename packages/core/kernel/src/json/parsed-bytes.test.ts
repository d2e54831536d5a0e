import { describe, expect, test } from "vitest"
import { processTurns } from "../work/process-turns.ts"
import { RequestTask } from "../work/task.ts"
import { finish } from "../work/work.ts"
import { parsedBytesInSteps, reserveToParse } from "./parsed-bytes.ts"

const parsedBytes = (text: string) => finish(parsedBytesInSteps(Buffer.from(text)))
const listOf = (count: number, item: string) => `[${Array(count).fill(item).join(",")}]`

describe("the memory of parsed JSON", () => {
  test("is that of its items, and of its text twice", () => {
    expect(parsedBytes(`"${"x".repeat(100_000)}"`)).toBe(2 * 100_002)
    const items = listOf(1_000, `"${"x".repeat(100)}"`)
    expect(parsedBytes(items)).toBe(2 * items.length + 240 * 1_000)
  })

  test("is at most 24 times as much as the text, of which most is for empty objects", () => {
    const text = listOf(10_000, "{}")
    expect(parsedBytes(text)).toBe(24 * text.length)
  })

  test("is reserved for texts of more than a kilobyte", () => {
    const reserved: number[] = []
    const memory = {
      reserve: (bytes: number) => void reserved.push(bytes),
      take: () => expect.unreachable(),
      add: () => expect.unreachable(),
    }
    const task = new RequestTask({ turns: processTurns, memory })
    for (const length of [1_024, 1_025]) task.run(reserveToParse(Buffer.alloc(length, " "), task))
    expect(reserved).toEqual([2 * 1_025])
  })
})

import { describe, expect, test } from "vitest"
import { Pace } from "./pace.ts"

/** Returns how many items are processed between two yields. */
function stepsOf(itemsPerStep: number, items: readonly number[]): readonly number[] {
  const pace = new Pace(itemsPerStep)
  const steps = [0]
  for (const bytes of items) {
    if (pace.isDue(bytes)) steps.push(0)
    steps.push((steps.pop() ?? 0) + 1)
  }
  return steps
}

describe("the pace of a loop", () => {
  test("yields after each step of small items, and not for fewer", () => {
    expect(stepsOf(4, Array(4).fill(0))).toEqual([4])
    expect(stepsOf(4, Array(9).fill(2_047))).toEqual([4, 5])
  })

  test("yields sooner when items are large: 2 KB count as one more", () => {
    expect(stepsOf(4, Array(4).fill(2_048))).toEqual([2, 2])
    expect(stepsOf(4, [0, 1_000_000_000, 0])).toEqual([1, 2])
  })
})

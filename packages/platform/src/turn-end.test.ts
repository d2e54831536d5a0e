import { describe, expect, test } from "vitest"
import { createTurnEnd } from "./turn-end.ts"

describe("the end of a turn", () => {
  test("is one and the same for all who wait in one turn, after everything else of that turn", async () => {
    const turnEnd = createTurnEnd()
    const order: string[] = []
    const wait = async (name: string) => {
      await turnEnd()
      order.push(name)
    }
    const waiting = [wait("first"), wait("second")]
    await Promise.resolve()
    order.push("the rest of the turn")
    await Promise.all(waiting)
    expect(order).toEqual(["the rest of the turn", "first", "second"])
  })

  test("comes again in the next turn", async () => {
    const turnEnd = createTurnEnd()
    const first = turnEnd()
    expect(turnEnd()).toBe(first)
    await first
    expect(turnEnd()).not.toBe(first)
    await turnEnd()
  })
})

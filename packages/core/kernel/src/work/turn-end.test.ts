import { setTimeout as delay } from "node:timers/promises"
import { describe, expect, test } from "vitest"
import { createTurnEnd } from "./turn-end.ts"

describe("the end of a turn", () => {
  test("comes after everything else in the turn, for all waiting tasks in order", async () => {
    const atTurnEnd = createTurnEnd()
    const order: string[] = []
    for (const name of ["first", "second"]) atTurnEnd(() => order.push(name))
    await Promise.resolve()
    order.push("the rest of the turn")
    await delay(1)
    expect(order).toEqual(["the rest of the turn", "first", "second"])
  })

  test("comes again, later, for tasks added meanwhile", async () => {
    const atTurnEnd = createTurnEnd()
    const order: string[] = []
    atTurnEnd(() => {
      order.push("first")
      atTurnEnd(() => order.push("asked for meanwhile"))
    })
    atTurnEnd(() => order.push("second"))
    await new Promise<void>(atTurnEnd)
    expect(order).toEqual(["first", "second"])
    await new Promise<void>(atTurnEnd)
    expect(order).toEqual(["first", "second", "asked for meanwhile"])
  })
})

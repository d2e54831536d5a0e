import { describe, expect, test } from "vitest"
import { type Transfer, Transfers } from "./transfers.ts"

/** Returns transfers with four places, and what was cut. */
function setUp() {
  let nowMs = 0
  const cut: string[] = []
  const transfers = new Transfers({ max: 4, graceMs: 100, now: () => nowMs })
  const begin = (appId: string, name: string, bytes = 0) => {
    const transfer: Transfer = { appId, bytes, cut: () => cut.push(name) }
    return { transfer, isBegun: transfers.begin(transfer) }
  }
  return {
    transfers,
    cut,
    begin,
    pass: (ms: number) => {
      nowMs += ms
    },
  }
}

describe("transfers of files", () => {
  test("of an app that takes every place are cut for another app, the slowest first, until both have as many", () => {
    const { begin, cut, pass } = setUp()
    for (const [name, bytes] of [
      ["a1", 900],
      ["a2", 10],
      ["a3", 800],
      ["a4", 20],
    ] as const) {
      begin("a", name, bytes)
    }
    pass(1_000)
    expect([begin("b", "b1").isBegun, begin("b", "b2").isBegun, begin("b", "b3").isBegun]).toEqual([
      true,
      true,
      false,
    ])
    expect(cut).toEqual(["a2", "a4"])
  })

  test("that have just begun are not taken for slow", () => {
    const { begin, cut, pass } = setUp()
    begin("a", "old", 1_000_000)
    pass(99)
    for (const name of ["new1", "new2", "new3"]) begin("a", name)
    pass(1)
    begin("b", "b1")
    expect(cut).toEqual(["old"])
  })

  test("of one app beyond all places are refused, and begin again once one has ended", () => {
    const { begin, cut, transfers } = setUp()
    const [first] = ["a1", "a2", "a3", "a4"].map((name) => begin("a", name).transfer)
    expect(begin("a", "a5").isBegun).toBe(false)
    if (first !== undefined) transfers.end(first)
    expect(begin("a", "a6").isBegun).toBe(true)
    expect(cut).toEqual([])
  })

  test("of one app that are slow make place for its others", () => {
    const { begin, cut, pass } = setUp()
    for (const [name, bytes] of [
      ["a1", 64_000],
      ["a2", 63_999],
      ["a3", 100_000],
      ["a4", 64_000],
    ] as const) {
      begin("a", name, bytes)
    }
    pass(1_000)
    expect([begin("a", "a5").isBegun, begin("a", "a6").isBegun]).toEqual([true, false])
    expect(cut).toEqual(["a2"])
  })
})

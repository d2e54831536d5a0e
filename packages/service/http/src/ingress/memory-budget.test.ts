import { MB } from "@sealway/kernel"
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { Deadlines } from "./deadlines.ts"
import { createHold, MemoryBudget, type MemoryHold, memoryBudgetOf, SMALL_BYTES } from "./memory-budget.ts"

const OVERLOADED = expect.objectContaining({ code: "service-unavailable", headers: { "retry-after": "1" } })
/** Of 64 MB, 56 are for large work, and one owner may have 42 of them. */
const WORKING_BYTES = 64 * MB
const MOST = 42 * MB

const budgetOf = (options: Partial<ConstructorParameters<typeof MemoryBudget>[0]> = {}) =>
  new MemoryBudget({ receivedBytes: 16 * SMALL_BYTES, workingBytes: WORKING_BYTES, ...options })

/** An app of a team of its own, unless another is given. */
const ownerOf = (appId: string, teamId = `team of ${appId}`) => ({ appId, teamId })

/** Reserves, and notes when it is granted or refused. */
function reserving(budget: MemoryBudget, appId: string, bytes: number, teamId?: string) {
  const hold = createHold(ownerOf(appId, teamId))
  const aborter = new AbortController()
  const state = { hold, aborter, outcome: "waits" as unknown }
  const ended = (async () => budget.reserve(hold, bytes, aborter))().then(
    () => {
      state.outcome = "has it"
    },
    (error: unknown) => {
      state.outcome = error
    },
  )
  return Object.assign(state, { ended })
}

const settled = () => new Promise((resolve) => setImmediate(resolve))
const outcomes = (all: readonly { outcome: unknown }[]) => all.map(({ outcome }) => outcome)

describe("bodies", () => {
  test("that are large take three quarters, so that small ones still fit", () => {
    const budget = budgetOf()
    expect(budget.receive(createHold(), 12 * SMALL_BYTES + 1)).toBe(false)
    expect(budget.receive(createHold(), 12 * SMALL_BYTES)).toBe(true)
    expect([budget.hasRoomFor(SMALL_BYTES + 1), budget.hasRoomFor(SMALL_BYTES)]).toEqual([false, true])
    for (let count = 0; count < 4; count += 1) expect(budget.receive(createHold(), SMALL_BYTES)).toBe(true)
    expect(budget.receive(createHold(), 1)).toBe(false)
    expect(budget.bytes).toBe(16 * SMALL_BYTES)
  })

  test("that become large no longer use the room for small ones", () => {
    const budget = budgetOf()
    budget.receive(createHold(), 12 * SMALL_BYTES)
    const growing = createHold()
    expect([budget.receive(growing, SMALL_BYTES), budget.receive(growing, 1)]).toEqual([true, false])
    expect(growing.received).toBe(SMALL_BYTES)
  })

  test("are released by those who hold them, once", () => {
    const budget = budgetOf()
    const [first, second] = [createHold(), createHold()]
    for (const hold of [first, second]) budget.receive(hold, 100)
    for (let count = 0; count < 2; count += 1) budget.release(first)
    expect(budget.bytes).toBe(100)
  })
})

describe("work", () => {
  test("that has its memory already is counted, however much it is, and others wait until it ends", async () => {
    const budget = budgetOf()
    const result = createHold(ownerOf("a"))
    budget.add(result, 2 * WORKING_BYTES)
    const later = reserving(budget, "b", 2 * MB)
    await settled()
    expect(later.outcome).toBe("waits")
    budget.release(result)
    await later.ended
    expect([later.outcome, budget.bytes]).toEqual(["has it", 2 * MB])
  })

  test("waits until there is room, and gets it in order", async () => {
    const budget = budgetOf()
    const [first, second, third] = ["a", "b", "c"].map((app) => reserving(budget, app, 20 * MB))
    const fourth = reserving(budget, "a", 20 * MB)
    await settled()
    const all = [first, second, third, fourth] as const
    expect(outcomes(all.map((each) => each ?? fourth))).toEqual(["has it", "has it", "waits", "waits"])
    if (first !== undefined) budget.release(first.hold)
    await settled()
    expect([third?.outcome, fourth.outcome]).toEqual(["has it", "waits"])
  })

  test("is refused when it waits for too long, and others then get the room that it waited for", async () => {
    const budget = budgetOf({ waits: new Deadlines(5) })
    reserving(budget, "a", MOST)
    const waiting = reserving(budget, "b", 30 * MB)
    await waiting.ended
    expect([waiting.outcome, budget.waiting, budget.bytes]).toEqual([OVERLOADED, 0, MOST])
  })

  test("leaves the queue with the reason when it is cancelled", async () => {
    const budget = budgetOf()
    const first = reserving(budget, "a", MOST)
    const gone = reserving(budget, "b", 30 * MB)
    const reason = new Error("The client has left")
    gone.aborter.abort(reason)
    await gone.ended
    expect([gone.outcome, budget.waiting]).toEqual([reason, 0])
    budget.release(first.hold)
    expect(budget.bytes).toBe(0)
  })

  test("of one owner never takes what is left for others, and does not make them wait", async () => {
    const budget = budgetOf()
    const own = [reserving(budget, "a", 30 * MB), reserving(budget, "a", 30 * MB)]
    const other = reserving(budget, "b", 10 * MB)
    await settled()
    expect(outcomes([...own, other])).toEqual(["has it", "waits", "has it"])
  })

  test("of a team never takes what is left for others, through however many apps", async () => {
    const budget = budgetOf()
    const own = ["a", "b", "c", "d"].map((app) => reserving(budget, app, 15 * MB, "team"))
    const other = reserving(budget, "e", 5 * MB)
    await settled()
    expect(outcomes([...own, other])).toEqual(["has it", "has it", "has it", "waits", "has it"])
  })

  test("of an app leaves some to the others of its team", async () => {
    const budget = budgetOf()
    const greedy = [reserving(budget, "a", MOST, "team"), reserving(budget, "a", 2 * MB, "team")]
    const other = reserving(budget, "b", 6 * MB, "team")
    await settled()
    expect(outcomes([...greedy, other])).toEqual(["has it", "waits", "has it"])
  })

  test("that would be next is not overtaken by large work, so that it does not wait for ever", async () => {
    const budget = budgetOf()
    const first = reserving(budget, "a", 20 * MB)
    const next = reserving(budget, "b", 30 * MB)
    const late = reserving(budget, "c", 2 * MB)
    await settled()
    expect(outcomes([first, next, late])).toEqual(["has it", "waits", "waits"])
    expect(budget.take(createHold(ownerOf("d")), 2 * MB)).toBe(false)
    expect(budget.take(createHold(ownerOf("d")), MB)).toBe(true)
    budget.release(first.hold)
    await settled()
    expect(next.outcome).toBe("has it")
  })

  test("overtakes work that waits for clients that do not read", async () => {
    const budget = budgetOf()
    const hanging = createHold(ownerOf("a"))
    budget.keep(hanging, 30 * MB)
    const blocked = reserving(budget, "b", 30 * MB)
    const other = reserving(budget, "c", 2 * MB)
    await settled()
    expect(outcomes([blocked, other])).toEqual(["waits", "has it"])
  })

  test("that has memory is refused more at once, because waiting for it could last for ever", () => {
    const budget = budgetOf()
    const [first, second] = [createHold(ownerOf("a")), createHold(ownerOf("b"))]
    for (const hold of [first, second]) expect(budget.take(hold, 20 * MB)).toBe(true)
    const signal = new AbortController()
    expect(budget.reserve(first, 20 * MB, signal)).toBeUndefined()
    expect(() => budget.reserve(first, 35 * MB, signal)).toThrow(OVERLOADED)
    expect(first.working).toBe(20 * MB)
  })

  test("that will never fit is refused with payload-too-large, up to the last byte", () => {
    const signal = new AbortController()
    expect(budgetOf().reserve(createHold(ownerOf("a")), MOST, signal)).toBeUndefined()
    expect(() => budgetOf().reserve(createHold(ownerOf("a")), MOST + 1, signal)).toThrow(
      expect.objectContaining({ code: "payload-too-large" }),
    )
  })

  test("of one document with the most values fits in what a process has by default", () => {
    const budget = memoryBudgetOf(384 * MB)
    expect(budget.reserve(createHold(ownerOf("a")), 168 * MB, new AbortController())).toBeUndefined()
  })

  test("holds only its answer once it has ended, until that is read", () => {
    const budget = budgetOf()
    const hold = createHold(ownerOf("a"))
    budget.receive(hold, 100)
    budget.take(hold, 20 * MB)
    expect([budget.keep(hold, 5 * MB), budget.bytes]).toEqual([true, 5 * MB])
    expect([budget.keep(hold, MOST + 1), budget.bytes]).toEqual([false, 0])
  })
})

test("what is held never exceeds the memory, and is nothing once all have released it", async () => {
  const steps = fc.array(
    fc.tuple(
      fc.constantFrom("receive", "reserve", "take", "keep", "release", "leave"),
      fc.nat(9),
      fc.nat(60),
    ),
    { maxLength: 60 },
  )
  await fc.assert(
    fc.asyncProperty(steps, async (commands) => {
      const budget = budgetOf()
      const most = 16 * SMALL_BYTES + WORKING_BYTES
      const exchanges = Array.from({ length: 10 }, (_, index) => ({
        hold: createHold(ownerOf(`owner ${index % 3}`)) satisfies MemoryHold,
        aborter: new AbortController(),
        isWaiting: false,
      }))
      for (const [command, index, size] of commands) {
        const exchange = exchanges[index]
        if (exchange === undefined || exchange.isWaiting) continue
        const { hold, aborter } = exchange
        const bytes = size * MB
        if (command === "receive") budget.receive(hold, size * 1024)
        else if (command === "take") budget.take(hold, bytes)
        else if (command === "keep") budget.keep(hold, bytes)
        else if (command === "release") budget.release(hold)
        else if (command === "leave") aborter.abort(new Error("left"))
        else if (!aborter.signal.aborted && bytes <= MOST) {
          exchange.isWaiting = true
          const done = () => {
            exchange.isWaiting = false
          }
          ;(async () => budget.reserve(hold, bytes, aborter))().then(done, done)
        }
        await Promise.resolve()
        expect(budget.bytes).toBeLessThanOrEqual(most)
      }
      for (const { aborter } of exchanges) aborter.abort(new Error("left"))
      await settled()
      for (const { hold } of exchanges) budget.release(hold)
      expect([budget.bytes, budget.waiting]).toEqual([0, 0])
      expect(budget.reserve(createHold(ownerOf("owner 0")), MOST, new AbortController())).toBeUndefined()
    }),
    { numRuns: 60 },
  )
})

describe("an answer that nobody reads", () => {
  /** An app has an answer, and another one reserves memory until it is refused. */
  async function waitingBeside(answer: { bytes: number; isOlder: boolean }, appId = "b", bytes = 20 * MB) {
    const budget = budgetOf({ waits: new Deadlines(10) })
    const { hold } = reserving(budget, "a", MOST)
    const cut: string[] = []
    const end = () => budget.keep(hold, answer.bytes, () => cut.push("a"))
    if (answer.isOlder) end()
    const waiting = reserving(budget, appId, bytes)
    if (!answer.isOlder) end()
    await waiting.ended
    return { cut, outcome: waiting.outcome, left: hold.working }
  }

  test("gives way to work that has waited for as long as there is a time for it", async () => {
    const { cut, outcome, left } = await waitingBeside({ bytes: MOST, isOlder: true })
    expect({ cut, outcome, left }).toEqual({ cut: ["a"], outcome: "has it", left: 0 })
  })

  test("stays when it came after the work, or the work is of the same app", async () => {
    for (const other of [
      await waitingBeside({ bytes: MOST, isOlder: false }),
      await waitingBeside({ bytes: MOST, isOlder: true }, "a"),
    ]) {
      expect(other).toEqual({ cut: [], outcome: OVERLOADED, left: MOST })
    }
  })

  test("stays when work would not fit without it either", async () => {
    const budget = budgetOf({ waits: new Deadlines(10) })
    const { hold } = reserving(budget, "a", 20 * MB)
    budget.keep(hold, 10 * MB, () => expect.unreachable())
    reserving(budget, "a", 30 * MB)
    const waiting = reserving(budget, "b", 30 * MB)
    await waiting.ended
    expect(waiting.outcome).toEqual(OVERLOADED)
  })

  test("stays when the team of the work would have more with all its apps than its own", async () => {
    const budget = budgetOf({ waits: new Deadlines(10) })
    const { hold } = reserving(budget, "a", 10 * MB)
    budget.keep(hold, 10 * MB, () => expect.unreachable())
    for (const app of ["b", "c", "d", "e", "f", "g"]) reserving(budget, app, 6 * MB, "t")
    const waiting = reserving(budget, "h", 6 * MB, "t")
    await waiting.ended
    expect(waiting.outcome).toEqual(OVERLOADED)
  })

  test("stays when its app has no more than the other one would have", async () => {
    const bytes = 28 * MB
    const { cut, outcome } = await waitingBeside({ bytes, isOlder: true }, "b", 28.5 * MB)
    expect({ cut, outcome }).toEqual({ cut: [], outcome: OVERLOADED })
  })
})

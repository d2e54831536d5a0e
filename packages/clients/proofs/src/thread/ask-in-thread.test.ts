import { expect, test } from "vitest"
import { createZ3 } from "../solver/z3-solver.ts"
import { accessInThread, changeInThread } from "./ask-in-thread.ts"

const HURRIED = { limitMs: 10_000, totalMs: 1 }
const QUESTION = { role: "pci", nowMs: 0 }
const forever = new AbortController().signal

test("what takes longer than a thread may is not known, with the reason", async () => {
  const unknown = { known: false, reason: "no answer within 0.001 seconds" }
  expect(await accessInThread({ ...QUESTION, rules: [] }, HURRIED, forever)).toEqual(unknown)
  const change = await changeInThread({ ...QUESTION, before: [], after: [] }, HURRIED, forever)
  expect(change).toEqual({ permitted: unknown, refused: unknown, warnings: [] })
})

test("whoever leaves ends the thread, and one that has left starts none", async () => {
  const controller = new AbortController()
  const limits = { limitMs: 10_000, totalMs: 10_000 }
  const asked = accessInThread({ ...QUESTION, rules: [] }, limits, controller.signal)
  controller.abort(new Error("left"))
  await expect(asked).rejects.toThrow("left")
  await expect(accessInThread({ ...QUESTION, rules: [] }, limits, controller.signal)).rejects.toThrow("left")
})

test("a question that needs more memory than the solver has is not decided, and the next one is", async () => {
  const solvers = createZ3({ limitMs: 60_000, memoryMb: 20 })
  const many = Array.from(
    { length: 10_000 },
    (_, index) => `(declare-const x${index} Int)(assert (< x${index} ${index}))`,
  )
  const asked = solvers.ask((solver) => solver.run(many.join("")))
  await expect(asked).rejects.toThrow("the solver failed, or needed more than 20 MB")
  expect(await solvers.ask((solver) => solver.run("(check-sat)"))).toBe("sat\n")
  await solvers.close()
})
